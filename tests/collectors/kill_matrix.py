# SPDX-License-Identifier: Apache-2.0
"""kill_matrix.py CASE: one way for a process to end, with and without `stepscope profile`.

Each case checks that the exit status and the output are the same with and without us, that nothing
hangs, and that what was recorded up to the end is in the store.
From the environment: STEPSCOPE_BIN, STEPSCOPE_SCOPE_EVENTS, STEPSCOPE_RANGES, and for the cases with
PyTorch STEPSCOPE_PYTHON, an interpreter that has torch.
"""

import collections
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SIGNALLED, EXITED, RETURNED, EXECUTED = 3, 2, 1, 4
LIMIT_S = 240


def need(variable):
    value = os.environ.get(variable, "")
    if not value:
        sys.exit(f"{variable} is not set: it names what this test runs")
    return value


def environment():
    return dict(os.environ, OMP_NUM_THREADS="1", PYTHONDONTWRITEBYTECODE="1", CUDA_VISIBLE_DEVICES="")


def plain(command):
    return subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=LIMIT_S)


class Profiled:
    """A command under `stepscope profile` and what it recorded."""

    def __init__(self, command, options=(), signal_at_first_line=None):
        self.folder = tempfile.TemporaryDirectory()
        scope = os.path.join(self.folder.name, "run")
        words = [need("STEPSCOPE_BIN"), "profile", "-o", scope, *options, "--", *command]
        process = subprocess.Popen(words, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        first = ""
        if signal_at_first_line is not None:
            first = process.stdout.readline()
            process.send_signal(signal_at_first_line)
        rest, self.stderr = process.communicate(timeout=LIMIT_S)
        self.stdout = first + rest
        self.status = process.returncode
        self.scope = scope + ".scope"
        self.trace = {"processes": [], "ranges": [], "dropped": 0}
        if not os.path.exists(self.scope):  # nothing was recorded
            return
        self.run = json.loads(pathlib.Path(self.scope, "run.json").read_text())
        if any(name.endswith(".sst") for name in os.listdir(self.scope)):
            out = subprocess.run([need("STEPSCOPE_SCOPE_EVENTS"), self.scope], capture_output=True, text=True)
            assert out.returncode == 0, out.stderr
            self.trace = json.loads(out.stdout)
        assert not os.path.exists(os.path.join(self.scope, "live")), os.listdir(os.path.join(self.scope, "live"))

    def count(self, name, pid=None):
        return sum(r["name"] == name and pid in (None, r["pid"]) for r in self.trace["ranges"])

    def process(self, name=None):
        found = [p for p in self.trace["processes"] if name in (None, p["name"])]
        assert len(found) == 1, self.trace["processes"]
        return found[0]


def shell_status(returncode):
    """What `stepscope profile` passes on for a child that subprocess saw end so."""
    return 128 - returncode if returncode < 0 else returncode


def without_pids(text):
    return re.sub(r"\b\d{3,}\b", "N", text)


def check_same(before, after):
    assert after.status == shell_status(before.returncode), (before.returncode, after.status, after.stderr)
    assert after.stdout == before.stdout, (before.stdout, after.stdout)
    own = [line for line in after.stderr.splitlines() if line.startswith("stepscope: ")]
    rest = "\n".join(line for line in after.stderr.splitlines() if line not in own)
    assert without_pids(rest.strip()) == without_pids(before.stderr.strip()), (before.stderr, after.stderr)


def cpp_case(mode, ranges=200, reason=None, status=None):
    command = [need("STEPSCOPE_RANGES"), mode]
    run = Profiled(command)
    check_same(plain(command), run)
    assert run.trace["dropped"] == 0
    assert run.count("work") == ranges, run.count("work")
    if reason is not None:
        process = run.process()
        assert (process["exit_reason"], process["exit_status"]) == (reason, status), process
    return run


def cpp_sigkill():
    run = cpp_case("sigkill", reason=SIGNALLED, status=9)
    assert "the process ended without a word; its last records were recovered" in run.stderr, run.stderr


def cpp_fork():
    run = cpp_case("fork")
    assert len(run.trace["processes"]) == 5
    assert run.count("worker") == 4 * 50


def cpp_exec():
    run = cpp_case("exec", ranges=400)
    stores = [name for name in os.listdir(run.scope) if name.endswith(".sst")]
    assert len(stores) == 2, stores


def cpp_signal_to_launcher(number):
    run = Profiled([need("STEPSCOPE_RANGES"), "wait"], signal_at_first_line=number)
    assert run.status == 128 + number, (run.status, run.stderr)
    assert run.stdout == "worked, then wait\n"
    assert run.count("work") == 200
    assert run.process()["exit_reason"] == SIGNALLED


def cpp_all_killed():
    """The launcher as well: a report recovers what is left, once."""
    with tempfile.TemporaryDirectory() as folder:
        scope = os.path.join(folder, "run.scope")
        process = subprocess.Popen([need("STEPSCOPE_BIN"), "profile", "-o", scope, "--", need("STEPSCOPE_RANGES"),
                                    "wait"], env=environment(), stdout=subprocess.PIPE, text=True,
                                   start_new_session=True)
        process.stdout.readline()
        os.killpg(process.pid, signal.SIGKILL)
        process.stdout.read()  # until the program is gone, too
        process.wait()
        said = [subprocess.run([need("STEPSCOPE_BIN"), "export", scope, "--to", "csv", "-o", os.path.join(folder, "o")],
                               capture_output=True, text=True).stderr for _ in range(2)]
        assert ["were recovered" in text for text in said] == [True, False], said
        out = subprocess.run([need("STEPSCOPE_SCOPE_EVENTS"), scope], capture_output=True, text=True)
        assert sum(r["name"] == "work" for r in json.loads(out.stdout)["ranges"]) == 200


def cpp_sanitized():
    """A program built with AddressSanitizer, that a shell starts."""
    run = Profiled(["/bin/sh", "-c", need("STEPSCOPE_ASAN_RANGES") + " return"])
    assert run.status == 0 and run.count("work") == 200, (run.status, run.stderr)


def cpp_command_with_separator():
    shell = ["/bin/sh", "-c", "echo \"0=$0 args=$*\"", "--", "a", "b"]
    with tempfile.TemporaryDirectory() as folder:
        for separator in ([], ["--"]):
            words = [need("STEPSCOPE_BIN"), "profile", "-o", folder + "/x", *separator, *shell]
            out = subprocess.run(words, capture_output=True, text=True, env=environment())
            assert out.stdout == plain(shell).stdout, (separator, out.stdout, out.stderr)


def cpp_nothing_recorded():
    run = Profiled(["/bin/sh", "-c", "echo hello; exit 9"])
    assert (run.status, run.stdout) == (9, "hello\n")
    assert os.listdir(run.folder.name) == [], os.listdir(run.folder.name)
    said = [line.removeprefix("stepscope: ") for line in run.stderr.splitlines()]
    assert said[0] == "/bin/sh ended with status 9", said
    assert said[1].startswith("nothing was recorded: the program ended before"), said
    assert said[2].endswith("run.scope held nothing and was removed") and len(said) == 3, said


def cpp_overwrite():
    """An earlier recording is replaced only where that was asked for, and by one that holds something."""
    with tempfile.TemporaryDirectory() as folder:
        def profile(*command, options=("--overwrite",)):
            words = [need("STEPSCOPE_BIN"), "profile", "-o", "x", *options, "--", *command]
            done = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT_S, env=environment(), cwd=folder)
            return done.stderr.splitlines()

        def store_of(name):
            return [file for file in os.listdir(os.path.join(folder, name)) if file.endswith(".sst")]

        ranges = [need("STEPSCOPE_RANGES"), "return"]
        said = profile(*ranges)
        assert re.fullmatch(r"stepscope: recorded x\.scope \(\d+ KiB\)", said[0]), said
        assert said[1] == "stepscope: now run: stepscope report x.scope", said
        first = store_of("x.scope")
        said = profile(*ranges, options=())
        assert said[0] == "stepscope: x.scope exists: writing x.2.scope (--overwrite replaces it)", said
        assert store_of("x.scope") == first and len(store_of("x.2.scope")) == 1
        profile("/bin/sh", "-c", "exit 3")
        assert store_of("x.scope") == first, "a run that recorded nothing replaced one that did"
        said = profile(*ranges)
        assert said[-1] == "stepscope: now run: stepscope report x.scope", said
        assert store_of("x.scope") != first and len(store_of("x.scope")) == 1
        assert sorted(os.listdir(folder)) == ["x.2.scope", "x.scope"], os.listdir(folder)
        pathlib.Path(folder, "x.scope", "notes.txt").write_text("mine")
        said = profile(*ranges)
        assert said[0] == "stepscope: x.scope holds notes.txt, which is not ours: writing x.3.scope", said
        assert pathlib.Path(folder, "x.scope", "notes.txt").read_text() == "mine"


def cpp_plan_never_came():
    for mode in ("return", "steps"):
        for why, until in (("--start-after", "1000000"), ("--capture-range", "no such range")):
            run = Profiled([need("STEPSCOPE_RANGES"), mode], options=[why, until])
            said = [line for line in run.stderr.splitlines() if "nothing was recorded: " in line]
            assert len(said) == 1 and why in said[0], run.stderr
            report = subprocess.run([need("STEPSCOPE_BIN"), "report", run.scope], capture_output=True, text=True)
            if mode == "return":  # without a step mark there is nothing at all
                assert report.returncode == 4 and "nothing was recorded: " in report.stderr, report.stderr
                assert why in report.stderr, report.stderr
            else:
                first = report.stdout.splitlines()[0]
                assert first.startswith("NOTHING RECORDED  ") and why in first, report.stdout
            assert "--step-marker" not in report.stdout + report.stderr, (report.stdout, report.stderr)


def torch_plan_and_quick_exit():
    """What a plan left out is no step, also where the program ends without a word."""
    for options, counted in ((["--steps", "5"], range(1, 6)), (["--window", "4/4"], range(1, 13))):
        run = Profiled(torch_command("quick_exit"), options=options)
        report = subprocess.run([need("STEPSCOPE_BIN"), "report", "--format", "json", run.scope], capture_output=True, text=True)
        steps = json.loads(report.stdout)["partition"]["steps_counted"]
        assert steps in counted, (options, steps)


def cpp_only():
    program = need("STEPSCOPE_RANGES")
    chosen = Profiled(["/bin/sh", "-c", f"{program} return"], options=["--only", "^collectors_ranges$"])
    assert chosen.count("work") == 200
    others = Profiled(["/bin/sh", "-c", f"{program} return"], options=["--only", "^train.py$"])
    assert others.trace["ranges"] == []


def cpp_bad_input():
    def status_of(*words, **more):
        done = subprocess.run([need("STEPSCOPE_BIN"), "profile", *words], capture_output=True, text=True,
                              timeout=LIMIT_S, env=environment(), **more)
        return done.returncode, done.stdout, done.stderr

    with tempfile.TemporaryDirectory() as folder:
        assert status_of("-o", folder + "/a", "--", "/no/such/program")[0] == 127
        assert status_of("-o", folder + "/made/for it/a", "--", "/no/such/program")[0] == 127
        assert status_of("-o", folder + "/made/for it/a", "--", "true")[0] == 0  # records nothing
        assert status_of("-o", folder + "/b", "--", "/etc/passwd")[0] == 126
        assert status_of("-o", folder + "/c")[0] == 2
        assert status_of("-o", folder + "/d", "--level", "high", "--", "true")[0] == 2
        assert status_of("-o", folder + "/e", "--only", "(", "--", "true")[0] == 2
        assert os.listdir(folder) == [], os.listdir(folder)
        near = "did you mean '--level'?"
        for wrong, says in (("--levl", near), ("--levl=deep", near), ("--xyzzy", "--help")):
            status, out, err = status_of(wrong, "deep", "--", "true")
            assert (status, out) == (2, "") and wrong.split("=")[0] in err and says in err, (status, out, err)
        assert status_of("--", "--xyzzy")[0] == 2
        for wrong, says in (("--level", "did you mean 'deep'?"), ("--graphs", "is none of nodes, whole")):
            status, out, err = status_of(wrong, "dep", "--", "true")
            assert (status, out) == (2, "") and says in err, (status, out, err)
        for bad in ("/proc/nowhere/run", "/dev/null/run"):
            status, out, err = status_of("-o", bad, "--", "sh", "-c", "echo hi; exit 4")
            assert (status, out) == (4, "hi\n") and "runs unprofiled" in err, (status, out, err)
        assert os.listdir(folder) == [], os.listdir(folder)


def cpp_doctor():
    def doctor(folder):
        return subprocess.run([need("STEPSCOPE_BIN"), "doctor", folder], capture_output=True, text=True)

    here = doctor(".")
    assert here.returncode == 0, here
    assert re.search(r"^(ok|missing) +timeline ", here.stdout, re.MULTILINE), here.stdout
    missing = doctor("/no/such/folder")
    assert missing.returncode == 4 and "/no/such/folder does not exist" in missing.stderr, missing
    assert missing.stdout == "", missing


def cpp_preload_kept():
    echo = "echo \"$LD_PRELOAD\"; echo \"$CUDA_INJECTION64_PATH\"; exec \"$0\" return > /dev/null"
    command = ["/bin/sh", "-c", echo, need("STEPSCOPE_RANGES")]  # it records, else the folder goes
    os.environ["LD_PRELOAD"] = "libm.so.6"
    os.environ["CUDA_INJECTION64_PATH"] = "/opt/other/libother.so"
    run = Profiled(command)
    preload, cuda = run.stdout.splitlines()
    assert preload.startswith("libm.so.6:") and preload.endswith("libstepscope_inject.so"), preload
    assert cuda == "/opt/other/libother.so"
    assert run.run["rivals"] == ["CUDA_INJECTION64_PATH=/opt/other/libother.so"]
    assert "belongs to another tool" in run.stderr


def cpp_device_tool():
    with tempfile.TemporaryDirectory() as folder:
        for name, is_one in (("compute-sanitizer", True), ("compute", False)):
            tool = os.path.join(folder, name)
            with open(tool, "w") as file:
                file.write('#!/bin/sh\nexec "$@"\n')
            os.chmod(tool, 0o755)
            echo = "echo \"rival ${STEPSCOPE_RIVAL-none}\"; exec \"$0\" return > /dev/null"
            run = Profiled([tool, "/bin/sh", "-c", echo, need("STEPSCOPE_RANGES")])
            assert run.stdout == f"rival {tool if is_one else 'none'}\n", run.stdout
            assert run.run["rivals"] == ([tool] if is_one else []), run.run
            assert ("traces the device itself" in run.stderr) == is_one, run.stderr


# With PyTorch -------------------------------------------------------------------------------------

def torch_command(mode, steps=20):
    return [need("STEPSCOPE_PYTHON"), str(HERE / "programs" / "train.py"), mode, str(steps)]


def python_without_its_script():
    """What a Python records that cannot start is nothing."""
    command = [sys.executable, "no_such_script.py"]
    run = Profiled(command)
    check_same(plain(command), run)
    assert os.listdir(run.folder.name) == [], os.listdir(run.folder.name)
    assert f"stepscope: {sys.executable} ended with status 2" in run.stderr, run.stderr


def torch_case(mode, steps=20, reason=None, status=None):
    command = torch_command(mode, steps)
    run = Profiled(command)
    check_same(plain(command), run)
    assert run.trace["dropped"] == 0
    assert run.count("Optimizer.step#AdamW.step") == steps, run.count("Optimizer.step#AdamW.step")
    assert run.count("backward") == steps
    assert run.trace["sites_found"] >= 0.95 * run.trace["sites_wanted"] > 0
    if reason is not None:
        process = run.process("train.py")
        assert (process["exit_reason"], process["exit_status"]) == (reason, status), process
        assert process["facts"]["torch"].startswith("2."), process["facts"]
    return run


def torch_exec():
    command = torch_command("exec")
    run = Profiled(command)
    check_same(plain(command), run)
    assert run.count("Optimizer.step#AdamW.step") == 20 + 5


def torch_dataloader(starts):
    command = torch_command("dataloader")
    before = plain(command)
    for _ in range(starts):
        run = Profiled(command)
        check_same(before, run)
        parent = run.trace["ranges"] and max(collections.Counter(r["pid"] for r in run.trace["ranges"]).items(),
                                             key=lambda item: item[1])[0]
        workers = {r["pid"] for r in run.trace["ranges"] if r["name"] == "aten::sin"} - {parent}
        assert len(workers) == 2 * 3, run.trace["processes"]  # two for each of the three passes
        assert run.count("Optimizer.step#AdamW.step") == 24


def torch_profiler_inside():
    run = Profiled(torch_command("profiler"))
    assert run.status == 0, run.stderr
    result = json.loads(run.stdout)
    assert len(result["losses"]) == 20 and run.count("Optimizer.step#AdamW.step") == 20 + 3 + 1
    window = next(r for r in run.trace["ranges"] if r["name"] == "window")
    ours = collections.Counter(r["name"] for r in run.trace["ranges"]
                               if window["begin"] <= r["begin"] and r["end"] <= window["end"])
    theirs = collections.Counter(result["counts"])
    assert ours == theirs, {"ours": ours - theirs, "theirs": theirs - ours}
    assert sum(theirs.values()) > 100


def torch_memory():
    """Reports of memory pass through us: the program's own profiler has the same, and ours those of the GPU's."""
    command = [need("STEPSCOPE_PYTHON"), str(HERE / "programs" / "memory.py")]
    before = plain(command)
    for options, ours in ((["--level", "deep"], [512, 1024]), ([], [])):
        run = Profiled(command, options=options)
        assert (run.status, run.stdout) == (before.returncode, before.stdout), run.stderr  # stderr holds times
        told = [c["value"] for c in run.trace["counters"] if c["track"] == "gpu.1.allocator_allocated_bytes"]
        assert told == ours, run.trace["counters"]
    events = json.loads(before.stdout)
    assert sum(kind.endswith("CPU") for kind, _, _ in events) >= 9, events
    assert [row[1:] for row in events if row[0].endswith("CUDA")] == [[1, 512]], events


def torch_ranks(mode):
    torchrun = [need("STEPSCOPE_PYTHON"), "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2",
                str(HERE / "programs" / "ranks.py"), mode]
    before = plain(torchrun)
    run = Profiled(torchrun, options=["--only", "^ranks.py$"])
    assert run.status == shell_status(before.returncode), (before.returncode, run.status, run.stderr)
    assert (run.status == 0) == (mode == "pass")
    assert sorted(run.stdout.splitlines()) == sorted(before.stdout.splitlines())
    ranks = {p["rank"]: p["pid"] for p in run.trace["processes"]}
    assert sorted(ranks) == [0, 1], run.trace["processes"]
    for pid in ranks.values():
        assert run.count("rank_step", pid) == 20, run.count("rank_step", pid)
        assert run.count("gloo:all_reduce", pid) == 20


CASES = {
    "cpp_return": lambda: cpp_case("return", reason=RETURNED, status=0),
    "cpp_exit": lambda: cpp_case("exit", reason=EXITED, status=3),
    "cpp_quick_exit": lambda: cpp_case("quick_exit", reason=EXITED, status=5),
    "cpp_sigterm": lambda: cpp_case("sigterm", reason=SIGNALLED, status=15),
    "cpp_sigkill": cpp_sigkill,
    "cpp_abort": lambda: cpp_case("abort", reason=SIGNALLED, status=6),
    "cpp_segv": lambda: cpp_case("segv", reason=SIGNALLED, status=11),
    "cpp_fork": cpp_fork,
    "cpp_exec": cpp_exec,
    "cpp_sigint_to_launcher": lambda: cpp_signal_to_launcher(signal.SIGINT),
    "cpp_sigterm_to_launcher": lambda: cpp_signal_to_launcher(signal.SIGTERM),
    "cpp_all_killed": cpp_all_killed,
    "cpp_sanitized": cpp_sanitized,
    "cpp_command_with_separator": cpp_command_with_separator,
    "cpp_nothing_recorded": cpp_nothing_recorded,
    "cpp_overwrite": cpp_overwrite,
    "cpp_plan_never_came": cpp_plan_never_came,
    "cpp_only": cpp_only,
    "cpp_bad_input": cpp_bad_input,
    "cpp_doctor": cpp_doctor,
    "cpp_preload_kept": cpp_preload_kept,
    "cpp_device_tool": cpp_device_tool,
    "python_without_its_script": python_without_its_script,
    "torch_return": lambda: torch_case("return", reason=RETURNED, status=0),
    "torch_exit": lambda: torch_case("exit", reason=EXITED, status=3),
    "torch_raise": lambda: torch_case("raise"),
    "torch_quick_exit": lambda: torch_case("quick_exit", reason=EXITED, status=5),
    "torch_plan_and_quick_exit": torch_plan_and_quick_exit,
    "torch_sigterm": lambda: torch_case("sigterm", reason=SIGNALLED, status=15),
    "torch_sigkill": lambda: torch_case("sigkill", reason=SIGNALLED, status=9),
    "torch_abort": lambda: torch_case("abort", reason=SIGNALLED, status=6),
    "torch_exec": torch_exec,
    "torch_dataloader_3_starts": lambda: torch_dataloader(3),
    "torch_dataloader_20_starts": lambda: torch_dataloader(20),  # scripts/nightly
    "torch_profiler_inside": torch_profiler_inside,
    "torch_memory": torch_memory,
    "torch_ranks_pass": lambda: torch_ranks("pass"),
    "torch_ranks_fail": lambda: torch_ranks("fail"),
}

if __name__ == "__main__":
    CASES[sys.argv[1]]()
