#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What tracing costs a step: rounds of runs of one program, in each round each mode once, in turning order.

    overhead.py --stepscope BIN [--rounds N] [--cores 2-5] "PROGRAM.py ARGUMENTS" ...

Modes: plain; bare (CUPTI alone, STEPSCOPE_BARE_CUPTI=1); light and standard levels; nsys (cuda trace only);
torch.profiler (CPU and CUDA, without stacks). The program times its own steady steps and prints a line of JSON with
--field. Each mode has one process that has imported torch and forks the runs (programs/zygote.py), all pinned to the
same cores.
Printed: ratios of means and medians with 95 % bootstrap intervals over the rounds. A target is held or missed
only where the whole interval of means lies on one side of it; the test fails where one is missed.
"""

import glob
import json
import os
import shlex
import statistics
import sys

import bootstrap
import support
from zygote import Zygote

TARGETS = (("light", "bare", 1.03), ("standard", "bare", 1.06))
COMPARED = (("bare", "plain"), ("light", "plain"), ("standard", "plain"), ("nsys", "plain"),
            ("torch.profiler", "plain"), ("light", "bare"), ("standard", "bare"), ("standard", "nsys"),
            ("standard", "torch.profiler"))


def find_nsys():
    places = ["/usr/local/cuda*/bin/nsys", "/opt/nvidia/nsight-systems/*/bin/nsys",
              "/opt/nvidia/nsight-compute/*/host/target-linux-x64/nsys"]
    return next((path for place in places for path in sorted(glob.glob(place))), None)


class Modes:
    """A zygote a mode; a mode that fails is left out with its reason, the others go on."""

    def __init__(self, options):
        self.options, self.zygotes, self.failed = options, {}, {}
        for mode in options.modes.split(","):
            try:
                self.zygotes[mode] = Zygote(mode.replace(".", "_"), options, lambda c, m=mode: self.wrap(m, c),
                                            {"STEPSCOPE_BARE_CUPTI": "1"} if mode == "bare" else {})
            except support.Skip as reason:
                self.failed[mode] = str(reason)

    def wrap(self, mode, command):
        pinned = ["taskset", "-c", self.options.cores, *command] if self.options.cores else command
        out = os.path.join(self.options.out, mode)
        if mode in ("bare", "light", "standard"):
            level = "light" if mode == "light" else "standard"
            return support.profile_command(self.options, out + ".scope", pinned, ["--level", level])
        if mode == "nsys":
            nsys = self.options.nsys or find_nsys()
            if nsys is None:
                raise support.Skip("no nsys found; --nsys PATH names it")
            return [nsys, "profile", "--trace=cuda", "--sample=none", "--cpuctxsw=none",
                    "--trace-fork-before-exec=true", "--force-overwrite=true", "-o", out, *pinned]
        return pinned

    def run(self, mode, words):
        """The step time, or None once the mode has failed."""
        if mode in self.failed:
            return None
        out = os.path.join(self.options.out, "torch.json") if mode == "torch.profiler" else None
        try:
            _, status, output = self.zygotes[mode].run(words, torch_profiler=out)
            if status != 0:
                raise RuntimeError(f"{shlex.join(words)} ended with {status}: {output[-1000:]}")
            return float(support.last_json(output)[self.options.field])
        except (OSError, RuntimeError, ValueError, KeyError) as error:
            self.failed[mode] = str(error)
            print(f"  {mode} left out: {error}", file=sys.stderr, flush=True)
            return None

    def close(self):
        for zygote in self.zygotes.values():
            zygote.close()


def rounds(modes, words, options):
    """{mode: a time a round}; the first round warms caches and is thrown away."""
    names = options.modes.split(",")
    times = {mode: [] for mode in names}
    for number in range(options.rounds + 1):
        turn = number % len(names)
        order = names[turn:] + names[:turn]
        found = {mode: modes.run(mode, words) for mode in (order if number % 2 else order[::-1])}
        if number > 0:
            for mode in names:
                times[mode].append(found[mode])
    return {mode: values for mode, values in times.items() if mode not in modes.failed}


def judged(words, times):
    row = {"program": shlex.join(words), "times": times, "ratios": {}, "targets": {}}
    for over, under in COMPARED:
        if over in times and under in times:
            row["ratios"][f"{over}/{under}"] = bootstrap.ratios(times[over], times[under])
    for over, under, target in TARGETS:
        if found := row["ratios"].get(f"{over}/{under}"):
            row["targets"][f"{over}/{under} <= {target}"] = bootstrap.verdict(found["of_means"], target)
    row["passed"] = bool(row["targets"]) and "missed" not in row["targets"].values()
    return row


def show(row, field):
    print(f"  {row['program']}, {field}")
    for mode, values in row["times"].items():
        print(f"    {mode:15} mean {statistics.fmean(values):.4f}  median {statistics.median(values):.4f}  "
              f"{min(values):.4f}-{max(values):.4f}")
    for name, found in row["ratios"].items():
        texts = [f"{found[of]['ratio']:.4f} ({found[of]['low']:.4f}-{found[of]['high']:.4f})"
                 for of in ("of_means", "of_medians")]
        print(f"    {name:27} means {texts[0]}  medians {texts[1]}")
    print(f"    {json.dumps(row['targets'])}", flush=True)


def test(options):
    support.need_torch(options.python)
    modes, rows = Modes(options), []
    for program in options.programs:
        words = shlex.split(program)
        rows.append(judged(words, rounds(modes, words, options)))
        show(rows[-1], options.field)
    modes.close()
    verdicts = "; ".join(f"{os.path.basename(row['program'])}: {row['targets']}" for row in rows)
    return {"passed": bool(rows) and all(row["passed"] for row in rows), "headline": verdicts,
            "failed_modes": modes.failed, "programs": rows, "cores": options.cores}


def main():
    parser = support.parser(__doc__)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--field", default="window_ms_per_step")
    parser.add_argument("--cores", help="for taskset, such as 2-5; default: not pinned")
    parser.add_argument("--modes", default="plain,bare,light,standard,nsys,torch.profiler")
    parser.add_argument("--nsys", help="path of nsys, where it is not found")
    parser.add_argument("programs", nargs="+", help="quoted command lines without the interpreter")
    sys.exit(support.conclude("overhead", parser.parse_args(), test))


if __name__ == "__main__":
    main()
