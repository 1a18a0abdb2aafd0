#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A trainer's job in which one rank is slow on purpose: does the report name the rank, what is slow and the line, and
how near is its cost to the difference that the trainer's own clock measures?

Each round runs the trainer clean and with each of --slow-rank 1:data, 1:compute and 1:link, without the profiler, one
after the other; the difference is that of the medians. Then each is recorded once. --check is for machines that others
share, where a rank of the clean run may well be late: names of what is planted must be right, costs are only shown.
With --bandwidth (two GPUs, a Python with torch): an all-reduce's rate as the report says it, against a plain loop between
two CUDA events of the same program without the profiler.

    tests/bench/slow_ranks.py --device cuda --bandwidth --trainer-options "--preset t90m --rung R5 --steps 60 --log-every 0"
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

# What the rank is late by on a CPU, and on a GPU; the causes, by their first words; the file.
PARTS = {"data": ("host", "host", ("host.",), "slow_work.cpp"),
         "compute": ("host", "device", ("host.", "gpu."), "slow_work.cpp"),
         "link": ("link", "link", ("comm.", "copy."), "")}
FLOATS, CALLS, ROUNDS = 1 << 26, 20, 12
HIDDEN = 0.1  # a job that loses less than this share of what was planted waits for nobody
LEAST_SEEN = 0.25  # the share of what was planted that is seen on a machine that others share


def options_of_this():
    here = os.path.dirname(os.path.abspath(__file__))
    build = os.path.join(os.path.dirname(os.path.dirname(here)), "build", "release")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stepscope", default=os.path.join(build, "cli", "stepscope"))
    parser.add_argument("--trainer", default=os.path.join(build, "reference_trainers", "llm", "train_llm"))
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--trainer-options", default="--steps 60 --log-every 0", help="of both sides")
    parser.add_argument("--slow-ms", type=float, default=20)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--check", action="store_true", help="only whether the names are right")
    parser.add_argument("--bandwidth", action="store_true")
    parser.add_argument("--keep", help="a folder for the recordings; else a temporary one")
    parser.add_argument("--json", help="file for all figures")
    return parser.parse_args()


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=580,
                          env={**os.environ, "OMP_NUM_THREADS": "1"})
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\nended with {done.returncode}:\n{done.stderr[-2000:]}")
    return done.stdout


def command_of(options, part):
    command = [options.trainer, "--nproc", "2", "--device", options.device,
               *options.trainer_options.split()]
    return command if part is None else command + ["--slow-rank", f"1:{part}", "--slow-ms", str(options.slow_ms)]


def measured_ms(options):
    """Part (None: clean) -> the median of the trainer's own milliseconds a step."""
    found = {part: [] for part in (None, *PARTS)}
    for _ in range(options.rounds):
        for part, list_of_ms in found.items():
            list_of_ms.append(json.loads(run(command_of(options, part)).splitlines()[-1])["ms_per_step"])
    return {part: statistics.median(values) for part, values in found.items()}


def report_of(options, folder, name, command):
    path = os.path.join(folder, name + ".scope")
    run([options.stepscope, "profile", "--native-lines", "-o", path, "--", *command])
    done = subprocess.run([options.stepscope, "report", path, "--format", "json"], capture_output=True, text=True,
                          timeout=300)
    if done.returncode not in (0, 3):
        sys.exit(f"report of {path}: {done.stderr}")
    return json.loads(done.stdout)


def late_of(report):
    """(late ranks, the costliest first, and of that one: the gain in ms, cause and place of its first reason, and
    whether host, device or link)."""
    job = report["job"]
    late = sorted((rank for rank in job["ranks"] if rank["late"]), key=lambda rank: -rank["gain_ns_total"])
    if not late:
        return [], 0.0, "", "", ""
    first = late[0]
    reason = first["reasons"][0]
    place = f"{os.path.basename(reason.get('file', ''))}:{reason.get('line', 0)}"
    gain = first["gain_ns_total"] / job["steps_counted"] / 1e6
    return [rank["rank"] for rank in late], gain, reason["cause"], place, first["late_by"]


def is_right(options, part, found, measured_ms):
    late, gain, cause, place, late_by = found
    on_cpu, on_gpu, causes, file = PARTS[part]
    if measured_ms is not None and measured_ms < HIDDEN * options.slow_ms:  # the rank's device hides it
        return not late
    if late[:1] != [1] or (len(late) > 1 and not options.check) or gain < LEAST_SEEN * options.slow_ms:
        return False
    return cause.startswith(causes) and place.startswith(file) and \
        late_by == (on_gpu if options.device == "cuda" else on_cpu)


def compare(options, folder):
    rows, wrong = [], 0
    plain = {} if options.check else measured_ms(options)
    clean = report_of(options, folder, "clean", command_of(options, None))
    accused = late_of(clean)[0]
    for part in PARTS:
        found = late_of(report_of(options, folder, part, command_of(options, part)))
        late, gain, cause, place, late_by = found
        measured = plain[part] - plain[None] if plain else None
        right = is_right(options, part, found, measured)
        wrong += not right
        row = {"part": part, "late": late, "cause": cause, "place": place, "late_by": late_by, "gain_ms": gain,
               "right": right}
        if plain:
            row["measured_ms"] = measured
            row["error"] = gain / measured - 1 if late else None
        rows.append(row)
        print(json.dumps(row), flush=True)
    print(json.dumps({"part": "none", "late": accused, "clean_ms": plain.get(None)}), flush=True)
    return rows, wrong + (0 if options.check else len(accused))


def all_reduces():
    import torch
    import torch.distributed as dist

    dist.init_process_group("nccl")
    rank = dist.get_rank()
    torch.cuda.set_device(rank)
    value = torch.ones(FLOATS, device="cuda")
    rates = []
    for index in range(ROUNDS):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        dist.barrier()
        torch.cuda.synchronize()
        begin.record()
        with torch.cuda.nvtx.range("step"):
            for _ in range(CALLS):
                dist.all_reduce(value)
        end.record()
        torch.cuda.synchronize()
        value.fill_(1)
        if index > 1:
            rates.append(CALLS * value.nbytes / (begin.elapsed_time(end) * 1e-3))
    dist.destroy_process_group()
    if rank == 0:
        print(json.dumps({"bytes_per_second": statistics.median(rates)}))


def bandwidth(options, folder):
    """Two ranks' bus carries as many bytes as are summed: 2 (n - 1) / n is 1."""
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2",
               os.path.abspath(__file__), "all-reduces"]
    plain = statistics.median(json.loads(run(command).splitlines()[-1])["bytes_per_second"] for _ in range(3))
    report = report_of(options, folder, "all_reduces", command)
    rows = [row for row in report["collectives"] if row["operation"] == "AllReduce"]
    said = max(rows, key=lambda row: row["bytes_per_step"])["bytes_per_second"]
    row = {"part": "bandwidth", "plain_gb_s": plain / 1e9, "said_gb_s": said / 1e9, "error": said / plain - 1}
    print(json.dumps(row), flush=True)
    return row, abs(row["error"]) > 0.03


def main():
    if sys.argv[1:] == ["all-reduces"]:
        return all_reduces()
    options = options_of_this()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or temporary
        os.makedirs(folder, exist_ok=True)
        rows, wrong = compare(options, folder)
        if options.bandwidth:
            row, failed = bandwidth(options, folder)
            rows.append(row)
            wrong += failed
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)
    print("wrong" if wrong else "right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
