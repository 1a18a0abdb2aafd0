# SPDX-License-Identifier: Apache-2.0
"""What endings.py demands of one run. Each check returns sentences that say what is wrong."""

import os

import numpy

import scope_file
import support

KERNEL_LAUNCHES = ("cudaLaunchKernel", "cuLaunchKernel")
SETS = ("cuMemsetD8Async",)


def same_end(plain, profiled, sorted_output):
    def shown(text):
        return sorted(text.splitlines()) if sorted_output else text

    problems = []
    if profiled.status == 124 or plain.status == 124:
        problems.append(f"it hung {'even without us' if plain.status == 124 else 'under stepscope'}")
    if profiled.status != support.shell_status(plain.status):
        problems.append(f"status {profiled.status} instead of {support.shell_status(plain.status)}")
    if shown(profiled.stdout) != shown(plain.stdout):
        problems.append(f"output {profiled.stdout[-300:]!r} instead of {plain.stdout[-300:]!r}")
    if not sorted_output:  # ranks: torchrun's log of a failure has times in it
        before = support.without_pids(plain.stderr.strip())
        after = support.without_pids(support.own_lines_removed(profiled.stderr).strip())
        if before != after:
            problems.append(f"errors {after[-300:]!r} instead of {before[-300:]!r}")
    return problems


def device_begins(recordings, kinds):
    begins = [r.device_ops.begin[numpy.isin(r.device_ops.kind, kinds)] for r in recordings]
    return numpy.sort(numpy.concatenate(begins)) if begins else numpy.zeros(0, numpy.int64)


def calls_of(recordings, prefixes):
    """Host records of calls whose name begins so."""
    def wanted(names):
        return [i for i, name in enumerate(names) if name.startswith(prefixes)]
    return sum(int(numpy.isin(r.host_ranges.name, wanted(r.names)).sum()) for r in recordings)


def read_times(path):
    """A line a process: the wall clock at each launch. After an exec there are two."""
    with open(path) as file:
        return [numpy.sort(numpy.array(line.split(), numpy.int64)) for line in file if line.strip()]


def needed(batches, orderly, lost_s):
    """Device records that must be there: of a process that died, those before its last seconds."""
    count = 0
    for i, times in enumerate(batches):
        dies = not orderly and i == 0
        count += int((times < times[-1] - int(lost_s * 1e9)).sum()) if dies else len(times)
    return count


def paced(case, recordings, times_path):
    """Programs that say when they launched."""
    batches = read_times(times_path)
    kind, prefixes = (scope_file.KERNEL, KERNEL_LAUNCHES) if case.family == "cpp" else (scope_file.MEMSET, SETS)
    found, launched = len(device_begins(recordings, [kind])), sum(map(len, batches))
    least, problems = needed(batches, case.orderly, case.options.lost), []
    if not least <= found <= launched:
        problems.append(f"{found} device records, of {launched} launches at least {least} must be there")
    if (calls := calls_of(recordings, prefixes)) != launched:
        problems.append(f"{calls} host records of {launched} launches")
    return problems


def unpaced(case, recordings):
    """Programs with torch: each launch that was recorded has its kernel."""
    kernels, calls = len(device_begins(recordings, [scope_file.KERNEL])), calls_of(recordings, KERNEL_LAUNCHES)
    if kernels == 0 and case.orderly:
        return ["no kernel was recorded"]
    if case.mode == "graph":
        return [] if kernels > calls else [f"{kernels} kernels of {calls} launches beside the graph's replays"]
    if case.orderly and kernels != calls or kernels > calls:
        return [f"{kernels} kernels of {calls} launches"]
    return [] if calls > 0 else ["no launch was recorded"]


def trace(case, scope, times_path):
    problems = []
    if os.path.exists(os.path.join(scope, "live")):
        problems.append(f"live/ is left behind: {os.listdir(os.path.join(scope, 'live'))}")
    recordings = scope_file.read(scope)
    if dropped := sum(r.dropped + r.zero_timestamps for r in recordings):
        problems.append(f"{dropped} records dropped or without a time")
    support.report(case.options, scope)
    has_times = case.family in ("cpp", "python")
    return problems + (paced(case, recordings, times_path) if has_times else unpaced(case, recordings))
