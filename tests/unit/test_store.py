"""The hash index: what is stored is found again, across all doublings."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from symdmc.kernel.loops.store import FULL, StateStore, find_or_add, hash_words


def _add(store: StateStore, count: int, packed: np.ndarray[tuple[int], np.dtype[np.int64]]) -> int:
    return find_or_add(store, count, packed, 0, hash_words(packed, 0, store.words))


@pytest.mark.parametrize("words", [1, 2, 5])
def test_every_state_keeps_its_number_while_the_index_grows(words: int) -> None:
    random = np.random.default_rng(words)
    states = np.unique(random.integers(0, 1 << 20, size=(150_000, words)), axis=0)
    random.shuffle(states)
    store = StateStore.reserve(words, 1 << 26, least=len(states) + 1)
    for number, packed in enumerate(states):
        if number > FULL * store.index_size:
            store.grow_index()
        assert _add(store, number, packed) == number
    assert store.index_size > 1 << 16
    for number in random.integers(0, len(states), size=5_000).tolist():
        assert _add(store, len(states), states[number]) == number


def test_neighbouring_states_spread_over_the_index() -> None:
    hashes = [hash_words(np.array([k, 0], dtype=np.int64), 0, 2) for k in range(4096)]
    homes = {(value >> 32) & 0xFFFF_F000 for value in hashes}
    assert len(homes) > 4000


def test_a_store_has_at_least_the_room_that_is_asked_for() -> None:
    assert StateStore.reserve(3, 1, least=5000).capacity == 5000


def test_a_store_takes_what_memory_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def empty(count: int, dtype: type) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        asked.append(count)
        if count > 3_000:
            raise MemoryError
        return np.zeros(count, dtype=dtype)

    monkeypatch.setattr(
        "symdmc.kernel.loops.store.np", SimpleNamespace(empty=empty, zeros=np.zeros, int64=np.int64, uint32=np.uint32)
    )
    assert StateStore.reserve(1, 20 * 10_000, least=100).capacity == 2_500
    with pytest.raises(MemoryError):
        StateStore.reserve(1, 20 * 10_000, least=5_000)
    assert asked == [10_000, 5_000, 2_500, 2_500, 10_000, 5_000]
