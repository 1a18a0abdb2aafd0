#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What HolisticTraceAnalysis says of each trace of a folder, beside what stepscope finds: a Markdown table.

usage: hta_kineto.py STEPSCOPE FOLDER        with a Python that has HolisticTraceAnalysis (PyPI)

HTA has no findings: its analyses are tables over the whole trace, one function a table. Printed is what each says that could
point to a cost, with HTA's own thresholds: the idle time's split, runtime calls over 50 us, launch delays over 100 us,
kernels shorter than their launch, and the kernel with the most time.
"""
import contextlib
import io
import json
import logging
import pathlib
import subprocess
import sys
import tempfile
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)


def analyses(path):
    from hta.trace_analysis import TraceAnalysis

    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        trace = TraceAnalysis(trace_files={0: str(path)}, trace_dir=tempfile.gettempdir())
        temporal = trace.get_temporal_breakdown(visualize=False).iloc[0]
        idle = trace.get_idle_time_breakdown(ranks=[0], visualize=False)[0]
        launches = trace.get_cuda_kernel_launch_stats(ranks=[0], visualize=False)[0]
        kernels = trace.get_gpu_kernel_breakdown(visualize=False, num_kernels=3)[1]
    return temporal, idle, launches, kernels


def words_of(path):
    try:
        temporal, idle, launches, kernels = analyses(path)
    except Exception as error:  # HTA's own, whatever it is: it is what it says of this trace
        return f"fails: {type(error).__name__}: {str(error)[:60]}"
    split = {name: int(us) for name, us in idle.groupby("idle_category")["idle_time"].sum().items()}
    all_idle = max(1, sum(split.values()))
    shares = ", ".join(f"{name} {100 * us / all_idle:.0f} %" for name, us in split.items() if us)
    long_calls = int((launches["cpu_duration"] > 50).sum())
    delays = int((launches["launch_delay"] > 100).sum())
    short = int((launches["gpu_duration"] < launches["cpu_duration"]).sum())
    named = kernels[kernels["name"] != "others"].iloc[0]
    return (f"idle {temporal['idle_time_pctg']:.0f} % of the trace ({shares}); {long_calls} calls > 50 us, {delays} delays > "
            f"100 us, {short} of {len(launches)} kernels shorter than their launch; most time: `{str(named['name'])[:40]}`")


def findings_of(stepscope, path):
    done = subprocess.run([stepscope, "report", "--format", "json", str(path)], capture_output=True, text=True, check=True)
    out = []
    for finding in json.loads(done.stdout)["findings"]:
        line = ""
        if finding["places"]:
            first = finding["places"][0]
            line = f" `{pathlib.Path(first['file']).name}:{first['line']}` ({first['function']})"
        out.append(f"`{finding['id']}`{line} {100 * finding['share']:.0f} %")
    return "; ".join(out) or "nothing"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    print("| trace | HTA | stepscope: finding, line, at most |")
    print("|---|---|---|")
    for path in sorted(pathlib.Path(sys.argv[2]).glob("*.json*")):
        print(f"| {path.name.split('.json')[0]} | {words_of(path)} | {findings_of(sys.argv[1], path)} |", flush=True)


if __name__ == "__main__":
    main()
