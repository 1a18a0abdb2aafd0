#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Forecasts of real fixes against what the fixed programs took: every pair of the sample programs, none left out.

usage: forecast_pairs.py STEPSCOPE KINETO_DIR RESULTS_JSONL [--unanchored]

Each trace is of a slow variant under torch.profiler, which stretches the host, so forecasts are anchored at the plain step
of that variant on the same device (--plain-step): the mean over its runs in RESULTS_JSONL. The truth is the mean of the
repaired variant there. Beside each stands what "subtract the device's idle time" says: the device busy time.
Prints a Markdown table and a summary.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys

H100, H200 = "NVIDIA H100 80GB HBM3", "NVIDIA H200"
ITEM, MASK = "remove_sync@phase=log", "hoist_invariant@sync_mask_norms.py:45"
NORMS = ("remove_sync@phase=norms", "fuse_optimizer@phase=norms")
# A thread fetches batches into pinned memory and copies them on a stream of its own. The 80 samples of a batch were embedded
# one by one.
COLLATE = ("prefetch_input@phase=data", "pin_memory", "overlap_transfer@phase=data", "merge_copies@phase=embed",
           "batch_repeats@phase=embed:every=80")
# The same thread. Encoding and top-k run once, not twice (their gradients ran once before, too); the evaluation moves to the
# device, of which dropping it is the nearest. No fix says that copies carry float16, nor that top-k is not sorted.
CLT = ("prefetch_input@phase=data", "pin_memory", "overlap_transfer@phase=data", "scale_work@phase=encode:factor=0.5",
       "scale_work@phase=topk:factor=0.5", "drop_work@phase=eval")
# bf16 products on an H100 or A100 take half of TF32's time, of which the finding `precision` expects 0.18 (0.08 to 0.4); the
# kernels between them move all to half of the bytes.
BF16 = ("scale_work@cause=gpu.gemm:factor=0.09:low=0.04:high=0.2", "scale_work@cause=gpu.elementwise:factor=0.75:low=0.5:high=1",
        "scale_work@cause=gpu.reduce:factor=0.75:low=0.5:high=1", "unfused_attention")

# program, device, slow variant, repaired variant, fixes: what the repair does, as far as fixes can say it, all of it at
# once. From the sources of the programs; no number in them was chosen by what came out.
PAIRS = [
    ("sync_mask_norms", H200, "bad", "fix_item", (ITEM,)),
    ("sync_mask_norms", H200, "bad", "fix_mask", (MASK,)),
    ("sync_mask_norms", H200, "bad", "fix_norms", NORMS),
    ("sync_mask_norms", H200, "bad", "fixed", (ITEM, MASK, *NORMS)),
    ("sync_mask_norms", H200, "fix_item", "fixed", (MASK, *NORMS)),
    ("sync_mask_norms", H200, "fix_mask", "fixed", (ITEM, *NORMS)),
    ("sync_mask_norms", H200, "fix_norms", "fixed", (ITEM, MASK)),
    ("collate_tokens", H200, "bad", "fixed", COLLATE),
    ("clt_batch_topk", H100, "bad", "fixed", CLT),
    ("llm_ladder", H100, "rung0", "rung3", BF16),
    ("llm_ladder", H100, "rung3", "rung5", ("fuse_optimizer", "remove_sync")),
    ("llm_ladder", H100, "rung5", "rung6", ("hotspot",)),
    ("polychromic_generate", H100, "bad", "fixed",
     ("batch_repeats@phase=generate:every=3", "batch_repeats@phase=encode:every=3", "remove_sync@phase=diversity")),
]


def plain_steps(path):
    steps = {}
    for line in path.read_text().splitlines():
        row = json.loads(line)
        steps.setdefault((row["workload"], row["device"], row["variant"]), []).append(row["window_ms_per_step"])
    return {key: statistics.mean(values) for key, values in steps.items()}


def trace_of(folder, program, variant):
    return folder / f"{program}.{variant.replace('rung', 'r')}.json.gz"


def ask(stepscope, trace, fixes, plain_ms):
    command = [stepscope, "whatif", trace, "--format", "json"]
    for fix in fixes:
        command += ["--fix", fix]
    if plain_ms:
        command += ["--plain-step", f"{plain_ms}ms"]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode not in (0, 3) or not run.stdout:
        return None, run.stderr.strip()
    return json.loads(run.stdout), ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("stepscope")
    parser.add_argument("kineto", type=pathlib.Path)
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--unanchored", action="store_true", help="compare in the traces' own, stretched time")
    arguments = parser.parse_args()
    plain = plain_steps(arguments.results)
    print("| program | slow -> repaired | fixes | plain, ms | forecast (90 %) | measured | error | held | busy | its error | replay off |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    errors, naive_errors, held = [], [], 0
    for program, device, slow, repaired, fixes in PAIRS:
        before, truth = plain[program, device, slow], plain[program, device, repaired]
        if not fixes:
            print(f"| {program} | {slow} -> {repaired} | no fix says it | {before:.2f} | | {truth:.2f} | | | | | |")
            continue
        answer, why = ask(arguments.stepscope, trace_of(arguments.kineto, program, slow), fixes,
                          None if arguments.unanchored else before)
        if answer is None:
            print(f"| {program} | {slow} -> {repaired} | {' + '.join(fixes)} | {before:.2f} | none: {why} | {truth:.2f} | | | | | |")
            continue
        forecast = answer.get("together", answer["fixes"][0])
        scale = before / (answer["ns_per_step"] / 1e6)
        ns, low, high = (forecast[key] / 1e6 * scale for key in ("ns_per_step", "low", "high"))
        busy = answer["device_busy_ns_per_step"] / 1e6 * scale
        error, naive = abs(ns / truth - 1), abs(busy / truth - 1)
        holds = low <= truth <= high
        errors.append(error)
        naive_errors.append(naive)
        held += holds
        print(f"| {program} | {slow} -> {repaired} | {' + '.join(fixes)} | {before:.2f} | {ns:.2f} ({low:.2f}-{high:.2f}) "
              f"| {truth:.2f} | {100 * error:.0f} % | {'yes' if holds else 'no'} | {busy:.2f} | {100 * naive:.0f} % "
              f"| {100 * answer['replay_error']:.1f} % |")
    if not errors:
        sys.exit("no pair could be judged")
    print(f"\n{len(errors)} forecasts: error median {100 * statistics.median(errors):.0f} %, largest {100 * max(errors):.0f} %; "
          f"interval held {held} of {len(errors)}; subtracting idle: median {100 * statistics.median(naive_errors):.0f} %, "
          f"largest {100 * max(naive_errors):.0f} %")


if __name__ == "__main__":
    main()
