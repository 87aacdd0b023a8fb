"""Pages about texts in the language of models: syntax, names, operators and ranges of values."""

from __future__ import annotations

from symdmc.errors.codes import Code
from symdmc.report.complaints.page import Example, Page


def _counter(declarations: str = "byte x = 0;", edge: str = "a -> b { effect x = 1; }") -> dict[str, str]:
    """A model with one process and one edge."""
    text = f"{declarations}\nprocess P {{\n  state a, b;\n  init a;\n  trans {edge};\n}}\nsystem async;\n"
    return {"model.dve": text}


SHOW = ("symdmc show model.dve",)

PAGES = (
    Page(
        code=Code.SYNTAX_ERROR,
        summary="A text does not follow the grammar.",
        meaning="The message says where reading stopped, and what could stand there. The mistake may be a little "
        "before that place: a bracket or a semicolon that is missing. Operators of other languages are recognised, "
        "and the spelling of this one is proposed.",
        remedy="Mend the text at that place; docs/dve.md and docs/expressions.md have the grammars.",
        example=Example(
            files=_counter(edge="a -> b { guard x => 1; }"),
            commands=SHOW,
            says="error: model.dve:5:26: unexpected '='; an implication is written 'imply' [syntax-error]",
        ),
    ),
    Page(
        code=Code.UNKNOWN_NAME,
        summary="A name is used that nothing has.",
        meaning="No variable, process, location or channel has this name where it is used. A variable of a process is "
        "known by its short name inside of the process only; from outside it is called PROCESS->NAME, and a location "
        "PROCESS.NAME. Upper and lower case differ.",
        remedy="Correct the spelling: the most similar name is proposed. `symdmc show MODEL` lists all names.",
        example=Example(
            files=_counter(edge="a -> b { guard y == 1; }"),
            commands=SHOW,
            says="error: model.dve:5:24: unknown name 'y'; known: x [unknown-name]",
        ),
    ),
    Page(
        code=Code.WRONG_KIND_OF_NAME,
        summary="A name of something else stands where a variable or a process is wanted.",
        meaning="A process or a channel has no value, and a location is a condition only together with its process, as "
        "in P.waits.",
        remedy="Write PROCESS.LOCATION to ask where a process is, CHANNEL->length for the number of items in a buffer.",
        example=Example(
            files=_counter(),
            commands=("symdmc check model.dve --error P",),
            says="error: <error>:1:1: 'P' is a process, not a variable; name a location, as in P.LOCATION "
            "[wrong-kind-of-name]",
        ),
    ),
    Page(
        code=Code.DUPLICATE_NAME,
        summary="Two things have the same name.",
        meaning="Processes, variables and clocks that are seen from everywhere share one space of names; channels may "
        "not have the name of a process; locations differ within their process, properties among each other.",
        remedy="Rename or remove one of them.",
        example=Example(
            files=_counter(declarations="byte x = 0;\nint x = 0;"),
            commands=SHOW,
            says="error: model.dve:2:5: variable 'x' is declared twice; rename or remove one of them [duplicate-name]",
        ),
    ),
    Page(
        code=Code.RESERVED_WORD,
        summary="Something is named by a word of the language.",
        meaning="Words such as 'and', 'not', 'true' or 'guard' mean something in models or expressions, so nothing "
        "else can be named by them.",
        remedy="Choose another name.",
        example=Example(
            files=_counter(declarations="byte and = 0;", edge="a -> b {}"),
            commands=SHOW,
            says="error: model.dve:1:6: 'and' is a word of the language; choose another name [reserved-word]",
        ),
    ),
    Page(
        code=Code.NOT_AN_IDENTIFIER,
        summary="A name has characters that names cannot have.",
        meaning="A name is made of letters, digits and underscores, and does not begin with a digit, so that it can "
        "stand in expressions.",
        remedy="Write an underscore in the place of blanks, dots and dashes.",
        example=Example(
            program='import symdmc\nm = symdmc.Builder("m")\nm.integer("my variable", 0, 3)\n'
            'm.process("P", initial="a")\nm.build()\n',
            says="symdmc.errors.ModelError: program.py:3:1: variable name 'my variable' is not an identifier; use "
            "letters, digits and underscores, not starting with a digit",
        ),
    ),
    Page(
        code=Code.UNKNOWN_OPERATOR,
        summary="An expression that was made in Python has an operator that there is not.",
        meaning="Operators are texts such as '+', '==' or 'and'. An expression that is read from a text has only "
        "these; one that is put together in Python may have any text.",
        remedy="Use one of the operators that the message lists.",
        example=Example(
            program="import symdmc\nfrom symdmc.model.expressions import Binary, Literal\n"
            'm = symdmc.Builder("m")\np = m.process("P", initial="a")\n'
            'p.edge("a", "a", guard=Binary("<>", Literal(1), Literal(2)))\n'
            "m.build()\n",
            says="symdmc.errors.ModelError: program.py:5:1: edge a -> a of 'P': guard: there is no operator '<>' "
            "with two operands; use one of imply or and | ^ & == != < <= > >= << >> + - * / %",
        ),
    ),
    Page(
        code=Code.INDEX_MISSING,
        summary="An array is used without saying which cell of it.",
        meaning="An array as a whole has no value and cannot be assigned; its cells have values.",
        remedy="Choose a cell, as in a[0]; cells are counted from 0.",
        example=Example(
            files=_counter(declarations="byte x[3];", edge="a -> b {}"),
            commands=("symdmc check model.dve --error 'x == 1'",),
            says="error: <error>:1:1: 'x' is an array; choose a cell, as in x[0] [index-missing]",
        ),
    ),
    Page(
        code=Code.NOT_AN_ARRAY,
        summary="A variable has an index, but it is no array.",
        meaning="Only a variable that is declared with a size, as in `byte a[3];`, has cells.",
        remedy="Leave the index out, or declare the variable as an array.",
        example=Example(
            files=_counter(edge="a -> b { effect x[0] = 1; }"),
            commands=SHOW,
            says="error: model.dve:5:25: 'x' is not an array; remove the index [not-an-array]",
        ),
    ),
    Page(
        code=Code.CANNOT_ASSIGN,
        summary="Something is assigned that cannot be changed by an assignment.",
        meaning="Constants keep their value. Where a process is changes by its edges, and what is in the buffer of a "
        "channel changes by sending and receiving.",
        remedy="Declare the constant without 'const', take an edge to the location, or use the channel.",
        example=Example(
            files=_counter(declarations="const byte x = 0;"),
            commands=SHOW,
            says="error: model.dve:5:25: 'x' is a constant and cannot be changed; declare it without 'const' "
            "[cannot-assign]",
        ),
    ),
    Page(
        code=Code.CONSTANT_BY_NAME,
        summary="An expression that was made in Python has a constant by its name.",
        meaning="A constant is replaced by its value when a text is read. An expression that is put together in Python "
        "must have the value itself.",
        remedy="Put Literal(VALUE) there, or give the condition as a text.",
        example=Example(
            program="import symdmc\nfrom symdmc.model.expressions import Binary, Literal, Ref\n"
            'm = symdmc.Builder("m")\nm.constant("N", 3)\n'
            'p = m.process("P", initial="a")\np.edge("a", "a", guard=Binary("==", Ref("N"), Literal(3)))\nm.build()\n',
            says="symdmc.errors.ModelError: program.py:6:1: edge a -> a of 'P': guard: constant 'N' stands by its "
            "name; put its value there",
        ),
    ),
    Page(
        code=Code.BEYOND_32_BITS,
        summary="A number or a range does not fit into 32 bits.",
        meaning="Values are computed as signed integers of 32 bits, from -2147483648 to 2147483647.",
        remedy="Use a smaller number, or a narrower range.",
        example=Example(
            files=_counter(edge="a -> b { guard x < 3000000000; }"),
            commands=SHOW,
            says="error: model.dve:5:28: this number does not fit into 32 bits; use at most 2147483647 "
            "[beyond-32-bits]",
        ),
    ),
    Page(
        code=Code.VALUE_OUT_OF_RANGE,
        summary="A state or a trace gives a variable a value that it cannot have.",
        meaning="Every variable has a range: a byte holds 0 to 255, an integer of a Python model what it was declared "
        "with.",
        remedy="Give a value inside the range that the message names; `symdmc show MODEL` lists the ranges.",
        example=Example(
            files=_counter(),
            commands=(
                "symdmc patterndb build model.dve --error 'x == 1' --pattern x -o x.pdb",
                "symdmc patterndb lookup x.pdb model.dve --error 'x == 1' --state x=999",
            ),
            says="error: 'x' cannot be '999'; give an integer from 0 to 255 [value-out-of-range]",
        ),
    ),
    Page(
        code=Code.EMPTY_RANGE,
        summary="A range ends before it begins.",
        meaning="The first bound of a range is the smaller one. A range from 5 to 3 has no value in it.",
        remedy="Exchange the bounds.",
        example=Example(
            commands=("symdmc compare hanoi:disks=5..3 --config bfs",),
            says="error: hanoi:disks=5..3: the range '5..3' is empty; begin with its smaller end [empty-range]",
        ),
    ),
)
