"""Where the real models are that some tests use; those tests are skipped, saying so, where the folder is missing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[1]
BENCHMARKS = Path(os.environ.get("SYMDMC_BENCHMARKS", CHECKOUT.parent / "shared" / "benchmarks"))

requires_benchmarks = pytest.mark.skipif(
    not (BENCHMARKS / "beem" / "models").is_dir(),
    reason=f"no benchmarks at {BENCHMARKS}; set SYMDMC_BENCHMARKS to the folder that has them",
)


def beem_models() -> list[Path]:
    """All BEEM models at hand, by name."""
    return sorted((BENCHMARKS / "beem" / "models").glob("*.dve"))


def beem_model(name: str) -> Path:
    """The file of one BEEM model, such as `needham.1`."""
    return BENCHMARKS / "beem" / "models" / f"{name}.dve"
