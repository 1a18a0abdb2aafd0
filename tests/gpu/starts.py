#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Many profiled starts of each program, several at once: status as without us, none hangs, each trace loads, its parts
sum to the wall exactly and at most 1 % is unknown.

    starts.py --stepscope BIN [--repeats N] [--jobs N] "PROGRAM.py ARGUMENTS" ...
"""

import concurrent.futures
import os
import shlex
import shutil
import sys

import support

UNKNOWN_BUDGET = 0.01


def problems_of(found, expected_steps):
    out = []
    partition, trust = found["partition"], found["trust"]
    left = partition["wall_ns_total"] - sum(part["ns_total"] for part in partition["parts"])
    if left != 0:
        out.append(f"parts - wall is {-left} ns")
    if trust["unknown_share"] > UNKNOWN_BUDGET:
        out.append(f"{trust['unknown_share']:.2%} unknown")
    if trust["broken_invariants"]:
        out.append("; ".join(trust["broken_invariants"]))
    if trust["dropped"] or trust["zero_timestamps"]:
        out.append(f"{trust['dropped']} dropped, {trust['zero_timestamps']} without a time")
    if expected_steps is not None and found["steps"]["count"] != expected_steps:
        out.append(f"{found['steps']['count']} steps")
    return out


def start(program, number, options):
    words = shlex.split(program)
    scope = os.path.join(options.out, f"{os.path.basename(words[0])}.{number}.scope")
    done = support.run_profiled(options, scope, [options.python, *words], limit_s=options.limit)
    if done.status != 0:
        return [f"status {done.status}: {done.stderr[-300:]}"]
    try:
        return problems_of(support.report(options, scope), options.steps)
    except (OSError, RuntimeError, ValueError, KeyError) as error:
        return [f"the trace does not load: {error}"]
    finally:
        if not options.keep:
            shutil.rmtree(scope, ignore_errors=True)


def test(options):
    support.need_torch(options.python)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runs = [(program, pool.submit(start, program, f"{place}_{number}", options))
                for number in range(options.repeats) for place, program in enumerate(options.programs)]
        rows = {program: [] for program in options.programs}
        for program, run in runs:
            rows[program].append(run.result())
    for program, found in rows.items():
        bad = [problem for problems in found for problem in problems]
        print(f"  {sum(not p for p in found)} of {len(found)} {program} {sorted(set(bad))[:3] or ''}", flush=True)
    good, runs = (sum(f(p) for found in rows.values() for p in found) for f in (lambda p: not p, lambda p: 1))
    return {"passed": good == runs > 0, "headline": f"{good} of {runs} starts", "programs": rows}


def main():
    parser = support.parser(__doc__)
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) - 1))
    parser.add_argument("--steps", type=int, help="the true number of steps, which the report must find")
    parser.add_argument("--limit", type=int, default=180, help="seconds, after which a start hangs")
    parser.add_argument("--keep", action="store_true", help="keep the traces in --out")
    parser.add_argument("programs", nargs="+", help="quoted command lines without the interpreter")
    sys.exit(support.conclude("starts", parser.parse_args(), test))


if __name__ == "__main__":
    main()
