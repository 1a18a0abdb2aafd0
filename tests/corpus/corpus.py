#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Profiles programs of other libraries, unmodified, and holds each report against the program's own clock.

  corpus.py --stepscope BIN [--device cpu|cuda] [--only NAME...] [--out FOLDER] [--level LEVEL] [--busy]

A row a program: steps counted and true, the headline against the own clock, the share that nothing explains, the share
with a source line, and what does not hold (judge.py). --busy: the cores are shared, so what only samples of silent threads
tell (explained, lines) is printed and not held. A program whose library is missing is left out and said so.
Exit 0: all hold; 1: some do not; 2: a program or stepscope failed.
"""
import argparse
import importlib.util
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

import judge

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = HERE / "programs"
MODULES = {"own_clock", "keras_fit"}  # modules that several programs share
LIBRARY_OF = {"lib_transformers_trainer": ["transformers", "accelerate"], "lib_lightning": ["lightning"], "lib_accelerate": ["accelerate"],
              "lib_timm": ["timm"], "lib_jax": ["jax", "optax"], "lib_flax": ["flax", "optax"], "lib_geometric": ["torch_geometric"],
              "lib_torchdiffeq": ["torchdiffeq"], "lib_gpytorch": ["gpytorch"], "lib_peft": ["peft", "transformers"],
              "lib_equinox": ["equinox", "optax"], "lib_cupy": ["cupy"], "lib_triton": ["triton"], "lib_torchvision": ["torchvision"],
              "lib_sentence_transformers": ["sentence_transformers", "transformers"], "lib_transformers_eval": ["transformers", "accelerate"],
              "lib_transformers_generate": ["transformers"], "lib_lightning_epochs": ["lightning"], "lib_keras_torch": ["keras", "torch"],
              "lib_keras_jax": ["keras", "jax"], "lib_ignite": ["ignite"], "lib_skorch": ["skorch"],
              "lib_stable_baselines": ["stable_baselines3", "gymnasium"], "lib_diffusers": ["diffusers"],
              "lib_numpyro": ["numpyro", "jax"], "lib_jax_scan": ["jax", "optax"], "lib_lightning_manual": ["pytorch_lightning"],
              "lib_cupy_streams": ["cupy"], "lib_triton_tuned": ["triton"], "lib_keras_own_loop": ["keras", "jax"],
              "numpy_mlp": ["numpy"], "numpy_folds": ["numpy"]}


def names():
    return sorted(path.stem for path in PROGRAMS.glob("*.py") if path.stem not in MODULES)


def missing_library(name):
    return next((one for one in LIBRARY_OF.get(name, ["torch"]) if importlib.util.find_spec(one) is None), None)


def run(stepscope, name, device, level, folder):
    """(report, own clock) of a program; raises RuntimeError with the last words of what failed. None: left out."""
    trace = folder / name
    shutil.rmtree(f"{trace}.scope", ignore_errors=True)  # else the new run's has another name
    command = [stepscope, "profile", "-o", str(trace), "--level", level, "--", sys.executable, str(PROGRAMS / f"{name}.py"), "--device", device]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if done.returncode == 77:
        return None
    if done.returncode != 0:
        raise RuntimeError(f"exit {done.returncode}: {done.stderr.strip()[-300:]}")
    own = next(json.loads(line)["own_clock"] for line in done.stdout.splitlines() if line.startswith('{"own_clock"'))
    report = subprocess.run([stepscope, "report", f"{trace}.scope", "--format", "json"], capture_output=True, text=True, timeout=120)
    if report.returncode != 0:
        raise RuntimeError(f"report: exit {report.returncode}: {report.stderr.strip()[-300:]}")
    (folder / f"{name}.json").write_text(report.stdout)
    (folder / f"{name}.clock.json").write_text(json.dumps(own))
    return json.loads(report.stdout), own


def row(name, report, own, wrong):
    error = judge.headline_error(report, own)
    return {"program": name, "steps": report["steps"]["count"], "true_steps": own["steps"],
            "headline_error": error, "found_by": report["steps"]["found_by"],
            "unexplained": judge.unexplained(report), "with_line": judge.share_with_line(report), "wrong": wrong}


def show(one):
    error = "       -" if one["headline_error"] is None else f"{100 * one['headline_error']:+7.2f} %"
    print(f"{one['program']:<28} {one['steps']:>6} {one['true_steps']:>5} {error:>9} {100 * one['unexplained']:6.2f} % {100 * one['with_line']:5.1f} %"
          f"  {'; '.join(one['wrong']) or 'ok'}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stepscope", default=os.environ.get("STEPSCOPE_BIN", "stepscope"))
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--level", default="standard")
    parser.add_argument("--only", nargs="+", choices=names(), metavar="NAME")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--busy", action="store_true")
    args = parser.parse_args()
    folder = args.out or pathlib.Path(tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    print(f"{'program':<28} {'steps':>6} {'true':>5} {'headline':>9} {'unknown':>8} {'lines':>7}")
    rows, failed = [], []
    for name in args.only or names():
        missing = missing_library(name)
        if missing:
            print(f"{name:<28} left out: {missing} is not installed")
            continue
        try:
            result = run(args.stepscope, name, args.device, args.level, folder)
        except (RuntimeError, StopIteration, subprocess.TimeoutExpired) as error:
            failed.append(name)
            print(f"{name:<28} FAILED: {error!r}", flush=True)
            continue
        if result is None:
            print(f"{name:<28} left out: it needs a GPU")
            continue
        report, own = result
        rows.append(row(name, report, own, judge.judge(report, own, name + ".py", (PROGRAMS / f"{name}.py").read_text(), args.device, args.busy)))
        show(rows[-1])
    (folder / "corpus.json").write_text(json.dumps(rows, indent=1))
    if rows:
        print(f"median share with a line {100 * statistics.median(one['with_line'] for one in rows):.1f} % "
              f"(wanted {100 * judge.LINES_MEDIAN:.0f}); {sum(not one['wrong'] for one in rows)} of {len(rows)} hold")
    sys.exit(2 if failed else 1 if any(one["wrong"] for one in rows) else 0)


if __name__ == "__main__":
    main()
