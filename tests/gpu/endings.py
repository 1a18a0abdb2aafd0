#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every way to end with CUDA in use, plain and under `stepscope profile`: exit status and output must be the same, the
trace must load, and what was recorded must be there.

In an orderly end every launch has its device record. In a death (signal, abort, exec; a Python that was interrupted
raises the signal again) those of the last --lost seconds may be missing, no others. The host's record of each launch is
there in both. Programs of C++ and of Python without torch run --repeats times, those with torch --torch-repeats times.
"""

import concurrent.futures
import json
import os
import sys

import endings_checks as checks
import support

ORDERLY = {
    "cpp": ("return", "exit", "quick_exit", "reset", "reset_and_go_on", "threads", "fork"),
    "python": ("return", "exit", "quick_exit", "raise", "sigterm_handled", "fork"),
    "torch": ("return", "exit", "quick_exit", "raise", "device_reset", "dataloader", "graph"),
    "ranks": ("pass",),
}
DEATHS = {
    "cpp": ("sigterm", "sigkill", "abort", "segv", "throw", "exec"),
    "python": ("sigterm", "sigint", "exec"),
    "torch": ("sigterm", "sigkill", "abort", "exec"),
    "ranks": ("fail",),
}


class Case:
    def __init__(self, options, family, mode):
        self.options, self.family, self.mode = options, family, mode
        self.name = f"{family}_{mode}"
        self.orderly = mode in ORDERLY[family]
        self.repeats = options.repeats if family in ("cpp", "python") else options.torch_repeats

    def command(self, number):
        python, times = self.options.python, self.path(number) + ".times"
        if self.family == "cpp":
            return [self.options.binary, self.mode, str(self.options.launches), times]
        if self.family == "python":
            return [python, support.program("endings_driver.py"), self.mode, str(self.options.launches), times]
        if self.family == "torch":
            return [python, support.program("endings_torch.py"), self.mode]
        return [python, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2",
                support.program("endings_ranks.py"), self.mode]

    def path(self, number):
        return os.path.join(self.options.out, f"{self.name}.{number}")

    def words(self):
        return ["--only", "^endings_ranks.py$"] if self.family == "ranks" else []

    def run_plain(self):
        self.plain = support.run(self.command("plain"), limit_s=self.options.limit)

    def run_profiled(self, number):
        """What is wrong, as sentences; none: passed."""
        scope, times = (self.path(number) + end for end in (".scope", ".times"))
        if os.path.exists(times):
            os.remove(times)  # programs append
        done = support.run_profiled(self.options, scope, self.command(number), self.words())
        problems = checks.same_end(self.plain, done, sorted_output=self.family == "ranks")
        try:
            return problems + checks.trace(self, scope, times)
        except (OSError, ValueError, RuntimeError) as error:
            return [*problems, f"the trace does not load: {error}"]


def chosen(options):
    made = [Case(options, family, mode) for family in ORDERLY for mode in ORDERLY[family] + DEATHS[family]]
    made = [case for case in made if not (options.no_torch and case.family in ("torch", "ranks"))]
    return [case for case in made if not options.only or case.name in options.only.split(",")]


def run_all(options, cases):
    """Plain runs first, then all repeats, several at a time: nothing here is timed."""
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(lambda case: case.run_plain(), cases))
        runs = [(case, pool.submit(case.run_profiled, i)) for case in cases for i in range(case.repeats)]
        return [(case, future.result()) for case, future in runs]


def test(options):
    options.binary = support.compile_cuda("endings", options.out)
    if not options.no_torch:
        support.need_torch(options.python)
    cases = chosen(options)
    found = {case.name: {"orderly": case.orderly, "runs": 0, "passed": 0, "problems": []} for case in cases}
    for case, problems in run_all(options, cases):
        row = found[case.name]
        row["runs"], row["passed"] = row["runs"] + 1, row["passed"] + (not problems)
        row["problems"] += [p for p in problems if p not in row["problems"]]
    bad = [name for name, row in found.items() if row["passed"] != row["runs"]]
    for name in bad:
        print(f"  {name}: {found[name]['passed']} of {found[name]['runs']}: {json.dumps(found[name]['problems'][:3])}")
    runs, good = (sum(row[key] for row in found.values()) for key in ("runs", "passed"))
    failed = f"; failed: {', '.join(bad)}" if bad else ""
    return {"passed": not bad and runs > 0, "cases": found,
            "headline": f"{good} of {runs} runs of {len(found)} endings{failed}"}


def main():
    parser = support.parser(__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--torch-repeats", type=int, default=1, help="of programs that import torch")
    parser.add_argument("--launches", type=int, default=300, help="4 ms apart: longer than an interval of flushing")
    parser.add_argument("--lost", type=float, default=0.8, help="seconds before a death that may be lost")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) // 2))
    parser.add_argument("--limit", type=int, default=120, help="seconds, after which a run hangs")
    parser.add_argument("--no-torch", action="store_true")
    parser.add_argument("--only", help="names of cases, with commas")
    sys.exit(support.conclude("endings", parser.parse_args(), test))


if __name__ == "__main__":
    main()
