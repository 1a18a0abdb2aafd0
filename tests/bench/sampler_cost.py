#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the sampler of silent threads costs a step: windows with it on and off, in one recorded process.

    sampler_cost.py --stepscope BIN [--device cpu|cuda] [--pairs 300] [--window-ms 50] [--python-ms 0] [--seed N]

The loop is bound by the host: a training step of eight tiny layers, then --python-ms of plain Python, of which the sampler
takes samples (without it the thread is never silent, and a look is a look at its ring alone). A pair is a window with the
sampler on and one with it off, each of --window-ms of the loop's CPU time, in random order, so that what drifts is the
same for both. Everything else is recorded as ever. Printed are ratios of on to off, median over the pairs with a 95 % interval by order statistics, of three times a step:
wall; CPU of the loop's thread, which other programs on the machine hardly move; CPU of the process, which holds the
sampler's own. And what the sampler's thread took in windows of either kind: that off is off.
"""
import argparse
import ctypes
import json
import math
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

CLOCKS = {"wall": time.perf_counter_ns, "thread_cpu": time.thread_time_ns, "process_cpu": time.process_time_ns}
SETTLE_NS = 5_000_000
WARM_UP_NS = 3_000_000_000  # the sampler's first looks are dear


def make_step(device, python_ms):
    import torch
    torch.set_num_threads(1)
    layers = [torch.nn.Linear(8, 8) for _ in range(8)]
    net = torch.nn.Sequential(*layers).to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    batch = torch.randn(4, 8, device=device)

    def step():
        optimizer.zero_grad()
        net(batch).square().mean().backward()
        optimizer.step()
        end = time.thread_time_ns() + int(1e6 * python_ms)
        while python_ms and time.thread_time_ns() < end:
            sum(range(200))

    return step


def sampler_cpu_ns():
    for task in pathlib.Path("/proc/self/task").iterdir():
        if (task / "comm").read_text().strip() == "stepscope-look":
            return int((task / "schedstat").read_text().split()[0])
    sys.exit("no thread of the sampler in this process: it is off, or stepscope is not recording")


def steps_for(step, ns):
    count, end = 0, time.thread_time_ns() + ns
    while time.thread_time_ns() < end:
        step()
        count += 1
    return count


def window(step, ns, synchronize):
    steps_for(step, SETTLE_NS)
    synchronize()
    begin, looked = {name: clock() for name, clock in CLOCKS.items()}, sampler_cpu_ns()
    count = steps_for(step, ns)
    synchronize()
    times = {name: (clock() - begin[name]) / count for name, clock in CLOCKS.items()}
    return {**times, "sampler_share": (sampler_cpu_ns() - looked) / (times["wall"] * count)}


def inside(options):
    switch = ctypes.CDLL(None).stepscope_sampling
    step, synchronize = make_step(options.device, options.python_ms), lambda: None
    if options.device == "cuda":
        import torch
        synchronize = torch.cuda.synchronize
    steps_for(step, WARM_UP_NS)
    order = random.Random(options.seed)
    pairs = []
    for _ in range(options.pairs):
        pair = {}
        for on in order.sample((0, 1), 2):
            switch(on)
            pair["on" if on else "off"] = window(step, 1_000_000 * options.window_ms, synchronize)
        pairs.append(pair)
    switch(1)
    print(json.dumps({"pairs": pairs}), flush=True)


def median_with_interval(values):
    """(median, low, high): 95 % by order statistics, no assumption about the distribution."""
    ordered = sorted(values)
    reach = math.ceil(0.98 * math.sqrt(len(ordered)))
    middle = len(ordered) / 2
    return statistics.median(ordered), ordered[max(0, int(middle) - reach)], ordered[min(len(ordered) - 1, math.ceil(middle) + reach - 1)]


def outside(options):
    words = [sys.executable, __file__, "--inside", "--device", options.device, "--pairs", str(options.pairs), "--window-ms", str(options.window_ms),
             "--python-ms", str(options.python_ms), "--seed", str(options.seed)]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([options.stepscope, "profile", "-o", os.path.join(folder, "run"), "--", *words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"the recorded loop ended with {done.returncode}:\n{done.stderr}")
    pairs = next(json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"pairs"'))["pairs"]
    print(f"{len(pairs)} pairs of windows of {options.window_ms} ms CPU; a step without the sampler {1e-3 * statistics.median(p['off']['wall'] for p in pairs):.0f} us")
    for name in CLOCKS:
        middle, low, high = median_with_interval([pair["on"][name] / pair["off"][name] for pair in pairs])
        print(f"{name:<12} on / off {middle:.4f} ({low:.4f}-{high:.4f})")
    for kind in ("on", "off"):
        print(f"sampler's thread, {kind:<3}: {100 * statistics.mean(pair[kind]['sampler_share'] for pair in pairs):.3f} % of a core")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stepscope")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--pairs", type=int, default=300)
    parser.add_argument("--window-ms", type=int, default=50)
    parser.add_argument("--python-ms", type=float, default=0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.inside:
        inside(options)
    elif options.stepscope:
        outside(options)
    else:
        parser.error("--stepscope: the stepscope to measure")


if __name__ == "__main__":
    main()
