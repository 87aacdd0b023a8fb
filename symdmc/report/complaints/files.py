"""Pages about files: reading and writing them, and what JSON and TOML must be like."""

from __future__ import annotations

from symdmc.errors.codes import Code
from symdmc.report.complaints.page import Example, Page

LAMP = """\
process Lamp {
  state off, on;
  init off;
  trans off -> on {}, on -> off {};
}
system async;
"""
SMALL_JSON = """\
{"schema": "symdmc-model/1", "name": "small", "processes": []}
"""

PAGES = (
    Page(
        code=Code.NO_SUCH_FILE,
        summary="A file is named that is not there.",
        meaning="A path looks like that of a file, because of its ending or because only a file can stand there, but "
        "nothing is at that path. A relative path is looked up in the folder that symdmc was started in.",
        remedy="Check the spelling and the folder. A file beside it with a similar name is proposed.",
        example=Example(
            files={"lamp.dve": LAMP},
            commands=("symdmc show lmap.dve",),
            says="error: lmap.dve: there is no such file; did you mean 'lamp.dve'? [no-such-file]",
        ),
    ),
    Page(
        code=Code.CANNOT_READ,
        summary="A file is there, but it cannot be read.",
        meaning="The operating system refuses to open or to read the file; its reason stands in the message. Often the "
        "permission is missing, or the path is a link that leads back to itself.",
        remedy="Give yourself the permission to read the file (chmod u+r FILE), or name another one.",
    ),
    Page(
        code=Code.NOT_A_FILE,
        summary="A folder, a pipe or a device is named where a file is wanted.",
        meaning="Only ordinary files are read and written at this place. A pipe is read only where its name says so: "
        "/dev/stdin, or /dev/fd/N.",
        remedy="Name a file inside of the folder, or write the output of the other program to a file first.",
        example=Example(
            files={"models/lamp.dve": LAMP},
            commands=("symdmc show models",),
            says="error: models: is a directory; give a file that ends in .dve or .json or .py [not-a-file]",
        ),
    ),
    Page(
        code=Code.NOT_TEXT,
        summary="A file with text is wanted, and this one has other bytes.",
        meaning="The file has zero bytes, or is in an encoding that cannot be read, so it is no model, question or "
        "evidence: perhaps it is an archive, a picture or a program.",
        remedy="Name the text file. Unpack an archive first.",
        example=Example(
            program='import symdmc\nopen("lamp.dve", "wb").write(bytes(100))\nsymdmc.load("lamp.dve")\n',
            says="symdmc.errors.ModelError: lamp.dve: is not a text file; give a DVE model",
        ),
    ),
    Page(
        code=Code.EMPTY_FILE,
        summary="A file has nothing in it, or nothing but comments and blanks.",
        meaning="A model, a file of properties and a file of predicates must each have something in them. An empty "
        "file often comes from a program that failed while it wrote the file.",
        remedy="Look how the file was made, and write it again.",
        example=Example(
            files={"lamp.dve": ""},
            commands=("symdmc show lamp.dve",),
            says="error: lamp.dve: is empty; give a DVE model [empty-file]",
        ),
    ),
    Page(
        code=Code.FILE_TOO_LARGE,
        summary="A file is larger than 256 MB.",
        meaning="Files are read into memory as a whole, so their size has a bound.",
        remedy="Give a smaller file. A certificate becomes smaller when a smaller abstraction proves the same.",
    ),
    Page(
        code=Code.FILE_IN_USE,
        summary="Another process writes the file at this moment.",
        meaning="The file changed while it was read, or another run of `symdmc compare` writes its results to it.",
        remedy="Wait until the other process has ended, or choose another file.",
    ),
    Page(
        code=Code.WRONG_SUFFIX,
        summary="The name of a file has an ending that does not fit.",
        meaning="The ending says what is in a file. Models end in .dve, .json or .py; of what is drawn or "
        "listed, the option says which endings there are.",
        remedy="Rename the file, or choose a name with one of the endings that are listed.",
        example=Example(
            files={"lamp.txt": LAMP},
            commands=("symdmc show lamp.txt",),
            says="error: lamp.txt: is no kind of model known here; models end in .dve, .json or .py [wrong-suffix]",
        ),
    ),
    Page(
        code=Code.CANNOT_WRITE,
        summary="A file cannot be written.",
        meaning="The folder is not there, the permission is missing, the disk is full, or the path names a folder. "
        "Files that a command is to write are tried before the work begins, so that no long search is lost.",
        remedy="Make the folder, or choose another file.",
        example=Example(
            files={"lamp.dve": LAMP},
            commands=("symdmc check lamp.dve --deadlock --trace out/trace.json",),
            says="error: out/trace.json: cannot be written: No such file or directory; choose another file "
            "[cannot-write]",
        ),
    ),
    Page(
        code=Code.WOULD_OVERWRITE,
        summary="An output has the same file as another output or as an input.",
        meaning="A command never writes a file that it reads, and never writes two things to one file.",
        remedy="Choose another file for one of them.",
        example=Example(
            files={"lamp.dve": LAMP},
            commands=("symdmc check lamp.dve --deadlock --trace lamp.dve",),
            says="error: --trace would overwrite the model, lamp.dve: choose another file; see symdmc check --help "
            "[would-overwrite]",
        ),
    ),
    Page(
        code=Code.SYSTEM_ERROR,
        summary="The operating system reports an error.",
        meaning="Reading or writing failed in the middle of the work: the disk became full, a connection broke, or a "
        "file was removed. The reason of the operating system stands in the message.",
        remedy="Remove the reason, and run the command again.",
    ),
    Page(
        code=Code.NOT_JSON,
        summary="A file is wanted in JSON, and its text is no JSON.",
        meaning="The message has the line and the column at which the text stops being JSON. Frequent reasons are "
        "a comma behind the last member, single quotes, comments, and a file that was cut off.",
        remedy="Mend the text at that place; `python -m json.tool FILE` finds it too.",
        example=Example(
            files={"small.json": '{"schema": "symdmc-model/1",}\n'},
            commands=("symdmc show small.json",),
            says="error: small.json:1:29: is not JSON: Expecting property name enclosed in double quotes; mend the "
            "syntax [not-json]",
        ),
    ),
    Page(
        code=Code.NOT_TOML,
        summary="A suite of experiments is wanted in TOML, and its text is no TOML.",
        meaning="`symdmc compare` reads TOML. The message has the line and the column at which the text stops "
        "being TOML.",
        remedy="Mend the text at that place: texts stand in quotes, lists in square brackets.",
        example=Example(
            files={"suite.toml": "models = arbiter_tree\n"},
            commands=("symdmc compare suite.toml",),
            says="error: suite.toml: is no TOML: Invalid value (at line 1, column 10); correct the file [not-toml]",
        ),
    ),
    Page(
        code=Code.DUPLICATE_KEY,
        summary="A key stands twice in one object.",
        meaning="JSON allows it, but then it is not clear which of the two values counts.",
        remedy="Remove one of the two.",
        example=Example(
            files={"small.json": '{"schema": "symdmc-model/1", "name": "a", "name": "b"}\n'},
            commands=("symdmc show small.json",),
            says="error: small.json: an object has the key 'name' twice; remove one [duplicate-key]",
        ),
    ),
    Page(
        code=Code.MISSING_KEY,
        summary="A key that must be there is missing.",
        meaning="The message names the key and the place of the object, as in $.processes[0]: the first element of the "
        "list under the key 'processes'.",
        remedy="Add the key; docs/formats/ and the schemas say what stands under it.",
        example=Example(
            files={"small.json": '{"schema": "symdmc-model/1", "name": "small"}\n'},
            commands=("symdmc show small.json",),
            says="error: small.json: $: key 'processes' is missing; add it [missing-key]",
        ),
    ),
    Page(
        code=Code.UNKNOWN_KEY,
        summary="A key stands where it means nothing.",
        meaning="Unknown keys are not passed over: a mistyped one would be missing without anybody noticing it.",
        remedy="Correct the spelling, or remove the key.",
        example=Example(
            files={"suite.toml": 'modles = ["hanoi"]\nconfigs = ["bfs"]\n'},
            commands=("symdmc compare suite.toml",),
            says="error: suite.toml: there is no key 'modles'; did you mean 'models'? [unknown-key]",
        ),
    ),
    Page(
        code=Code.WRONG_TYPE,
        summary="A value of another type stands in a file than is wanted there.",
        meaning="For instance a text stands where a number must stand, or one value where a list must stand.",
        remedy="Change the value to what the message asks for; docs/formats/ says what every key holds.",
        example=Example(
            files={"small.json": SMALL_JSON.replace("[]", "3")},
            commands=("symdmc show small.json",),
            says="error: small.json: $.processes: 3 stands where a list is expected; change it [wrong-type]",
        ),
    ),
    Page(
        code=Code.WRONG_SCHEMA,
        summary="A file is of another kind, or of another version, than is wanted.",
        meaning="The key 'schema' says what a JSON file is: symdmc-model/1, symdmc-trace/1, symdmc-certificate/1 "
        "and so on. This file says something else, or nothing.",
        remedy="Give the right file: perhaps two arguments are exchanged. A file of another version of symdmc must be "
        "written again.",
        example=Example(
            files={"small.json": '{"schema": "symdmc-trace/1"}\n'},
            commands=("symdmc show small.json",),
            says="error: small.json: $: the key 'schema' says \"symdmc-trace/1\"; this version of symdmc reads "
            "'symdmc-model/1' here [wrong-schema]",
        ),
    ),
    Page(
        code=Code.NUMBER_TOO_LONG,
        summary="A number has thousands of digits.",
        meaning="All values fit into 32 bits. To read a number of thousands of digits takes long, so it is refused.",
        remedy="Look how the file was made; a number of the model fits into 32 bits.",
        example=Example(
            program='import symdmc\nopen("small.json", "w").write("[" + 5000 * "7" + "]")\nsymdmc.load("small.json")\n',
            says="symdmc.errors.ModelError: small.json: has a number of 5,000 digits; use at most 1,000",
        ),
    ),
    Page(
        code=Code.NESTED_TOO_DEEPLY,
        summary="Brackets, lists or expressions are nested in too many levels.",
        meaning="What is nested without bound cannot be read in bounded memory. No text that a person writes comes "
        "near the bounds; texts that programs write may.",
        remedy="Split an expression into several, or store parts of it in variables.",
        example=Example(
            program='import symdmc\nsymdmc.check("arbiter_tree:height=2", error=1000 * "(" + "1" + 1000 * ")")\n',
            says="symdmc.errors.ModelError: <error>:1:201: brackets are nested more than 200 levels deep; use fewer",
        ),
    ),
)
