"""Pages about evidence: traces, certificates, pattern databases and results that were written to files."""

from __future__ import annotations

from symdmc.errors.codes import Code
from symdmc.report.complaints.page import Example, Page

MODEL = {
    "lamp.dve": """\
process Lamp {
  state off, on;
  init off;
  trans off -> on {}, on -> off {};
}
system async;
"""
}
TRACE = "symdmc check lamp.dve --error Lamp.on --trace trace.json"


def _program(*lines: str) -> str:
    return "\n".join(("import symdmc", 'lamp = symdmc.load("lamp.dve")', *lines, ""))


REPLACE = "from dataclasses import replace"
PROOF = "proof = symdmc.check(lamp, deadlock=True, certify=True).certificate"
FOUND = 'trace = symdmc.check(lamp, error="Lamp.on").trace'

PAGES = (
    Page(
        code=Code.OTHER_MODEL,
        summary="A trace, certificate, database or result was made for another model.",
        meaning="Evidence has the fingerprint of its model: of all that the model means, but not of comments and "
        "places in files. The fingerprints differ, so the model was changed, or has other parameters. A pattern "
        "database belongs to an error condition too.",
        remedy="Give the model that the evidence was made for, with the same parameters, or make the evidence again.",
        example=Example(
            files=MODEL,
            commands=(TRACE, "symdmc replay arbiter_tree:height=2 trace.json"),
            says="error: trace.json: the trace belongs to another model: its fingerprint is "
            "cbabf734f9fefff6827b7ca546e648cf, that of 'arbiter_tree' is 7a4a73d2f386819fb1cbdfa8635c76e1 "
            "[other-model]",
        ),
    ),
    Page(
        code=Code.OTHER_QUESTION,
        summary="A certificate is about other error states than those that are asked for.",
        meaning="A certificate proves that some states are never reached. That says nothing about others. Its name for "
        "them does not count, only what it says about them.",
        remedy="Ask the question that was proved, or let `symdmc check --certificate` prove this one.",
        example=Example(
            files=MODEL,
            commands=(
                "symdmc check lamp.dve --deadlock --certificate proof.json",
                "symdmc certify lamp.dve proof.json --error Lamp.on",
            ),
            says="error: the certificate is about other error states: no step exists; asked is: Lamp.on "
            "[other-question]",
        ),
    ),
    Page(
        code=Code.TRACE_MALFORMED,
        summary="A part of a trace does not have the form that the model gives it.",
        meaning="A cell of an array has no value, a step has no edge, or a state lacks a variable.",
        remedy="Write the trace again with --trace, or complete what was written by hand; "
        "docs/formats/traces.md has the form.",
        example=Example(
            files={**MODEL, "trace.itf.json": '{"vars": ["Lamp"], "states": []}\n'},
            commands=("symdmc replay lamp.dve trace.itf.json",),
            says="error: trace.itf.json: $.states: a trace needs a state; give the first one [trace-malformed]",
        ),
    ),
    Page(
        code=Code.TRACE_HAS_LOOP,
        summary="A trace in ITF goes on in a loop.",
        meaning="Other model checkers write traces that never end, as a beginning and a loop. symdmc looks for states "
        "that can be reached, and reads traces with an end.",
        remedy="Remove the key 'loop' to replay the way to the last state that is written.",
        example=Example(
            files={**MODEL, "trace.itf.json": '{"vars": ["Lamp"], "states": [{"Lamp": "off"}], "loop": 0}\n'},
            commands=("symdmc replay lamp.dve trace.itf.json",),
            says="error: trace.itf.json: $.loop: the trace goes on in a loop, which is not read; remove 'loop' to "
            "replay the way to its end [trace-has-loop]",
        ),
    ),
    Page(
        code=Code.TRACE_TOO_VAGUE,
        summary="Too many paths fit the values that a trace gives.",
        meaning="A trace in ITF may give the values of some variables only; symdmc looks for a path that has them. "
        "Here more than 100,000 states would have to be looked at.",
        remedy="Give the values of more variables.",
    ),
    Page(
        code=Code.TRACE_CONTRADICTS_ITSELF,
        summary="A trace says something else than what follows from its steps.",
        meaning="Labels, passed values and lengths are written into a trace for people to read. They are computed "
        "again from the edges of the steps, and one of them differs: the file was changed.",
        remedy="Write the trace again with --trace.",
        example=Example(
            files=MODEL,
            program=_program(
                "import json",
                f"{FOUND}",
                'trace.write("trace.json")',
                'text = open("trace.json").read().replace(\'"length": 1\', \'"length": 7\')',
                'open("trace.json", "w").write(text)',
                'symdmc.read_trace("trace.json", lamp)',
            ),
            says="symdmc.errors.EvidenceRefused: trace.json: $.length is 7, but 1 follows from the steps",
        ),
    ),
    Page(
        code=Code.TRACE_CLAIMS_NOTHING,
        summary="A trace does not say which error it leads to.",
        meaning="To shorten a trace, or to read it as a result, symdmc must know what its last state is to satisfy.",
        remedy="Ask with --error or --property; in Python with error= or property=.",
        example=Example(
            files={**MODEL, "trace.itf.json": '{"vars": ["Lamp"], "states": [{"Lamp": "off"}, {"Lamp": "on"}]}\n'},
            commands=("symdmc check lamp.dve --shorten trace.itf.json",),
            says="error: trace.itf.json: the trace does not say what its last state is; ask with --error or "
            "--property [trace-claims-nothing]",
        ),
    ),
    Page(
        code=Code.TRACE_STARTS_ELSEWHERE,
        summary="A trace does not begin in an initial state.",
        meaning="Its first state has a location or a value that nothing starts with, or that an invariant excludes.",
        remedy="If the trace was written by hand, begin with an initial state; else write it again.",
        example=Example(
            files={**MODEL, "trace.itf.json": '{"vars": ["Lamp"], "states": [{"Lamp": "on"}]}\n'},
            commands=("symdmc replay lamp.dve trace.itf.json",),
            says="error: trace.itf.json: $.states[0]: no initial state is like this: Lamp does not start at on "
            "[trace-starts-elsewhere]",
        ),
    ),
    Page(
        code=Code.TRACE_DOES_NOT_REPLAY,
        summary="A step of a trace is no step of the model.",
        meaning="From the state before it, these edges cannot be taken together, or they lead to another state "
        "than the trace says. A guard does not hold, a process is elsewhere, or a partner is missing.",
        remedy="If the trace was written by hand, mend the step that the message names. If symdmc wrote it for this "
        "model, that is a bug: please report it.",
        example=Example(
            files={**MODEL, "trace.itf.json": '{"vars": ["Lamp"], "states": [{"Lamp": "off"}, {"Lamp": "off"}]}\n'},
            commands=("symdmc replay lamp.dve trace.itf.json",),
            says="error: trace.itf.json: $.states[1]: no step leads here from the state before; 'Lamp: off -> on' "
            "comes nearest, but Lamp is on after it, not off [trace-does-not-replay]",
        ),
    ),
    Page(
        code=Code.TRACE_ENDS_ELSEWHERE,
        summary="A trace is a path of the model, but its last state is no error state.",
        meaning="Every step can be taken, but the condition that is asked does not hold at the end.",
        remedy="Ask for the condition that the trace was made for; without a question, only the steps are checked.",
        example=Example(
            files=MODEL,
            commands=(TRACE, "symdmc replay lamp.dve trace.json --deadlock"),
            says="error: the last state (after step 1) is no error state of 'deadlock' [trace-ends-elsewhere]",
        ),
    ),
    Page(
        code=Code.CERTIFICATE_DAMAGED,
        summary="A certificate does not have the form of one.",
        meaning="A diagram leads to a node that is not there, a state lacks a number, or names are not those of the "
        "model in their order. Nothing is said about whether the model is safe.",
        remedy="Write the certificate again with `symdmc check --certificate`.",
        example=Example(
            files=MODEL,
            program=_program(
                PROOF,
                'proof.write("proof.json")',
                'text = open("proof.json").read().replace(\'"root":1\', \'"root":9\').replace("[0]", "[7]")',
                'open("proof.json", "w").write(text)',
                'symdmc.read_certificate("proof.json", lamp)',
            ),
            says="symdmc.errors.ModelError: proof.json: $.states.rows: row 0 has 7 for the location of Lamp, "
            "outside 0..1; give a location or value for every process, variable and cell",
        ),
    ),
    Page(
        code=Code.CERTIFICATE_MISSES_START,
        summary="A certificate fails: an initial state is not in its set.",
        meaning="A proof is a set of states that has every initial state, has no error state, and is left by no "
        "step. The message shows an initial state that is missing.",
        remedy="The certificate proves nothing. Write it again; if symdmc wrote it for this model, report the bug.",
        example=Example(
            files=MODEL,
            program=_program(REPLACE, PROOF, "symdmc.certify(lamp, replace(proof, states=proof.states[1:]))"),
            says="symdmc.errors.EvidenceRefused: it does not hold that every initial state is in the set: this one "
            "is not: Lamp = off",
        ),
    ),
    Page(
        code=Code.CERTIFICATE_HAS_ERROR,
        summary="A certificate fails: an error state is in its set.",
        meaning="A proof is a set of states that has every initial state, has no error state, and is left by no "
        "step. The message shows an error state that is in it.",
        remedy="The certificate proves nothing. Write it again; if symdmc wrote it for this model, report the bug.",
        example=Example(
            files=MODEL,
            program=_program(
                REPLACE,
                PROOF,
                'asked = symdmc.task_for(lamp, error="Lamp.on").error',
                "symdmc.certify(lamp, replace(proof, property=asked.name, error=asked))",
            ),
            says="symdmc.errors.EvidenceRefused: it does not hold that no state of the set is an error state: this "
            "one is (Lamp.on): Lamp = on",
        ),
    ),
    Page(
        code=Code.CERTIFICATE_NOT_INDUCTIVE,
        summary="A certificate fails: a step leads out of its set.",
        meaning="A proof is a set of states that has every initial state, has no error state, and is left by no "
        "step. The message shows a state in it, and a step to a state outside.",
        remedy="The certificate proves nothing. Write it again; if symdmc wrote it for this model, report the bug.",
        example=Example(
            files=MODEL,
            program=_program(REPLACE, PROOF, "symdmc.certify(lamp, replace(proof, states=proof.states[:1]))"),
            says="symdmc.errors.EvidenceRefused: it does not hold that every step from the set stays in it: this "
            "one does not: Lamp: off -> on (Lamp: off -> on) from Lamp = off",
        ),
    ),
    Page(
        code=Code.CERTIFICATE_UNDECIDED,
        summary="The solver could not decide whether a certificate holds.",
        meaning="The solver, z3, gave up on a question about the certificate. So the certificate is neither "
        "refuted nor confirmed.",
        remedy="Allow more time or memory, or prove the same with another heuristic.",
    ),
    Page(
        code=Code.DATABASE_DAMAGED,
        summary="A file with a pattern database is not as it was written.",
        meaning="Its digest is not that of its content, or its parts do not fit together.",
        remedy="Build it again with `symdmc patterndb build`.",
        example=Example(
            files=MODEL,
            program=_program(
                'symdmc.pattern_database(lamp, keep="Lamp", error="Lamp.on").write("lamp.pdb")',
                'text = open("lamp.pdb").read().replace(\'"h_initial": 1\', \'"h_initial": 2\')',
                'open("lamp.pdb", "w").write(text)',
                'symdmc.read_database("lamp.pdb", lamp, error="Lamp.on")',
            ),
            says="symdmc.errors.ModelError: lamp.pdb: is damaged: its digest is not that of its content; build it "
            "again with pattern_database(...)",
        ),
    ),
    Page(
        code=Code.DATABASE_NOT_TRUE,
        summary="A pattern database from a file says what is not true.",
        meaning="A search used the database, and what rests on it was checked: an estimate is too large, a dead end is "
        "none, or a state was reached that cannot be reached according to the file. The file was changed, or made by "
        "something else than symdmc.",
        remedy="Build it again with `symdmc patterndb build`.",
    ),
    Page(
        code=Code.RESULT_DAMAGED,
        summary="A file with results says things that do not fit together.",
        meaning="A verdict and its trace contradict each other, a count is negative, or a line of `symdmc compare "
        "--results` is no result.",
        remedy="Run the check again and write a new file.",
        example=Example(
            files=MODEL,
            program=_program(
                'symdmc.check(lamp, error="Lamp.on").write("result.json")',
                'text = open("result.json").read().replace(\'"explored": \', \'"explored": -\')',
                'open("result.json", "w").write(text)',
                'symdmc.read_result("result.json", lamp)',
            ),
            says="symdmc.errors.ModelError: result.json: $.explored: -1 is negative; change it",
        ),
    ),
)
