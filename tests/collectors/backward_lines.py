# SPDX-License-Identifier: Apache-2.0
"""backward_lines.py: a training program with real PyTorch under `stepscope profile`, and where its report puts
backward work. On a machine with a GPU the program uses it, else the CPU; both must say the same.

From the environment: STEPSCOPE_BIN, and STEPSCOPE_PYTHON, an interpreter that has torch.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAM = pathlib.Path(__file__).resolve().parent / "programs" / "passes.py"


def marked_lines():
    lines = PROGRAM.read_text().splitlines()
    return {text.split("# line: ")[1]: number for number, text in enumerate(lines, 1) if "# line: " in text}


def report():
    with tempfile.TemporaryDirectory() as folder:
        scope = os.path.join(folder, "run")
        binary = os.environ["STEPSCOPE_BIN"]
        environment = dict(os.environ, OMP_NUM_THREADS="1", PYTHONDONTWRITEBYTECODE="1")
        run = [binary, "profile", "-o", scope, "--", os.environ["STEPSCOPE_PYTHON"], str(PROGRAM)]
        subprocess.run(run, check=True, env=environment, timeout=240)
        command = [binary, "report", scope + ".scope", "--format", "json"]
        return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main():
    where, document = marked_lines(), report()
    times = {}
    for cell in document["cells"]:
        if "device" in cell or pathlib.Path(cell.get("file", "")).name != PROGRAM.name:
            continue
        key = cell["line"], cell.get("direction", "")
        times[key] = times.get(key, 0) + cell["ns_total"]
    wrong = []
    for name, direction in [
        ("first", ""), ("first", "backward"), ("sigmoid", "backward"), ("cube", ""), ("cube_backward", "backward"),
        ("block", ""), ("block", "recompute"), ("block", "backward"), ("loss", "backward"), ("step", ""),
    ]:
        if times.get((where[name], direction), 0) == 0:
            wrong.append(f"no time at {name} {direction}")
    # Two products of the backward pass, one of the forward: on busy machines at least half of it.
    if times.get((where["block"], "backward"), 0) < times.get((where["block"], ""), 0) / 2:
        wrong.append("the backward work of a linear layer takes much less than its forward")
    for name in ("first", "sigmoid", "loss", "step"):
        if times.get((where[name], "recompute"), 0) != 0:
            wrong.append(f"{name} was never recomputed")
    if document["trust"]["line_share"] < 0.9:
        wrong.append(f"only {document['trust']['line_share']:.1%} of the time is at a line")
    wall = document["partition"]["wall_ns_total"]
    cells = sum(cell["ns_total"] for cell in document["cells"] if "device" not in cell)
    without = sum(reason["ns_total"] for reason in document["trust"]["without_line"])
    at_lines = sum(c["ns_total"] for c in document["cells"] if "device" not in c and c.get("file"))
    if cells != wall or at_lines + without != wall:
        wrong.append("the parts do not sum to the wall time")
    for (line, direction), ns in sorted(times.items(), key=lambda item: -item[1]):
        print(f"{100 * ns / wall:6.2f} %  line {line} {direction}")
    print(document["trust"]["line_share"], document["trust"]["without_line"])
    sys.exit("\n".join(wrong) if wrong else 0)


main()
