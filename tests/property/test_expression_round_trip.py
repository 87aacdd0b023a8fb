"""What an expression prints as reads back as the same expression."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from symdmc.model.arithmetic import UNARY
from symdmc.model.expressions import BINARY_PRECEDENCE, At, Binary, Cell, Conditional, Expr, Literal, Ref, Target, Unary
from symdmc.model.parsing.parser import parse_assignments, parse_expression, parse_synchronisation
from symdmc.model.scope import Scope
from symdmc.model.system import BYTE, Assignment, Channel, ChannelKind, Direction, Synchronisation, Variable

SCALARS = ("x", "P->x", "P->notable", "_y1")
ARRAYS = ("a", "P->a", "buffer->item")
SCOPE = Scope.declaring(
    variables=[
        *(Variable(name=name, type=BYTE) for name in SCALARS),
        *(Variable(name=name, type=BYTE, size=2, initial=((0,), (0,))) for name in ("a", "P->a")),
    ],
    locations={"P": ("x", "critical"), "Q": ("idle",)},
    channels=[
        Channel(name="buffer", kind=ChannelKind.BUFFERED, capacity=2, types=(BYTE,)),
        *(Channel(name=f"c{count}", types=(BYTE,) * count) for count in range(4)),
    ],
)

leaves: st.SearchStrategy[Expr] = st.one_of(
    st.integers(-(2**31), 2**31 - 1).map(Literal),
    st.integers(-3, 3).map(Literal),
    st.sampled_from((*SCALARS, "buffer->length")).map(Ref),
    st.sampled_from((At("P", "x"), At("P", "critical"), At("Q", "idle"))),
)


def larger(smaller: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    return st.one_of(
        st.builds(Unary, st.sampled_from(sorted(UNARY)), smaller),
        st.builds(Binary, st.sampled_from(sorted(BINARY_PRECEDENCE)), smaller, smaller),
        st.builds(Conditional, smaller, smaller, smaller),
        st.builds(Cell, st.sampled_from(ARRAYS), smaller),
    )


expressions = st.recursive(leaves, larger, max_leaves=12)
targets: st.SearchStrategy[Target] = st.one_of(
    st.sampled_from(SCALARS).map(Ref), st.builds(Cell, st.sampled_from(ARRAYS), expressions)
)


@settings(deadline=None)  # the first example builds the grammar
@given(expressions)
def test_an_expression_reads_back_from_what_it_prints(expression: Expr) -> None:
    assert parse_expression(str(expression), SCOPE) == expression


@settings(deadline=None)  # the first example builds the grammar
@given(st.lists(st.builds(Assignment, targets, expressions), max_size=3))
def test_assignments_read_back_from_what_they_print(assignments: list[Assignment]) -> None:
    text = ", ".join(str(assignment) for assignment in assignments)
    assert parse_assignments(text, SCOPE) == tuple(assignments)


@settings(deadline=None)  # the first example builds the grammar
@given(st.lists(expressions, max_size=3))
def test_a_send_reads_back_from_what_it_prints(values: list[Expr]) -> None:
    sync = Synchronisation(channel=f"c{len(values)}", direction=Direction.SEND, values=tuple(values))
    assert parse_synchronisation(str(sync), SCOPE) == sync


@settings(deadline=None)  # the first example builds the grammar
@given(st.lists(targets, max_size=3))
def test_a_receive_reads_back_from_what_it_prints(places: list[Target]) -> None:
    sync = Synchronisation(channel=f"c{len(places)}", direction=Direction.RECEIVE, targets=tuple(places))
    assert parse_synchronisation(str(sync), SCOPE) == sync
