"""`symdmc certify`: does a certificate hold?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from symdmc.cli.command import Answer, Command
from symdmc.cli.options import FILE, json_option, limit_options, model_argument, question_options, quiet_option
from symdmc.cli.remarks import loaded
from symdmc.reader.load import Spelling
from symdmc.running.run import Run

if TYPE_CHECKING:
    from symdmc.checking.request import Question


@click.command(
    "certify",
    cls=Command,
    short_help="Check a certificate of safety against its model.",
    example="symdmc certify model.dve certificate.json --error 'P.critical and Q.critical'",
)
@model_argument
@click.argument("certificate_file", metavar="CERTIFICATE", type=FILE)
@question_options
@limit_options
@json_option
@quiet_option
def command(*, model: Spelling, certificate_file: Path, question: Question, quiet: bool, run: Run) -> Answer:
    """Check that CERTIFICATE proves MODEL safe, from the model alone.

    A certificate is a set of states. It holds if every initial state is in it, no error state is, and no step leaves
    it; z3 decides that for the part that is written as diagrams, states that are listed are visited.
    Without a question the certificate is held to what it names, as the model defines it. One that does not hold, or is
    about another property than the one asked for, is refused (exit code 40).
    """
    from symdmc.checking.judging import certified_within
    from symdmc.evidence.certificate import read_certificate
    from symdmc.report.certificates import certification_document, print_certified
    from symdmc.report.progress import progress_on_terminal

    system = loaded(model, run, quiet=quiet)
    error = question.condition(system) if question.is_given() else None
    run.begin("reading the certificate")
    certificate = read_certificate(certificate_file, system)
    began = run.seconds
    with progress_on_terminal(run, quiet=quiet):
        certified = certified_within(system, certificate, run, error=error, doing="judging the certificate")
    seconds = run.seconds - began
    return Answer(
        text=lambda console: print_certified(console, certified, seconds, quiet=quiet),
        document=lambda: certification_document(str(model), system, certified, seconds),
    )
