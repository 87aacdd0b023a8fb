"""The order that the symbolic search tells has every variable once, those that never change last."""

from __future__ import annotations

from symdmc.encode.encoding import Encoding
from symdmc.encode.order.orders import variable_order
from symdmc.model.builder import Builder
from symdmc.model.question import ErrorCondition
from symdmc.task import compile_task


def test_every_variable_stands_in_the_present_order_once() -> None:
    m = Builder("m")
    m.integer("x", 0, 3)
    m.integer("never", 0, 3)
    m.integer("y", 0, 3)
    p = m.process("P", initial="s")
    p.edge("s", "s", guard="x < 3", do="x = x + 1")
    p.edge("s", "s", guard="y < 3", do="y = y + 1")
    m.process("Still", initial="s")
    task = compile_task(m.build(), ErrorCondition(name="nothing"))
    order = Encoding(task, variable_order(task).variables).order_now()
    assert sorted(order) == list(range(len(task.variables)))
    changing = {task.layout.first["x"], task.layout.first["y"]}
    assert set(order[: len(changing)]) == changing
