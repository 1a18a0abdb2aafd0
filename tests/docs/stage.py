# SPDX-License-Identifier: Apache-2.0
"""A folder with the files that pages name: runs, traces, reports, an export of Nsight Systems, a program.

Two runs are recorded once, and every page's run.scope, before.scope, a1.scope, ... is a copy of one of them.
"""
import functools
import pathlib
import shutil
import sqlite3
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TRACES = ROOT / "tests/data/kineto"

SLOW_RUNS = ["run", "before", "other", "a1", "a2", "a3", "run1", "run2", "run3"]
FAST_RUNS = ["after", "new", "new1", "new2", "b1", "b2", "b3"]
SLOW_TRACES = ["trace.json.gz", "before.json.gz", "traces/new1.json.gz", "traces/new2.json.gz"]
FAST_TRACES = ["after.json.gz"]
SLOW_REPORTS = ["new1.json", "new2.json", "new3.json", "b1.json", "b2.json", "b3.json"]
FAST_REPORTS = ["main1.json", "main2.json", "main3.json", "a1.json", "a2.json", "a3.json"]

KERNEL_NS, PERIOD_NS = 600_000, 1_000_000


def program_folder(stage):
    """train.py and ./train, also as two checked-out states, as `gate run` is given them."""
    for folder in (stage, stage / "base", stage / "new"):
        shutil.copytree(HERE / "stage", folder, dirs_exist_ok=True)


def modules(folder, build):
    """The module of marks, as a wheel lays it out."""
    package = folder / "stepscope"
    shutil.copytree(ROOT / "python/stepscope", package, ignore=shutil.ignore_patterns("*.in"))
    shutil.copy(build / "python/_version.py", package)


def nsys_export(path):
    """Twenty steps of one kernel each, in the tables that `nsys export --type sqlite` writes."""
    thread = 1 << 48 | 100 << 24 | 100
    with sqlite3.connect(path) as file:
        file.executescript("""
            CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
            CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER,
              streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER);
            CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, eventClass INTEGER, globalTid INTEGER,
              correlationId INTEGER, nameId INTEGER, returnValue INTEGER);
            CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER,
              textId INTEGER, domainId INTEGER);
            INSERT INTO StringIds VALUES (1, 'ampere_sgemm_128x64_tn'), (2, 'cudaLaunchKernel_v7000');""")
        for step in range(20):
            begin = step * PERIOD_NS
            file.execute("INSERT INTO NVTX_EVENTS VALUES (?, ?, 59, ?, ?, NULL, 0)",
                         (begin, begin + PERIOD_NS - 1000, f"step {step}", thread))
            file.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, 0, ?, ?, 2, 0)",
                         (begin + 1000, begin + 5000, thread, step + 1))
            file.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, 0, 1, 7, ?, ?, 1, 1)",
                         (begin + 10_000, begin + 10_000 + KERNEL_NS, step + 1, 1 << 48 | 100 << 24))


def books(folder):
    """Text to make token shards of: the pages themselves."""
    folder.mkdir()
    for page in (ROOT / "docs").glob("*.md"):
        shutil.copy(page, folder / f"{page.stem}.txt")


def record(stage, environment, name, load):
    subprocess.run(["stepscope", "profile", "-o", name, "--", "python", "train.py", "--steps", "40", "--load", load],
                   cwd=stage, env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def reports(stage, environment, trace, names):
    done = subprocess.run(["stepscope", "report", trace, "--format", "json"], cwd=stage, env=environment, check=True,
                          stdout=subprocess.PIPE)
    for name in names:
        (stage / name).write_bytes(done.stdout)


def repository(stage, environment):
    """A git repository with the results of twenty commits, as a CI has it."""
    run = functools.partial(subprocess.run, cwd=stage, env=environment, check=True, stdout=subprocess.DEVNULL)
    run(["git", "init", "--quiet"])
    run(["git", "config", "user.name", "A reader"])
    run(["git", "config", "user.email", "reader@example.org"])
    run(["python", HERE / "gate/make_history.py", "main1.json"])


def set_up(stage, environment):
    """Fills the folder `stage`; `stepscope` and `python` are found by the environment's PATH."""
    program_folder(stage)
    record(stage, environment, "run", "0.003")
    record(stage, environment, "after", "0.001")
    for names, one in ((SLOW_RUNS, "run"), (FAST_RUNS, "after")):
        for name in names:
            if name != one:
                shutil.copytree(stage / f"{one}.scope", stage / f"{name}.scope")
    (stage / "traces").mkdir()
    shutil.copytree(stage / "run.scope", stage / "traces/run.scope")
    for names, one in ((SLOW_TRACES, "bad"), (FAST_TRACES, "fixed")):
        for name in names:
            shutil.copy(TRACES / f"sync_mask_norms.{one}.json.gz", stage / name)
    reports(stage, environment, "before.json.gz", SLOW_REPORTS)
    reports(stage, environment, "after.json.gz", FAST_REPORTS)
    reports(stage, environment, "run.scope", ["baseline.json"])
    nsys_export(stage / "run.sqlite")
    books(stage / "books")
    (stage / "new/.stepscope").mkdir()
    shutil.copy(ROOT / "examples/tutorial/operations.json", stage / "new/.stepscope/policy.json")
    repository(stage, environment)
