"""Pages about what is asked, and about options, arguments and spellings."""

from __future__ import annotations

from symdmc.errors.codes import Code
from symdmc.report.complaints.page import Example, Page

SMALL = "arbiter_tree:height=2"

PAGES = (
    Page(
        code=Code.NOTHING_ASKED,
        summary="It is not said which states are error states.",
        meaning="Without a question, the assertions of the model are asked, else its only property. This model has "
        "none of them, or several properties.",
        remedy="Ask with --error EXPRESSION, --property NAME, --deadlock or --assertions; in Python with error=, "
        "property=, deadlock= or assertions=.",
        example=Example(
            files={"model.dve": "process P { state a; init a; }\nsystem async;\n"},
            commands=("symdmc check model.dve",),
            says="error: model model: nothing is asked and the model has no property; ask with --error EXPRESSION "
            "or --deadlock [nothing-asked]",
        ),
    ),
    Page(
        code=Code.UNKNOWN_PROPERTY,
        summary="There is no property of this name.",
        meaning="Neither the model nor the file of properties has a property of this name.",
        remedy="Correct the spelling; `symdmc show MODEL` lists the properties of a model.",
        example=Example(
            commands=(f"symdmc check {SMALL} --property mutx",),
            says="error: model arbiter_tree: there is no property 'mutx'; known: both_granted [unknown-property]",
        ),
    ),
    Page(
        code=Code.NO_ASSERTIONS,
        summary="The assertions are asked, and the model has none.",
        meaning="An assertion is a condition that must hold while a process is at a location: `assert` in DVE.",
        remedy="Ask something else, or add assertions to the model.",
        example=Example(
            commands=(f"symdmc check {SMALL} --assertions",),
            says="error: model arbiter_tree: the model has no assertions; ask with --error EXPRESSION or "
            "--deadlock [no-assertions]",
        ),
    ),
    Page(
        code=Code.MISPLACED_QUESTION_WORD,
        summary="The word 'deadlock' or 'fault' stands where it cannot stand in a question.",
        meaning="These words are no values. 'deadlock' is joined to other conditions by 'and' and 'or', 'fault' by "
        "'or' only; neither is negated or compared.",
        remedy="Ask 'deadlock and CONDITION', or ask for the fault alone.",
        example=Example(
            commands=(f"symdmc check {SMALL} --error 'not deadlock'",),
            says="error: <error>: 'deadlock' is negated or compared; join it to other conditions with 'and' and "
            "'or' [misplaced-question-word]",
        ),
    ),
    Page(
        code=Code.QUESTION_FIXED,
        summary="A question is asked about a Task, which has one already.",
        meaning="A Task is a system compiled for one question, in Python.",
        remedy="Give the System, or its name, to ask something else.",
        example=Example(
            program=f'import symdmc\nsymdmc.check(symdmc.task_for("{SMALL}"), deadlock=True)\n',
            says="symdmc.errors.ModelError: the task has its question already; give the System to ask another one",
        ),
    ),
    Page(
        code=Code.UNKNOWN_COMMAND,
        summary="There is no command of this name.",
        meaning="The first word behind symdmc is a command; a group of commands such as patterndb has a second word.",
        remedy="Correct the spelling; `symdmc --help` lists the commands.",
        example=Example(
            commands=("symdmc chek hanoi",),
            says="error: there is no command 'chek'; did you mean 'check'?; see symdmc --help [unknown-command]",
        ),
    ),
    Page(
        code=Code.UNKNOWN_OPTION,
        summary="The command has no option of this name.",
        meaning="Options belong to commands: what `symdmc check` knows, `symdmc show` need not know.",
        remedy="Correct the spelling; `symdmc COMMAND --help` lists the options, for check `--help-all` all of them.",
        example=Example(
            commands=("symdmc show hanoi --xyz",),
            says="error: No such option '--xyz'; see symdmc show --help [unknown-option]",
        ),
    ),
    Page(
        code=Code.UNEXPECTED_ARGUMENT,
        summary="There are more words on the command line than the command takes.",
        meaning="Often an expression with blanks stands without quotes, so that the shell makes several words of it.",
        remedy="Put quotes around texts with blanks: --error 'x == 3'.",
        example=Example(
            commands=("symdmc check hanoi --error x == 3",),
            says="error: Got unexpected extra arguments (== 3); see symdmc check --help [unexpected-argument]",
        ),
    ),
    Page(
        code=Code.MISSING_ARGUMENT,
        summary="Something is left out that must be given.",
        meaning="A command, a family or a heuristic needs an argument that has no default.",
        remedy="Give what the message names; the help of the command, `symdmc families NAME` and `symdmc "
        "heuristics NAME` say what it may be.",
        example=Example(
            commands=("symdmc check",),
            says="error: Missing argument 'MODEL'; see symdmc check --help [missing-argument]",
        ),
    ),
    Page(
        code=Code.UNKNOWN_OPTION_VALUE,
        summary="An option has a value that is not among those it can have.",
        meaning="The option takes one of a few words, which the message lists, or of which it proposes the most "
        "similar one.",
        remedy="Choose one of them.",
        example=Example(
            commands=(f"symdmc check {SMALL} --engine symbolik",),
            says="error: Invalid value for '--engine': 'symbolik' is not one of 'explicit', 'symbolic'; see symdmc "
            "check --help [unknown-option-value]",
        ),
    ),
    Page(
        code=Code.WRONG_OPTION_VALUE,
        summary="The value of an option cannot be read, or is out of range.",
        meaning="For instance a text stands where a number is wanted, or a number is negative.",
        remedy="Give a value as the message and the help of the command describe it.",
        example=Example(
            commands=(f"symdmc check {SMALL} --time-limit soon",),
            says="error: Invalid value for '--time-limit': 'soon' is not a valid float range; see symdmc check "
            "--help [wrong-option-value]",
        ),
    ),
    Page(
        code=Code.OPTION_WITHOUT_EFFECT,
        summary="An option is given that would change nothing.",
        meaning="The option belongs to another engine, search or heuristic than the one that is used, or to another "
        "option that is not given. It is refused, so that nobody believes that it did something.",
        remedy="Leave it out, or choose what it is for.",
        example=Example(
            commands=(f"symdmc check {SMALL} --order force",),
            says="error: --order is for --engine symbolic; leave it out; see symdmc check --help "
            "[option-without-effect]",
        ),
    ),
    Page(
        code=Code.NEEDS_ANOTHER_OPTION,
        summary="An option needs another one beside it.",
        meaning="What is chosen cannot work alone: a search such as astar needs a heuristic, a pattern database "
        "without a selection needs a pattern.",
        remedy="Give the other option too, as the message proposes.",
        example=Example(
            commands=(f"symdmc check {SMALL} --search astar",),
            says="error: --search astar needs a heuristic; give one, such as --heuristic pdb:cegar; see symdmc "
            "check --help [needs-another-option]",
        ),
    ),
    Page(
        code=Code.OPTIONS_CONFLICT,
        summary="Two options exclude each other.",
        meaning="Each of them is right alone, but there is no run that does both.",
        remedy="Leave one of them out.",
        example=Example(
            commands=(f"symdmc check {SMALL} --search bfs --heuristic hL",),
            says="error: --search bfs takes no heuristic; leave one of them out; see symdmc check --help "
            "[options-conflict]",
        ),
    ),
    Page(
        code=Code.GIVEN_TWICE,
        summary="Something is given twice.",
        meaning="A parameter, an option inside of a spelling, a value or a predicate stands twice, also in other "
        "words; it is not clear whether that is meant.",
        remedy="Give it once.",
        example=Example(
            commands=(f"symdmc check {SMALL} -p height=3",),
            says="error: arbiter_tree:height=2: parameter 'height' is given twice; give it once [given-twice]",
        ),
    ),
    Page(
        code=Code.NOTHING_CHOSEN,
        summary="A list of names is empty.",
        meaning="Processes or variables are to be chosen, and none is.",
        remedy="Name some, separated by commas: 'P,x'. A '*' stands for all.",
        example=Example(
            commands=(f"symdmc patterndb build {SMALL} --pattern , -o tree.pdb",),
            says="error: the pattern ',' is empty; name processes or variables [nothing-chosen]",
        ),
    ),
    Page(
        code=Code.UNKNOWN_PARAMETER,
        summary="A model, heuristic or search has no parameter of this name.",
        meaning="Families, Python files, heuristics and searches each have their own parameters; files in DVE and JSON "
        "have none.",
        remedy="Correct the spelling; `symdmc families NAME` and `symdmc heuristics NAME` list the parameters.",
        example=Example(
            commands=("symdmc check arbiter_tree:heigth=2",),
            says="error: arbiter_tree: there is no parameter 'heigth'; did you mean 'height'? [unknown-parameter]",
        ),
    ),
    Page(
        code=Code.WRONG_PARAMETER,
        summary="A parameter has a value that it cannot have.",
        meaning="The value cannot be read, is out of range, or does not fit the other parameters.",
        remedy="Give a value as the message describes it.",
        example=Example(
            commands=("symdmc check arbiter_tree:height=many",),
            says="error: arbiter_tree: parameter height=many is no integer; give an integer from 2 to 10 "
            "[wrong-parameter]",
        ),
    ),
    Page(
        code=Code.UNKNOWN_COMPONENT,
        summary="There is no heuristic, selection or search of this name.",
        meaning="Heuristics, selections and searches are known by their names: pdb:cegar is the heuristic pdb with the "
        "selection cegar.",
        remedy="Correct the spelling; `symdmc heuristics` lists all of them.",
        example=Example(
            commands=(f"symdmc check {SMALL} --heuristic pbd:cegar",),
            says="error: Invalid value for '--heuristic': there is no heuristic 'pbd'; did you mean 'pdb'?; see "
            "symdmc check --help [unknown-component]",
        ),
    ),
    Page(
        code=Code.WRONG_SPELLING,
        summary="A heuristic, search, model or configuration is not spelled as it must be.",
        meaning="The form is NAME:ARGUMENT,key=value,key=value; the argument and the options may be left out. A "
        "configuration of `symdmc compare` joins a search and heuristics by '+'.",
        remedy="Write it in this form; mind commas, colons and equals signs.",
        example=Example(
            commands=(f"symdmc check {SMALL} --heuristic pdb:cegar,fast",),
            says="error: Invalid value for '--heuristic': pdb:cegar,fast: 'fast' is no option; write it like "
            "key=value; see symdmc check --help [wrong-spelling]",
        ),
    ),
    Page(
        code=Code.WRONG_ARGUMENT,
        summary="A function of Python was called with a value of another type than it takes.",
        meaning="The message names the argument, shows the value, and says what is wanted.",
        remedy="Give such a value; docs/python.md has examples of the calls.",
        example=Example(
            program=f'import symdmc\nsymdmc.check("{SMALL}", time_limit="soon")\n',
            says="symdmc.errors.ModelError: the argument time_limit is 'soon'; give seconds as a number that is "
            "not negative, or None",
        ),
    ),
    Page(
        code=Code.WRONG_ESTIMATE,
        summary="A heuristic of your own returned something that is no estimate.",
        meaning="An estimate is an integer that is not negative, or None for a dead end: a state from which no error "
        "state can be reached.",
        remedy="Return such a value for every state; the message shows the state.",
        example=Example(
            program=f'import symdmc\nsymdmc.check("{SMALL}", search="astar", heuristic=lambda state: 0.5)\n',
            says="symdmc.errors.ModelError: what the heuristic '<lambda>' says for the state Root=idle, "
            "Node1=idle, Node2=idle, Node3=idle, Client0=idle, Client1=idle, ... is 0.5; give an integer that is "
            "not negative, or None for a dead end",
        ),
    ),
    Page(
        code=Code.WRONG_RANGE,
        summary="A range or list of values in a configuration cannot be read.",
        meaning="`symdmc compare` takes configurations apart at ranges such as 10..200/10 (from 10 to 200 in steps of "
        "10) and at lists such as 2/4/6; one of them in a configuration.",
        remedy="Write it in one of these forms.",
        example=Example(
            commands=("symdmc compare 'hanoi:disks=3..x' --config bfs",),
            says="error: hanoi:disks=3..x: '3..x' is no range; write LOW..HIGH or LOW..HIGH/STEP, such as 2..6, "
            "C1..C9 or 10..200/10 [wrong-range]",
        ),
    ),
    Page(
        code=Code.TOO_MANY_INSTANCES,
        summary="The ranges of a model stand for too many instances.",
        meaning="`symdmc compare` runs every configuration on every instance. Several ranges are combined in every "
        "way.",
        remedy="Make the ranges smaller, or give a step: 1..100/10.",
        example=Example(
            commands=("symdmc compare hanoi:disks=1..1000000 --config bfs",),
            says="error: hanoi:disks=1..1000000: this stands for 1,000,000 instances; ask for at most 10,000 "
            "[too-many-instances]",
        ),
    ),
    Page(
        code=Code.TOO_MANY_STATES,
        summary="A model has too many states for its estimates to be compared with all distances.",
        meaning="`symdmc compare --accuracy` visits every reachable state, up to a bound. The table says so in the "
        "place of the numbers.",
        remedy="Allow more states with --states, or use a smaller instance.",
    ),
    Page(
        code=Code.FIGURE_DOES_NOT_FIT,
        summary="A figure cannot show this experiment.",
        meaning="Each figure of `symdmc compare` shows something else: one model over a range of configurations, two "
        "configurations against each other, or estimates, for which there must be heuristics.",
        remedy="Name models and configurations as the message says, or choose another figure.",
        example=Example(
            commands=("symdmc compare hanoi --config bfs --figure scatter=figure.svg",),
            says="error: the figure scatter shows two configurations, not 1; name two [figure-does-not-fit]",
        ),
    ),
)
