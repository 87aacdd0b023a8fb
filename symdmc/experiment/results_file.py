"""Results as JSON lines, one for each job; a job that has a result is not done again."""

from __future__ import annotations

import fcntl
import json
import os
import stat
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from symdmc import __version__
from symdmc.errors import Code, Complaint, ModelError
from symdmc.experiment.record import SCHEMA, Job, Record, record_from_json, record_to_json
from symdmc.running.run import Limits

BEGIN = f'{{"schema":"{SCHEMA}"'.encode()
"""How every line begins."""
NEWLINE = b"\n"


class Results:
    """The results of an experiment, in memory and, if there is a file, in the file as soon as they are known.

    Of several results of the same job the last one counts. If the last line of the file is cut off, it is removed and
    `mended` is set; any other line that is no result is a ModelError.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.mended = False
        self._records: dict[Job, Record] = {}
        self._file: BinaryIO | None = None
        if path is not None:
            self._file = _opened(path)
            try:
                self._read(path, self._file)
            except BaseException:
                self._file.close()
                raise

    def __enter__(self) -> Results:
        return self

    def __exit__(self, *raised: object) -> None:
        if self._file is not None:
            self._file.close()

    def add(self, record: Record) -> None:
        """Keep a result; once this returns, the file has all of it."""
        self._records[record.job] = record
        if self._file is not None:
            line = json.dumps(record_to_json(record), ensure_ascii=False, separators=(",", ":"))
            self._file.write(f"{line}\n".encode())
            self._file.flush()

    def get(self, job: Job, limits: Limits) -> Record | None:
        """The result of a job, if there is one of this version of symdmc that holds under the limits."""
        record = self._records.get(job)
        usable = record is not None and record.version == __version__ and record.holds_under(limits)
        return record if usable else None

    def missing(self, jobs: Iterable[Job], limits: Limits) -> list[Job]:
        """The jobs that have no result yet, each once."""
        return [job for job in dict.fromkeys(jobs) if self.get(job, limits) is None]

    def _read(self, path: Path, file: BinaryIO) -> None:
        data = file.read()
        whole = data.rfind(b"\n") + 1
        lines = data[:whole].splitlines()
        end = whole
        for number, line in enumerate(lines, 1):
            try:
                record = record_from_json(json.loads(line))
            except ValueError:
                if number < len(lines):
                    raise _no_result(Complaint(Code.NOT_JSON, "is no line of JSON"), f"{path}:{number}") from None
                end = whole - len(line) - 1
            except ModelError as problem:
                raise _no_result(problem.complaints[0], f"{path}:{number}") from None
            else:
                self._records[record.job] = record
        if end < len(data):
            cut_off = data[end : end + len(BEGIN)]
            if not BEGIN.startswith(cut_off):
                where = f"{path}:{data.count(NEWLINE, 0, end) + 1}"
                raise _no_result(Complaint(Code.NOT_JSON, "is no line of JSON"), where)
            os.ftruncate(file.fileno(), end)
            self.mended = True
        file.seek(0, os.SEEK_END)


def _opened(path: Path) -> BinaryIO:
    try:
        file = path.open("a+b", buffering=0)
    except OSError as problem:
        what = f"cannot be written: {problem.strerror or problem}"
        raise ModelError(Complaint(Code.CANNOT_WRITE, what, "choose another file", str(path))) from None
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise ModelError(
            Complaint(Code.NOT_A_FILE, "is a pipe or a device, not a file", "choose another file", str(path))
        )
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        what = "is being written by another run"
        raise ModelError(Complaint(Code.FILE_IN_USE, what, "wait for it, or choose another file", str(path))) from None
    file.seek(0)
    return file


def _no_result(complaint: Complaint, where: str) -> ModelError:
    return ModelError(replace(complaint, remedy="give another file", where=where))
