"""The loops over components of a merged abstraction, compiled: their product, distances in it, and its refinement."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from symdmc.packed.arrays import Int32s, Int64s
from symdmc.packed.jit import compiled, interruptible, making_arrays

UNREACHED = 1 << 30
"""The distance of a state from which no error state can be reached."""


class Steps(NamedTuple):
    """Groups of steps between the states 0, 1, 2, ... of a component."""

    starts: Int32s
    """`starts[group, state]` and `starts[group, state + 1]` are where the successors of a state begin and end."""
    targets: Int32s

    def is_possible(self, group: int) -> bool:
        """Whether the group has a step."""
        return bool(self.starts[group, 0] < self.starts[group, -1])


class Edges(NamedTuple):
    """The edges of a product, in the order of their sources, those of one source in the order of their groups."""

    begins: Int64s
    """Where the edges of each state begin, and the end of the last."""
    groups: Int32s
    targets: Int32s


class Buckets(NamedTuple):
    """The states in buckets: bucket b has the states `members[ends[b]:ends[b + 1]]`."""

    order: Int64s
    """In which the buckets are tried."""
    members: Int64s
    ends: Int64s


@interruptible
@making_arrays
def explore(left: Steps, right: Steps, pairs: NDArray[np.int64], initial: Int64s, most: int) -> tuple[Int64s, Edges]:
    """The part of a product that is reachable from its initial states: the states met, and their edges.

    A row of `pairs` is a way to move: a group of the left component or -1 where it stays, one of the right, and the
    group of the product that the steps belong to. A state of the product is its state on the left times the size on
    the right plus its state on the right. Where there are more than `most` edges, no state is returned.
    """
    width = right.starts.shape[1] - 1
    states = (left.starts.shape[1] - 1) * width
    number = np.full(states, -1, np.int32)
    met = np.empty(states, np.int64)
    count = 0
    for state in initial:
        number[state] = count
        met[count] = state
        count += 1
    begins = np.zeros(states + 1, np.int64)
    groups, targets = np.empty(1024, np.int32), np.empty(1024, np.int32)
    edges = 0
    done = 0
    while done < count:
        here, there = met[done] // width, met[done] % width
        for k in range(pairs.shape[0]):
            one, other = pairs[k, 0], pairs[k, 1]
            first, last = 0, 1
            if one >= 0:
                first, last = left.starts[one, here], left.starts[one, here + 1]
                if first == last:
                    continue
            low, high = 0, 1
            if other >= 0:
                low, high = right.starts[other, there], right.starts[other, there + 1]
            needed = edges + (last - first) * (high - low)
            if needed > most:
                return met[:0], Edges(begins, groups, targets)
            while needed > groups.shape[0]:
                groups = np.concatenate((groups, np.empty(groups.shape[0], np.int32)))
                targets = np.concatenate((targets, np.empty(targets.shape[0], np.int32)))
            for i in range(first, last):
                to_left = left.targets[i] if one >= 0 else here
                for j in range(low, high):
                    to_right = right.targets[j] if other >= 0 else there
                    state = to_left * width + to_right
                    if number[state] < 0:
                        number[state] = count
                        met[count] = state
                        count += 1
                    groups[edges] = pairs[k, 2]
                    targets[edges] = number[state]
                    edges += 1
        done += 1
        begins[done] = edges
    return met[:count], Edges(begins[: count + 1], groups[:edges], targets[:edges])


@interruptible
@making_arrays
def distances(graph: Edges, costs: Int64s, is_error: NDArray[np.bool_]) -> Int64s:
    """The cost of a cheapest path from each state to an error state; UNREACHED where there is none.

    `costs` has the cost of each group.
    """
    begins, targets = graph.begins, graph.targets
    count, edges = begins.shape[0] - 1, targets.shape[0]
    into = np.zeros(count + 1, np.int64)
    for edge in range(edges):
        into[targets[edge] + 1] += 1
    for state in range(count):
        into[state + 1] += into[state]
    filled = into[:count].copy()
    sources, spent = np.empty(edges, np.int32), np.empty(edges, np.int8)
    for state in range(count):
        for edge in range(begins[state], begins[state + 1]):
            place = filled[targets[edge]]
            sources[place], spent[place] = state, costs[graph.groups[edge]]
            filled[targets[edge]] += 1
    found = np.full(count, UNREACHED, np.int64)
    now, later = np.empty(edges + count, np.int32), np.empty(edges + count, np.int32)
    waiting, distance = 0, 0
    for state in range(count):
        if is_error[state]:
            found[state] = 0
            now[waiting] = state
            waiting += 1
    while waiting > 0:
        following = 0
        while waiting > 0:
            waiting -= 1
            state = now[waiting]
            if found[state] != distance:
                continue
            for place in range(into[state], into[state + 1]):
                source = sources[place]
                if found[source] <= distance + spent[place]:
                    continue
                found[source] = distance + spent[place]
                if spent[place] == 0:
                    now[waiting] = source
                    waiting += 1
                else:
                    later[following] = source
                    following += 1
        now, later = later, now
        waiting = following
        distance += 1
    return found


@compiled
def _mixed(number: np.uint64) -> np.uint64:
    """A number that looks random; differing ones for differing arguments."""
    number = (number ^ (number >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    number = (number ^ (number >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return number ^ (number >> np.uint64(31))


@compiled
def _signature(state: int, edges: Edges, classes: Int64s, stamps: Int64s, stamp: int) -> np.uint64:
    """A number for the set of (group, class of the successor) of a state."""
    total = np.uint64(0)
    last = -1
    for edge in range(edges.begins[state], edges.begins[state + 1]):
        own = classes[edges.targets[edge]]
        if own < 0:
            continue
        if edges.groups[edge] != last:
            last = edges.groups[edge]
            stamp += 1
        if stamps[own] != stamp:
            stamps[own] = stamp
            total += _mixed(np.uint64(last) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(own) + np.uint64(1))
    return total


@making_arrays
def refine(edges: Edges, marks: Int64s, buckets: Buckets, classes: Int64s, count: int, bound: int) -> int:
    """Split classes by where their states can go, bucket by bucket, until nothing changes; the number of classes.

    There are `count` classes to begin with. All classes of a bucket are split at once, or none if that would make more
    than `bound`. States with differing marks are split as well. States of class -1 and steps to them do not count.
    """
    stamps = np.zeros(classes.shape[0] + 1, np.int64)
    stamp = 0
    keys = np.empty(classes.shape[0], np.uint64)
    kept = np.zeros(classes.shape[0] + 1, np.int64)
    rounds = 0
    changed = True
    while changed:
        changed = False
        rounds += 1
        for bucket in buckets.order:
            own = buckets.members[buckets.ends[bucket] : buckets.ends[bucket + 1]]
            size = own.shape[0]
            for k in range(size):
                signature = _signature(own[k], edges, classes, stamps, stamp)
                stamp += edges.begins[own[k] + 1] - edges.begins[own[k]]
                about = _mixed(_mixed(np.uint64(marks[own[k]]) + np.uint64(1)) + np.uint64(classes[own[k]]))
                keys[k] = _mixed(signature + np.uint64(3) * about)
            order = np.argsort(keys[:size], kind="mergesort")
            found, old = 0, 0
            rounds += 1
            for k in range(size):
                if k == 0 or keys[order[k]] != keys[order[k - 1]]:
                    found += 1
                if kept[classes[own[k]]] != rounds:
                    kept[classes[own[k]]] = rounds
                    old += 1
            if found == old or count - old + found > bound:
                continue
            rounds += 1
            changed = True
            name = -1
            for k in range(size):
                state = own[order[k]]
                if k == 0 or keys[order[k]] != keys[order[k - 1]]:
                    name = classes[state]
                    if kept[name] == rounds:  # an earlier part of the class has its name already
                        name = count
                        count += 1
                    kept[name] = rounds
                classes[state] = name
    return count
