# SPDX-License-Identifier: Apache-2.0
"""Device ops by name, from a .scope folder and from torch.profiler, and how two such lists differ.

A list is {name: (count, mean ns)}. The kind of an op is read off its name, in which both tools agree.
"""

import collections

import numpy


def kind_of(name):
    return "memcpy" if name.startswith("Memcpy") else "memset" if name.startswith("Memset") else "kernel"


def of_recordings(recordings, begin=None, end=None):
    """Those that begin in [begin, end), or all."""
    sums = collections.defaultdict(lambda: [0, 0])
    for recording in recordings:
        ops = recording.device_ops
        inside = numpy.ones(len(ops.begin), bool) if begin is None else (ops.begin >= begin) & (ops.begin < end)
        durations = (ops.end - ops.begin)[inside]
        for name in numpy.unique(ops.name[inside]):
            of_name = durations[ops.name[inside] == name]
            sums[recording.names[name]][0] += len(of_name)
            sums[recording.names[name]][1] += int(of_name.sum())
    return means(sums)


def of_events(events):
    """Returns the list for events of (name, begin ns, end ns)."""
    sums = collections.defaultdict(lambda: [0, 0])
    for name, begin, end in events:
        sums[name][0] += 1
        sums[name][1] += end - begin
    return means(sums)


def means(sums):
    return {name: (count, total / count) for name, (count, total) in sums.items()}


def totals(ops):
    kinds = {"kernel": 0, "memcpy": 0, "memset": 0}
    for name, (count, _) in ops.items():
        kinds[kind_of(name)] += count
    return kinds


def count_differences(ours, theirs):
    """[{name, ours, theirs}] of the names whose counts differ."""
    names = sorted(set(ours) | set(theirs))
    rows = [{"name": n, "ours": ours.get(n, (0, 0))[0], "theirs": theirs.get(n, (0, 0))[0]} for n in names]
    return [row for row in rows if row["ours"] != row["theirs"]]


def duration_differences(ours, theirs, tolerance):
    """Names in both whose mean time differs by more than the tolerance, largest share of device time first."""
    everything = sum(count * mean for count, mean in theirs.values()) or 1
    rows = []
    for name in set(ours) & set(theirs):
        (_, mine), (count, other) = ours[name], theirs[name]
        if abs(mine - other) > tolerance * other:
            rows.append({"name": name, "count": count, "ours_us": round(mine / 1e3, 3),
                         "theirs_us": round(other / 1e3, 3), "share": round(count * other / everything, 5)})
    return sorted(rows, key=lambda row: -row["share"])
