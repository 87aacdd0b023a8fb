"""Whether garbage is collected is as before, however the making of many objects ends."""

from __future__ import annotations

import gc

import pytest

from symdmc.running.collecting import nothing_collected


def test_the_collector_is_left_as_it_was() -> None:
    assert gc.isenabled()
    with nothing_collected():
        assert not gc.isenabled()
        with nothing_collected():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(ValueError, match="stop"), nothing_collected():
        raise ValueError("stop")
    assert gc.isenabled()
