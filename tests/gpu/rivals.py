#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What each profiler costs a step of a program, each measured inside one process: stretches of steps by turns without
it and with it (programs/window_times.py), so that what differs between processes cancels.

    rivals.py --stepscope BIN [--modes LIST] [--windows N] [--steps N] "PROGRAM.py ARGUMENTS" ...

Modes: none (nothing is switched: the method's own spread), subscribed (CUPTI subscribed with its kinds off, against not
subscribed), light, standard, ops (standard with --ops), nsys (cuda and nvtx), torch.profiler (CPU and CUDA, no stacks).
A ratio is the median over recorded stretches of (recorded / mean of the plain ones on both sides), its interval of 95 %
by order statistics. The test fails where standard costs more than half of what nsys adds, or ops more than
torch.profiler, with intervals apart; a mode that cannot run is named.
"""

import json
import os
import shlex
import sys

import intervals
import support
from overhead import find_nsys

SWITCHES = {"none": "none", "subscribed": "subscribed", "torch.profiler": "torch"}
NSYS_WINDOWS = 25  # each recorded stretch makes it write a file


def command_of(mode, inner, options, base):
    if mode in SWITCHES:
        return inner
    if mode == "nsys":
        nsys = options.nsys or find_nsys()
        if nsys is None:
            raise support.Skip("no nsys found; --nsys PATH names it")
        return [nsys, "profile", "--trace=cuda,nvtx", "--sample=none", "--cpuctxsw=none", "--capture-range=cudaProfilerApi",
                f"--capture-range-end=repeat:{NSYS_WINDOWS}", "--force-overwrite=true", "-o", base, *inner]
    words = ["--capture-range", "cudaProfilerApi", "--level", "light" if mode == "light" else "standard"]
    return support.profile_command(options, base + ".scope", inner, words + (["--ops"] if mode == "ops" else []))


def stretches(mode, words, options):
    base = os.path.join(options.out, mode)
    found = base + ".windows.json"
    if os.path.exists(found):
        os.remove(found)
    wanted = min(options.windows, NSYS_WINDOWS) if mode == "nsys" else options.windows
    inner = [options.python, support.program("window_times.py"), found, SWITCHES.get(mode, "cuda"), str(options.steps),
             str(2 * wanted + 1), *words]
    done = support.run(command_of(mode, inner, options, base), limit_s=options.limit)
    if not os.path.exists(found):
        raise RuntimeError(f"ended with {done.status} without its times: {(done.stderr + done.stdout)[-400:]}")
    with open(found) as file:
        return json.load(file)


def measure(mode, words, options):
    try:
        times = stretches(mode, words, options)
        return intervals.window_ratio(times)
    except (OSError, RuntimeError, ValueError, support.Skip) as error:
        return {"failed": str(error)}


def missed(rows):
    """What a comparison says against us, with the intervals apart."""
    def known(*modes):
        return all("ratio" in rows.get(mode, {}) for mode in modes)
    out = []
    if known("standard", "nsys") and rows["standard"]["low"] - 1 > (rows["nsys"]["high"] - 1) / 2:
        out.append("standard costs more than half of nsys")
    if known("ops", "torch.profiler") and rows["ops"]["low"] > rows["torch.profiler"]["high"]:
        out.append("ops costs more than torch.profiler")
    return out


def text_of(row):
    if "failed" in row:
        return "left out: " + row["failed"]
    return (f"{row['ratio']:.4f} ({row['low']:.4f}-{row['high']:.4f}), {row['windows']} stretches, "
            f"plain {row['plain_ms']:.3f} ms")


def test(options):
    support.need_torch(options.python)
    programs, problems = {}, []
    for program in options.programs:
        print(f"  {program}, {options.steps} steps a stretch", flush=True)
        rows = programs[program] = {}
        for mode in options.modes.split(","):
            rows[mode] = measure(mode, shlex.split(program), options)
            print(f"    {mode:15} {text_of(rows[mode])}", flush=True)
        problems += [f"{program}: {problem}" for problem in missed(rows)]
    measured = sum("ratio" in row for rows in programs.values() for row in rows.values())
    return {"passed": measured > 0 and not problems, "programs": programs,
            "headline": "; ".join(problems) or f"{measured} modes measured"}


def main():
    parser = support.parser(__doc__)
    parser.add_argument("--modes", default="none,subscribed,light,standard,ops,nsys,torch.profiler")
    parser.add_argument("--windows", type=int, default=150, help="recorded stretches")
    parser.add_argument("--steps", type=int, default=6, help="of a stretch")
    parser.add_argument("--limit", type=int, default=120, help="seconds a mode")
    parser.add_argument("--nsys", help="path of nsys, where it is not found")
    parser.add_argument("programs", nargs="+", help="quoted command lines without the interpreter")
    sys.exit(support.conclude("rivals", parser.parse_args(), test))


if __name__ == "__main__":
    main()
