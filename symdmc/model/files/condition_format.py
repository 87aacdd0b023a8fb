"""Error conditions as JSON and back, as they stand in traces and certificates."""

from __future__ import annotations

from symdmc.model.expressions import FALSE, TRUE
from symdmc.model.files.json_reading import JsonNode
from symdmc.model.parsing.parser import parse_expression
from symdmc.model.question import ErrorCondition
from symdmc.model.scope import Scope


def condition_to_json(error: ErrorCondition) -> dict[str, object]:
    """The condition as JSON values, without its name."""
    where = {} if error.deadlock_where == TRUE else {"deadlock_where": str(error.deadlock_where)}
    return {"expression": str(error.expression), "deadlock": error.deadlock, **where, "fault": error.fault}


def condition_from_json(node: JsonNode, name: str, scope: Scope) -> ErrorCondition:
    """The condition that `condition_to_json` wrote, with a name."""
    fields = node.fields(("expression", "deadlock", "fault"), ("deadlock_where",))
    text, where = fields.get("expression"), fields.get("deadlock_where")
    return ErrorCondition(
        name=name,
        expression=FALSE if text is None else text.parsed(parse_expression, scope, FALSE),
        deadlock=fields.flag("deadlock"),
        deadlock_where=TRUE if where is None else where.parsed(parse_expression, scope, TRUE),
        fault=fields.flag("fault"),
    )
