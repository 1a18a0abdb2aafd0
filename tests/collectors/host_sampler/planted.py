# SPDX-License-Identifier: Apache-2.0
"""planted.py CASE: a program with a planted cause through `stepscope profile` and `report`; the
report must name its line. From the environment: STEPSCOPE_BIN, STEPSCOPE_SILENCES, STEPSCOPE_PYTHON
(an interpreter that has torch).

A machine whose cores are taken lets threads wait for one: such time is host.core_wait, at the same line. What the rest
of a step takes differs by machine, so limits lie well below what was planted; without samples no share is at its line.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"


def line_of(program, mark):
    lines = (PROGRAMS / program).read_text().splitlines()
    return next(n for n, line in enumerate(lines, 1) if line.rstrip().endswith("# " + mark))


def report_of(command, *options):
    """The report of the program, with what it printed. kill_matrix.py compares that with a run without stepscope."""
    environment = dict(os.environ, OMP_NUM_THREADS="1", PYTHONDONTWRITEBYTECODE="1", CUDA_VISIBLE_DEVICES="")
    tool = os.environ["STEPSCOPE_BIN"]
    with tempfile.TemporaryDirectory() as folder:
        scope = os.path.join(folder, "run")
        run = subprocess.run([tool, "profile", "-o", scope, *options, "--", *command], env=environment,
                             capture_output=True, text=True, timeout=200)
        assert run.returncode == 0, run.stderr
        report = subprocess.run([tool, "report", scope + ".scope", "--format", "json"], capture_output=True, text=True)
        assert report.returncode in (0, 3), report.stderr
        return json.loads(report.stdout) | {"printed": run.stdout}


def python(program, *arguments):
    return [os.environ["STEPSCOPE_PYTHON"], str(PROGRAMS / program), *arguments]


class Shares:
    """Shares of the wall time, by cause and line."""

    def __init__(self, report):
        partition = report["partition"]
        self.wall = partition["wall_ns_total"]
        self.cells = report["cells"]
        assert sum(cell["ns_total"] for cell in self.cells) == self.wall
        assert sum(part["ns_total"] for part in partition["parts"]) == self.wall

    def of(self, causes, line=None):
        return sum(cell["ns_total"] for cell in self.cells
                   if cell["cause"] in causes and line in (None, cell.get("line"))) / self.wall


def expect(share, at_least, what):
    print(f"{what}: {100 * share:.1f} %")
    assert share >= at_least, f"{what}: {share}, wanted {at_least}"


def sleep():
    shares = Shares(report_of(python("sleep_between.py")))
    expect(shares.of(["host.off_cpu", "host.core_wait"], line_of("sleep_between.py", "planted: sleep")), 0.3, "the sleep")
    loop = line_of("sleep_between.py", "planted: python")
    running = ["host.python", "host.core_wait"]
    expect(shares.of(running, loop) + shares.of(running, loop - 1), 0.04, "the loop in Python")
    # A silence of both kinds that no look fell into stays host.other; on taken cores some are.
    assert shares.of(["host.other"]) < 0.5, shares.of(["host.other"])


def gc():
    shares = Shares(report_of(python("gc_every_fifth.py", "600000")))
    expect(shares.of(["host.gc", "host.core_wait"], line_of("gc_every_fifth.py", "planted")), 0.7, "the collections")


def loader(workers):
    shares = Shares(report_of(python("slow_dataset.py", str(workers), "1")))
    planted = line_of("slow_dataset.py", "planted")
    causes = ["host.data_wait", "host.core_wait"]
    near = shares.of(causes, planted) + shares.of(causes, planted + 1)
    expect(near, 0.6, "the dataset's line")


def epochs():
    """Each epoch forks its worker anew: the next one is no second worker beside it."""
    notes = report_of(python("slow_dataset.py", "1", "4"))["trust"]["notes"]
    told = [note for note in notes if "DataLoader" in note]
    print(told)
    assert told and all("of 1 workers" in note for note in told), told


def queue():
    shares = Shares(report_of(python("queue_of_a_thread.py")))
    planted = line_of("queue_of_a_thread.py", "planted")
    expect(shares.of(["host.wait_thread"], planted), 0.1, "waits for the thread that were looked into")
    expect(shares.of(["host.wait_thread", "host.off_cpu", "host.core_wait"], planted), 0.5, "the queue")


def plain():
    report = report_of(python("plain_python.py"))
    expect(Shares(report).of(["host.python", "host.core_wait"], line_of("plain_python.py", "planted")), 0.5, "the planted line")
    assert any("no call of PyTorch" in note for note in report["trust"]["notes"]), report["trust"]["notes"]


# Exact on busy cores too: what ran before the first sample is told.
def loops():
    steps = report_of(python("counted_loop.py"))["steps"]
    assert steps["found_by"] == "loop_counter", steps["how"]
    before = re.search(r"\((\d+) ran before the first sample\)", steps["how"])
    assert steps["count"] + (int(before[1]) if before else 0) == 40, steps["how"]


def helper():
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run([os.environ["STEPSCOPE_BIN"], "profile", "-o", os.path.join(folder, "run"), "--", *python("idle_helper.py")],
                             capture_output=True, text=True, timeout=200)
    assert "no process recorded anything" in run.stderr, run.stderr


# Lines far shorter than the distance of looks, and silences of several lines: the program times each itself.
def mixed():
    report = report_of(python("mixed_lines.py"))
    shares = Shares(report)
    truth = json.loads(report["printed"].splitlines()[-1])
    for mark, share in truth.items():
        found = sum(cell["ns_total"] for cell in shares.cells
                    if cell.get("line") == line_of("mixed_lines.py", mark)) / shares.wall
        print(f"{mark}: {100 * share:.1f} % of the time, {100 * found:.1f} % reported")
        assert abs(found - share) < 0.2, mark
    assert report["trust"]["samples"] > 10, report["trust"]


def threads():
    report_of(python("threads.py", "3"))


def cpp():
    shares = Shares(report_of([os.environ["STEPSCOPE_SILENCES"]]))
    expect(shares.of(["host.off_cpu", "host.core_wait"]), 0.4, "sleeping")
    assert shares.of(["host.other"]) < 0.02, shares.of(["host.other"])


def off():
    shares = Shares(report_of([os.environ["STEPSCOPE_SILENCES"]], "--no-sampling"))
    expect(shares.of(["host.other"]), 0.9, "nothing told running from sleeping")


CASES = {"sleep": sleep, "gc": gc, "loader_0": lambda: loader(0), "loader_2": lambda: loader(2), "epochs": epochs, "queue": queue, "plain": plain, "loops": loops, "helper": helper,
         "mixed": mixed, "threads": threads, "cpp": cpp, "off": off}
CASES[sys.argv[1]]()
