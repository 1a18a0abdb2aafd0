# SPDX-License-Identifier: Apache-2.0
"""A program of this folder under `stepscope profile`, and its report."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile


def report_of(command, marker):
    """Runs the command profiled; the report of the process whose steps are the ranges of that name."""
    program = os.environ.get("STEPSCOPE_BIN") or sys.exit("STEPSCOPE_BIN is not set: it names the program")
    with tempfile.TemporaryDirectory() as folder:
        run = pathlib.Path(folder) / "run"
        subprocess.run([program, "profile", "-o", str(run), "--", *command], check=True)
        out = subprocess.run([program, "report", f"{run}.scope", "--format", "json", "--step-marker", marker],
                             check=True, stdout=subprocess.PIPE)
    return json.loads(out.stdout)


class Check:
    def __init__(self):
        self.failed = 0

    def __call__(self, good, what):
        print("ok  " if good else "BAD ", what)
        self.failed += not good

    def exit(self):
        sys.exit(1 if self.failed else 0)


def line_of(file, comment):
    """The number of the line that ends with that comment."""
    lines = pathlib.Path(file).read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if line.endswith(f"# {comment}"))
