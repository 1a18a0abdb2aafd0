# SPDX-License-Identifier: Apache-2.0
"""native_lines.py: a loop in C++ on LibTorch under `stepscope profile --native-lines`, and at which lines its report puts
the time: also when the program is gone, for the lines are found when it ends.

From the environment: STEPSCOPE_BIN, and STEPSCOPE_PASSES, the built programs/passes.cpp.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent / "programs" / "passes.cpp"


def report(folder):
    program = shutil.copy(os.environ["STEPSCOPE_PASSES"], os.path.join(folder, "passes"))
    binary, scope = os.environ["STEPSCOPE_BIN"], os.path.join(folder, "run")
    subprocess.run([binary, "profile", "--native-lines", "-o", scope, "--", program], check=True, timeout=240)
    os.remove(program)
    command = [binary, "report", scope + ".scope", "--format", "json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main():
    lines = {text.split("// line: ")[1]: n for n, text in enumerate(SOURCE.read_text().splitlines(), 1) if "// line: " in text}
    with tempfile.TemporaryDirectory() as folder:
        document = report(folder)
    times = {}
    for cell in document["cells"]:
        if pathlib.Path(cell.get("file", "")).name == SOURCE.name:
            key = cell["line"], cell.get("direction", "")
            times[key] = times.get(key, 0) + cell["ns_total"]
    wanted = [("layer", ""), ("layer", "backward"), ("loss", ""), ("loss", "backward"), ("update", "")]
    wrong = [f"no time at {name} {direction}" for name, direction in wanted if not times.get((lines[name], direction))]
    if document["trust"]["line_share"] < 0.9:
        wrong.append(f"only {document['trust']['line_share']:.1%} of the time is at a line")
    if wrong:
        sys.exit("\n".join(wrong + [str(times)]))


main()
