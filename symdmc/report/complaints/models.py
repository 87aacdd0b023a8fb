"""Pages about models: what must be there, what fits together, and what is only suspicious."""

from __future__ import annotations

from symdmc.errors.codes import Code
from symdmc.report.complaints.page import Example, Page

SHOW = ("symdmc show model.dve",)


def _dve(text: str) -> dict[str, str]:
    return {"model.dve": text}


def _python(*lines: str) -> str:
    """A program that builds a model."""
    return "\n".join(("import symdmc", 'm = symdmc.Builder("m")', *lines, "m.build()", ""))


PAGES = (
    Page(
        code=Code.UNKNOWN_MODEL,
        summary="There is neither a file nor a family of this name.",
        meaning="A model is the path of a file that ends in .dve, .json or .py, or the name of a family that comes "
        "with symdmc, with its parameters behind a colon.",
        remedy="Correct the spelling. `symdmc families` lists the families.",
        example=Example(
            commands=("symdmc check arbitr_tree:height=2",),
            says="error: there is no file and no family 'arbitr_tree'; did you mean 'arbiter_tree'? [unknown-model]",
        ),
    ),
    Page(
        code=Code.MODEL_FILE_FAILS,
        summary="A Python file with a model raises an exception.",
        meaning="The file, or its function build, ended with an exception before there was a system. The message has "
        "the line in the file, and what the exception says.",
        remedy="Mend the file; SYMDMC_DEBUG=1 shows the whole traceback.",
        example=Example(
            files={"model.py": "def build(size: int = 0):\n    return 1 // size\n"},
            commands=("symdmc show model.py",),
            says="error: model.py:2: ZeroDivisionError: integer division or modulo by zero; correct the file "
            "[model-file-fails]",
        ),
    ),
    Page(
        code=Code.NO_BUILD_FUNCTION,
        summary="A Python file has no function build that returns a system.",
        meaning="A model in Python is a file with a function `build`. Its parameters are those of the model, and it "
        "returns what Builder(...).build() gives.",
        remedy="Define `def build(): ...` in the file, and let it return a System.",
        example=Example(
            files={"model.py": "SIZE = 3\n"},
            commands=("symdmc show model.py",),
            says="error: model.py: has no function build; give a Python file with a function build(...) that "
            "returns a System [no-build-function]",
        ),
    ),
    Page(
        code=Code.NO_PROCESS,
        summary="A model has no process.",
        meaning="Without a process there is nothing that moves.",
        remedy="Add at least one process. In DVE, the process that a property names does not count.",
        example=Example(
            program=_python('m.integer("x", 0, 3)'),
            says="symdmc.errors.ModelError: model m: there is no process; add at least one",
        ),
    ),
    Page(
        code=Code.NO_LOCATION,
        summary="A process has no location.",
        meaning="A process is always at one of its locations, so it needs at least one.",
        remedy="Declare some: in DVE with 'state', in Python with location(...) or by edges.",
        example=Example(
            files=_dve("process P {\n}\nsystem async;\n"),
            commands=SHOW,
            says="error: model.dve:1:9: process 'P' has no location; declare some with 'state' [no-location]",
        ),
    ),
    Page(
        code=Code.NO_INITIAL_LOCATION,
        summary="It is not said where a process begins.",
        meaning="A process has locations, but none of them is its first one.",
        remedy="Name it: in DVE with 'init', in Python with initial=.",
        example=Example(
            files=_dve("process P {\n  state a;\n}\nsystem async;\n"),
            commands=SHOW,
            says="error: model.dve:1:9: process 'P' has no initial location; name it with 'init' [no-initial-location]",
        ),
    ),
    Page(
        code=Code.NO_INITIAL_STATE,
        summary="A model has no initial state, so there is nothing to walk through.",
        meaning="The invariants of the first locations exclude every combination of initial values.",
        remedy="Weaken an invariant of an initial location, or choose other initial values.",
    ),
    Page(
        code=Code.DUPLICATE_CLAUSE,
        summary="Something stands twice that may stand once.",
        meaning="A process has one initial location in DVE, and a transition one guard, one synchronisation and one "
        "effect.",
        remedy="Join the two: guards with 'and', assignments with ','.",
        example=Example(
            files=_dve(
                "byte x = 0;\nprocess P {\n  state a;\n  init a;\n"
                "  trans a -> a { guard x == 0; guard x < 3; };\n}\nsystem async;\n"
            ),
            commands=SHOW,
            says="error: model.dve:5:32: a second 'guard' in one transition; join them [duplicate-clause]",
        ),
    ),
    Page(
        code=Code.NOT_CONSTANT,
        summary="A declaration needs a value that is not known when the model is read.",
        meaning="Sizes of arrays, capacities of channels and initial values are computed once, from numbers and "
        "constants that are declared before.",
        remedy="Use a number, or declare the constant with 'const' before this place.",
        example=Example(
            files=_dve("byte n = 3;\nbyte a[n];\nprocess P { state a; init a; }\nsystem async;\n"),
            commands=SHOW,
            says="error: model.dve:2:6: the declaration of 'a' depends on n; use only constants declared before it "
            "[not-constant]",
        ),
    ),
    Page(
        code=Code.WRONG_SIZE,
        summary="An array has no cell, or a buffer has no room.",
        meaning="An array has at least one cell, and a buffered channel room for at least one item.",
        remedy="Give a size of 1 or more. In DVE, a channel that is declared without a size passes values directly.",
        example=Example(
            files=_dve("byte a[0];\nprocess P { state a; init a; }\nsystem async;\n"),
            commands=SHOW,
            says="error: model.dve:1:6: 'a' has the size 0; choose one in 1..65536 [wrong-size]",
        ),
    ),
    Page(
        code=Code.TOO_LARGE,
        summary="A model declares more than can be handled.",
        meaning="Arrays and buffers have at most 65,536 cells, and a model about a million altogether. Every cell is a "
        "part of each state, so larger models could not be searched anyway. The values of a variable are merged only "
        "where they are few enough to be looked at one by one.",
        remedy="Make arrays and buffers as small as the question allows, or bound the variable.",
        example=Example(
            files=_dve("byte a[1000000];\nprocess P { state a; init a; }\nsystem async;\n"),
            commands=SHOW,
            says="error: model.dve:1:6: 'a' has the size 1000000; choose one in 1..65536 [too-large]",
        ),
    ),
    Page(
        code=Code.WRONG_INITIAL_VALUES,
        summary="The initial values do not fit the variable.",
        meaning="A variable needs a value inside its range for each of its cells; a constant has exactly one.",
        remedy="Give one value for each cell, inside the range; in DVE, braces are for arrays.",
        example=Example(
            program=_python('m.integer("x", 0, 3, initial=7)', 'm.process("P", initial="a")'),
            says="symdmc.errors.ModelError: program.py:3:1: variable 'x' starts with 7, outside 0..3; choose an "
            "initial value inside the range",
        ),
    ),
    Page(
        code=Code.WRONG_DIGITAL_CLOCK,
        summary="A digital clock is not declared as one must be.",
        meaning="A digital clock is an integer that counts from 0 to its bound as time passes. It cannot be a "
        "constant, wrap around, or begin elsewhere.",
        remedy="Declare it as an integer from 0 to its bound.",
    ),
    Page(
        code=Code.WRONG_CHANNEL,
        summary="The parts of a channel do not fit its kind.",
        meaning="Only a buffered channel has a capacity, a lockstep label passes no values, and what a buffer "
        "holds must include 0, which fills its free cells.",
        remedy="Choose another kind of channel, or leave out the part that does not fit.",
        example=Example(
            program=_python('m.buffered("c", capacity=2, values=[(1, 5)])', 'm.process("P", initial="a")'),
            says="symdmc.errors.ModelError: program.py:3:1: the buffer of channel 'c' has a range without 0, which "
            "fills its free cells; let the range include 0",
        ),
    ),
    Page(
        code=Code.WRONG_DIRECTION,
        summary="An edge uses a channel in a way that its kind does not have.",
        meaning="Messages are sent with '!' and received with '?'. A lockstep label is named alone: all who know "
        "it move together.",
        remedy="Write c! or c? for a channel, and the name alone for a lockstep label.",
        example=Example(
            program=_python('m.lockstep("go")', 'm.process("P", initial="a").edge("a", "a", sync="go!")'),
            says="symdmc.errors.ModelError: program.py:4:1: edge a -> a of 'P': synchronisation: 'go!' does not "
            "fit the lockstep channel 'go'; name the label alone, without '!' or '?'",
        ),
    ),
    Page(
        code=Code.WRONG_NUMBER_OF_VALUES,
        summary="A channel is used with another number of values than it passes.",
        meaning="Every use of a channel sends or receives as many values as the channel was declared with or, in DVE "
        "where it was declared without types, as its first use.",
        remedy="Give as many values as the message says.",
        example=Example(
            program=_python('m.channel("c", values=2)', 'm.process("P", initial="a").edge("a", "a", sync="c!{1}")'),
            says="symdmc.errors.ModelError: program.py:4:1: edge a -> a of 'P': synchronisation 'c!{1}', column 1: "
            "channel 'c' passes 2 values, not 1; use it with 2 values",
        ),
    ),
    Page(
        code=Code.WRONG_COST,
        summary="An edge costs neither 0 nor 1.",
        meaning="The length of a trace is the number of its steps that cost 1; there are no other costs.",
        remedy="Give the cost 0 or 1. A step that is to cost more can be split into several.",
        example=Example(
            program=_python('m.process("P", initial="a").edge("a", "a", cost=5)'),
            says="symdmc.errors.ModelError: program.py:3:1: edge a -> a of 'P' costs 5; costs are 0 or 1",
        ),
    ),
    Page(
        code=Code.UNREACHABLE_LOCATION,
        summary="A warning: no path of edges leads to a location.",
        meaning="Whatever the guards are, the process never comes to this location. Often the target of an edge is "
        "mistyped.",
        remedy="Check the names of the targets, or remove the location.",
        example=Example(
            files=_dve("process P {\n  state a, b;\n  init a;\n  trans a -> a {};\n}\nsystem async;\n"),
            commands=SHOW,
            says="warning: model.dve:2:12: no path of edges leads to location 'b' of process 'P'; check the names "
            "of the targets [unreachable-location]",
        ),
    ),
    Page(
        code=Code.VALUE_DOES_NOT_FIT,
        summary="A warning: a constant is assigned that the variable cannot hold.",
        meaning="In DVE the value is cut to the type of the variable: 256 becomes 0 in a byte. In models with "
        "ranges the step faults, and is not there.",
        remedy="Assign a value inside the range, or declare a wider type.",
        example=Example(
            files=_dve(
                "byte x = 0;\nprocess P {\n  state a;\n  init a;\n  trans a -> a { effect x = 300; };\n}\n"
                "system async;\n"
            ),
            commands=SHOW,
            says="warning: model.dve:5:9: 300 does not fit into 'x', which holds 0..255; 44 is stored "
            "[value-does-not-fit]",
        ),
    ),
    Page(
        code=Code.ONE_SIDED_CHANNEL,
        summary="A warning: a channel is only sent on, or only received from.",
        meaning="Where nobody receives, nobody can send, and the other way round: these edges are never taken.",
        remedy="Add the other side, or check the name of the channel.",
        example=Example(
            files=_dve(
                "channel c;\nprocess P {\n  state a;\n  init a;\n  trans a -> a { sync c!; };\n}\nsystem async;\n"
            ),
            commands=SHOW,
            says="warning: model.dve:1:9: channel 'c' is sent on but never received from; add a receiver "
            "[one-sided-channel]",
        ),
    ),
    Page(
        code=Code.UPDATE_ORDER_MATTERS,
        summary="A warning: processes that move together use a variable that one of them writes.",
        meaning="In a synchronisation the updates of the participants run one after another, so what the variable "
        "holds depends on their order. Languages have different orders.",
        remedy="Let only one participant use the variable, or pass the value through the channel.",
        example=Example(
            files=_dve(
                "byte x = 0;\nchannel c;\n"
                "process P { state a; init a; trans a -> a { sync c!; effect x = 1; }; }\n"
                "process Q { state a; init a; trans a -> a { sync c?; effect x = 2; }; }\nsystem async;\n"
            ),
            commands=SHOW,
            says="warning: model.dve:4:36: when they synchronise on 'c', 'P' and 'Q' both use 'x' and at least one "
            "writes it; the order of their updates decides what it holds [update-order-matters]",
        ),
    ),
    Page(
        code=Code.CLOCKS_UNSUPPORTED,
        summary="A model has clocks with real values, which are not supported.",
        meaning="A clock that is declared with clock(...) is kept in models, but no engine handles it.",
        remedy="Use digital clocks, integers that count with tick(...), where the question allows it.",
        example=Example(
            program='import symdmc\nm = symdmc.Builder("m")\nm.clock("t")\nm.process("P", initial="a")\n'
            "symdmc.check(m.build(), deadlock=True)\n",
            says="symdmc.errors.UnsupportedFeature: model 'm' uses clocks, which are not supported yet",
        ),
    ),
    Page(
        code=Code.WRONG_TEMPLATE_ARGUMENT,
        summary="A process is made of a template with arguments that do not fit its parameters.",
        meaning="A template takes one argument for each parameter: a constant that fits the type, a channel or a "
        "process.",
        remedy="Give as many arguments as the template has parameters, in their order and of their kinds.",
        example=Example(
            files=_dve(
                "template Node(byte id) { state a; init a; trans a -> a { guard id > 0; }; }\n"
                "process P = Node();\nsystem async;\n"
            ),
            commands=SHOW,
            says="error: model.dve:2:9: template 'Node' takes 1 argument, not 0; give one for each parameter "
            "[wrong-template-argument]",
        ),
    ),
    Page(
        code=Code.NOT_IN_DVE,
        summary="A model has something for which the DVE language has no words.",
        meaning="`show --dve` writes plain DVE. Lockstep labels, broadcasts, costs and clocks, among others, exist in "
        "models of other formats only.",
        remedy="Change the model, or keep it in its own format.",
        example=Example(
            files={
                "model.json": '{"schema": "symdmc-model/1", "name": "m", "channels": [{"name": "go", "kind": '
                '"lockstep"}], "processes": [{"name": "P", "initial": ["a"], "locations": [{"name": "a"}], "edges": '
                '[{"source": "a", "target": "a", "sync": "go"}]}]}\n'
            },
            commands=("symdmc show model.json --dve plain.dve",),
            says="error: model m: DVE cannot say that 'go' is a lockstep channel; use another kind [not-in-dve]",
        ),
    ),
    Page(
        code=Code.UNSUPPORTED_CONSTRUCT,
        summary="A model uses a construct of its language that is not supported.",
        meaning="The model is right, but symdmc cannot handle it: synchronous systems and probabilistic transitions of "
        "DVE.",
        remedy="Use 'system async' and transitions with '->', if the model allows it.",
        example=Example(
            files=_dve("process P { state a; init a; }\nsystem sync;\n"),
            commands=SHOW,
            says="error: model.dve:2:8: synchronous systems are not supported; only 'system async' is "
            "[unsupported-construct]",
        ),
    ),
    Page(
        code=Code.TOO_LARGE_FOR_DIAGRAMS,
        summary="Decision diagrams cannot handle the values of this model.",
        meaning="A variable has too many values, or an operation on wide values has too large a diagram. This concerns "
        "the symbolic engine and pattern databases.",
        remedy="Bound the variable, or use the explicit engine with a heuristic that needs no database.",
        example=Example(
            program='import symdmc\nm = symdmc.Builder("m")\nm.integer("x", 0, 10**9)\n'
            'm.process("P", initial="a").edge("a", "a", do="x = (x + 7919) % 1000000007")\n'
            'symdmc.check(m.build(), error="x == 5", engine="symbolic")\n',
            says="symdmc.errors.UnsupportedFeature: variable 'x' can have 1,000,000,001 values, too many for "
            "decision diagrams; bound it, or use neither the symbolic engine nor heuristics with databases",
        ),
    ),
    Page(
        code=Code.TOO_LARGE_FOR_TABLES,
        summary="A look-up table of a pattern database would be too large.",
        meaning="A search asks a database by a table that has a place for every value between the lowest and the "
        "highest of each variable. Here a variable has values that lie too far apart, or the table as a whole would "
        "have too many places.",
        remedy="Bound the variable, or keep others. A selection, such as pdb:cegar, leaves such variables out.",
        example=Example(
            program='import symdmc\nm = symdmc.Builder("m")\nm.integer("x", -(2**31), 2**31 - 1)\n'
            'm.process("P", initial="a").edge("a", "a", do="x = -2147483648")\n'
            'symdmc.check(m.build(), error="x < 0", heuristic="pdb", pattern="x")\n',
            says="symdmc.errors.UnsupportedFeature: the values of 'x' lie too far apart for a look-up table; bound it, "
            "or leave it out of databases",
        ),
    ),
)
