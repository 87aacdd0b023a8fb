"""Pages about predicates, classes of values, states and edges that are spelled out."""

from __future__ import annotations

from symdmc.errors.codes import Code
from symdmc.report.complaints.page import Example, Page

MODEL = {
    "model.dve": """\
byte x = 0;
byte y = 0;
process P {
  state a, b;
  init a;
  trans a -> b { guard x < 9; effect x = x + 1, y = 2; },
        b -> a {};
}
system async;
"""
}


TRACE = "symdmc check model.dve --error 'x == 2' --trace trace.json"


def _predicate(text: str) -> tuple[str, ...]:
    return (f"symdmc check model.dve --error 'x == 9' --heuristic pred:given --predicate '{text}'",)


def _classes(text: str) -> tuple[str, ...]:
    return (f"symdmc check model.dve --error 'x == 9' --heuristic 'domain:{text}'",)


def _program(*lines: str) -> str:
    return "\n".join(("import symdmc", *lines, ""))


PAGES = (
    Page(
        code=Code.NOT_A_CONDITION,
        summary="A number stands where a condition is wanted.",
        meaning="A predicate holds or does not hold; a sum or a variable with many values does neither.",
        remedy="Compare it, as in 'x >= 1'.",
        example=Example(
            files=MODEL,
            commands=_predicate("x + y"),
            says="error: <predicate>:1:1: 'x + y' is a number, not a condition; compare it, as in 'x + y >= 1' "
            "[not-a-condition]",
        ),
    ),
    Page(
        code=Code.NOT_A_WHOLE_NUMBER,
        summary="A number has a fraction.",
        meaning="All variables are integers, and so are all numbers in expressions.",
        remedy="Write a whole number that divides the integers in the same way, as the message proposes.",
        example=Example(
            files=MODEL,
            commands=_predicate("x > 2.5"),
            says="error: <predicate>:1:5: 2.5 is no whole number, and variables are integers; write a whole "
            "number, as in 'x > 2' [not-a-whole-number]",
        ),
    ),
    Page(
        code=Code.NOT_LINEAR,
        summary="A predicate has arithmetic that cannot be judged.",
        meaning="Predicates compare sums of variables with constant factors. Other arithmetic is possible only "
        "where it never faults and reads few values, so that all combinations can be looked at; products of "
        "variables are not.",
        remedy="Use sums with constant factors on both sides of the comparison, or several predicates.",
        example=Example(
            files=MODEL,
            commands=_predicate("x * y > 3"),
            says="error: <predicate>:1:1: 'x * y > 3' is not linear: it has a product of variables; use sums of "
            "variables, with constant factors, on both sides of a comparison [not-linear]",
        ),
    ),
    Page(
        code=Code.SETTLED_PREDICATE,
        summary="A predicate has the same truth value in every state.",
        meaning="For all values that the variables can have it always holds, or never. It tells no two states apart.",
        remedy="Leave it out; `symdmc show MODEL` lists the values that variables can have.",
        example=Example(
            files=MODEL,
            commands=_predicate("y >= 0"),
            says="error: <predicate>:1:1: 'y >= 0' always holds for the values that can occur; leave it out "
            "[settled-predicate]",
        ),
    ),
    Page(
        code=Code.WRONG_CLASSES,
        summary="Classes of values cannot be read, or do not have every value once.",
        meaning="Classes are separated by '/', ranges and values within a class by '+': x=0/1..9/10+11. Every "
        "value that the variable can have stands in exactly one class.",
        remedy="Name each value once; '10..' means 10 and more, '..3' up to 3.",
        example=Example(
            files=MODEL,
            commands=_classes("x=0/1..5"),
            says="error: x=0/1..5: 'x' can also be 6, which is in no class; name every value it can have; `10..` "
            "means 10 and more [wrong-classes]",
        ),
    ),
    Page(
        code=Code.COSTS_NOT_SHARED,
        summary="The estimates of several databases cannot be added up.",
        meaning="A sum of estimates is admissible only if every transition counts in at most one of the databases. "
        "Here one would count several times.",
        remedy="Share the costs when the databases are built (combine 'sum'), or take their maximum.",
        example=Example(
            files=MODEL,
            program=_program(
                'first = symdmc.pattern_database("model.dve", keep="x", error="x == 9")',
                'second = symdmc.pattern_database("model.dve", keep="P,x", error="x == 9")',
                'symdmc.check("model.dve", error="x == 9", search="astar", heuristic=[first, second], combine="sum")',
            ),
            says="symdmc.errors.ModelError: the sum would count '' 2 times, but it costs 1; partition the costs, "
            "or combine the databases by max",
        ),
    ),
    Page(
        code=Code.WRONG_STATE,
        summary="A state is not spelled as it must be.",
        meaning="A state is a list such as 'P.a,x=3,grid[0]=1': locations of processes, and values of variables and "
        "cells. What is not named has its first value.",
        remedy="Write PROCESS.LOCATION or VARIABLE=VALUE for each part.",
        example=Example(
            files=MODEL,
            commands=(
                "symdmc patterndb build model.dve --error 'x == 9' --pattern x -o x.pdb",
                "symdmc patterndb lookup x.pdb model.dve --error 'x == 9' --state x",
            ),
            says="error: the state has 'x'; write PROCESS.LOCATION or VARIABLE=VALUE [wrong-state]",
        ),
    ),
    Page(
        code=Code.OUTSIDE_OF_DATABASE,
        summary="A state is asked about that a pattern database does not know.",
        meaning="A database has the states that can be reached, as far as its restriction tells, and no others.",
        remedy="Ask about a state that can be reached.",
        example=Example(
            files=MODEL,
            program=_program(
                'database = symdmc.pattern_database("model.dve", keep="*", error="x == 9")',
                'database.distance("x=99")',
            ),
            says="symdmc.errors.ModelError: the state lies outside of the pattern database of P, x, y; it cannot "
            "be reached; ask about another one",
        ),
    ),
    Page(
        code=Code.UNKNOWN_EDGE,
        summary="An edge is named that there is not.",
        meaning="An edge is named by its process and its ends, 'P: a -> b', by a channel, or by a label as it "
        "stands in a trace. Where several processes move, each edge that takes part may be named.",
        remedy="Write it in one of these forms; `symdmc show MODEL --all` lists the edges.",
        example=Example(
            files=MODEL,
            commands=(TRACE, "symdmc replay model.dve trace.json --why-not 'P: b -> b'"),
            says="error: there is no edge 'P: b -> b'; did you mean 'P: b -> a'? [unknown-edge]",
        ),
    ),
    Page(
        code=Code.NO_SUCH_STEP,
        summary="A state of a trace is named behind the end of the trace.",
        meaning="States are counted from 0, the first one, to the number of steps.",
        remedy="Choose a smaller number.",
        example=Example(
            files=MODEL,
            commands=(TRACE, "symdmc replay model.dve trace.json --why-not 'P: a -> b' --at 99"),
            says="error: there is no state after 99 steps: the trace has 3; choose an earlier one [no-such-step]",
        ),
    ),
)
