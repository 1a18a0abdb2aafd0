#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Time and memory of `report` and `diff` on traces of millions of events.

usage: large_traces.py --stepscope BIN [--python PYTHON] [--before A.json.gz --after B.json.gz]

--python records a training loop of small operations on the CPU (5 million events; it needs torch), of which `report`
is measured. --before and --after are torch.profiler traces with ProfilerSteps: their recorded window is repeated until
each has a million events, then `report` and `diff` are measured, and `diff` of the two report documents. Each is run
five times; the fastest wall time, its CPU time and the largest memory are printed. Files go to a folder that is removed.
"""
import argparse
import concurrent.futures
import gzip
import json
import os
import pathlib
import re
import subprocess
import tempfile
import time

REPEATS = 5
EVENTS_A_SIDE = 1_000_000
LOOP = """
import torch
torch.set_num_threads(1)
layers = torch.nn.Sequential(*[torch.nn.Sequential(torch.nn.Linear(16, 16), torch.nn.Tanh()) for _ in range(60)])
optimizer = torch.optim.AdamW(layers.parameters(), foreach=False)
batch = torch.randn(8, 16)
for _ in range({steps}):
    optimizer.zero_grad()
    layers(batch).square().mean().backward()
    optimizer.step()
"""
IDS = ("correlation", "External id", "Python id", "Python parent id")


def measured(command):
    """(wall seconds, CPU seconds, largest resident MB) of the fastest of several runs."""
    best = None
    for _ in range(REPEATS):
        begin = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - begin
        if status != 0:
            raise SystemExit(f"{' '.join(map(str, command))}: status {status}")
        run = (wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 1e6)
        best = min(best, run) if best else run
    return best


def show(what, events, command):
    wall, cpu, memory = measured(command)
    print(f"{what:42} {events:>10,} events  {wall:6.2f} s  {cpu:6.2f} s CPU  {memory:6.0f} MB", flush=True)


def is_timed(event):
    return event.get("ph") in ("X", "i", "s", "f") and "ts" in event and "cat" in event and event["cat"] != "Trace"


def shifted(event, by_time, by_id, by_step):
    out = dict(event, ts=event["ts"] + by_time)
    step = re.fullmatch(r"ProfilerStep#(\d+)", event.get("name", ""))
    if step:
        out["name"] = f"ProfilerStep#{int(step[1]) + by_step}"
    if isinstance(event.get("id"), int):
        out["id"] = event["id"] + by_id
    arguments = event.get("args")
    if arguments:
        out["args"] = {key: value + by_id if key in IDS and isinstance(value, int) and value else value
                       for key, value in arguments.items()}
    return out


def repeat(source, target):
    """The window of `source` again and again, later each time, with ids of its own. Returns the number of events."""
    with gzip.open(source) as file:
        document = json.load(file)
    events = document.pop("traceEvents")
    timed = [event for event in events if is_timed(event)]
    span = max(e["ts"] + e.get("dur", 0) for e in timed) - min(e["ts"] for e in timed) + 50
    largest_id = 1 + max(value for e in timed for key, value in [*e.get("args", {}).items(), ("id", e.get("id"))]
                         if key in (*IDS, "id") and isinstance(value, int))
    steps = sum(e.get("name", "").startswith("ProfilerStep#") for e in timed)
    copies = -(-EVENTS_A_SIDE // len(timed))
    with open(target, "w", encoding="utf-8") as out:
        out.write(json.dumps(document)[:-1] + ', "traceEvents": [\n')
        out.write(",\n".join(json.dumps(event) for event in events if not is_timed(event)))
        for copy in range(copies):
            for event in timed:
                out.write(",\n" + json.dumps(shifted(event, copy * span, copy * largest_id, copy * steps)))
        out.write("\n]}\n")
    return copies * len(timed)


def of_a_recorded_loop(stepscope, python, folder):
    (folder / "loop.py").write_text(LOOP.format(steps=750), encoding="utf-8")
    trace = folder / "loop.scope"
    subprocess.run([stepscope, "profile", "--level", "deep", "-o", trace, "--", python, folder / "loop.py"], check=True)
    text = subprocess.run([stepscope, "report", trace], capture_output=True, text=True, check=True).stdout
    events = int(re.search(r"([\d,]+) events", text)[1].replace(",", ""))
    show("report of a recorded loop", events, [stepscope, "report", trace])


def of_two_traces(stepscope, before, after, folder):
    sides = [folder / "before.json", folder / "after.json"]
    with concurrent.futures.ProcessPoolExecutor(1) as other:  # a child counts what its parent held when it was made
        counts = list(other.map(repeat, (before, after), sides))
    for side, count in zip(sides, counts):
        show(f"report of {side.name}, {side.stat().st_size / 1e6:.0f} MB", count, [stepscope, "report", side])
    show("diff of both", sum(counts), [stepscope, "diff", *sides])
    documents = [side.with_suffix(".report.json") for side in sides]
    for side, document in zip(sides, documents):
        subprocess.run([stepscope, "report", side, "--format", "json", "-o", document], check=True)
    show("diff of their report documents", 0, [stepscope, "diff", *documents])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stepscope", type=pathlib.Path, required=True)
    parser.add_argument("--python")
    parser.add_argument("--before", type=pathlib.Path)
    parser.add_argument("--after", type=pathlib.Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if given.python:
            of_a_recorded_loop(given.stepscope, given.python, folder)
        if given.before and given.after:
            of_two_traces(given.stepscope, given.before, given.after, folder)


main()
