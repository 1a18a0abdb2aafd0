# SPDX-License-Identifier: Apache-2.0
"""What the tests of this folder share: running a command plain and under `stepscope profile`, and saying how it went.

A test is a function options -> result; a result is a dict with "passed" and "headline", written as JSON to
OUT/NAME.json. Exit status: 0 passed, 1 failed, 77 skipped, with the reason on the last line.
"""

import argparse
import ctypes
import dataclasses
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = os.path.join(HERE, "programs")
SKIPPED = 77
LIMIT_S = 300


class Skip(Exception):
    """Why a test cannot run here."""


@dataclasses.dataclass
class Finished:
    status: int
    stdout: str
    stderr: str
    seconds: float


def program(name):
    return os.path.join(PROGRAMS, name)


def need_gpu():
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        raise Skip(f"no CUDA driver: {error}") from error
    count = ctypes.c_int(0)
    status = driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count))
    if status != 0 or count.value == 0:
        raise Skip(f"no GPU: the driver answers {status}, {count.value} devices")


def need_torch(python):
    """Without importing it: that takes seconds."""
    look = "import importlib.util as u; print(u.find_spec('torch').submodule_search_locations[0])"
    done = subprocess.run([python, "-c", look], capture_output=True, text=True)
    if done.returncode != 0:
        raise Skip(f"{python} has no torch")
    with open(os.path.join(done.stdout.strip(), "version.py")) as file:
        if not re.search(r"^cuda\b.*= *'", file.read(), re.MULTILINE):
            raise Skip(f"the torch of {python} was built without CUDA")


def run(command, limit_s=LIMIT_S, **environment):
    """A process group of its own, killed as a whole where it hangs: status 124, as of timeout(1)."""
    begin = time.monotonic()
    process = subprocess.Popen(command, env=dict(os.environ, PYTHONDONTWRITEBYTECODE="1", **environment), text=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               start_new_session=True)
    try:
        stdout, stderr = process.communicate(timeout=limit_s)
        status = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        stdout, stderr = process.communicate()
        status = 124
    return Finished(status, stdout, stderr, time.monotonic() - begin)


def profile_command(options, scope, command, words=()):
    """`stepscope profile` into the folder SCOPE, which must end in .scope. An earlier test's is removed first."""
    shutil.rmtree(scope, ignore_errors=True)
    return [options.stepscope, "profile", "-o", scope.removesuffix(".scope"), *words, "--", *command]


def run_profiled(options, scope, command, words=(), **environment):
    return run(profile_command(options, scope, command, words), **environment)


def shell_status(status):
    """What `stepscope profile` passes on for a child that subprocess saw end so."""
    return 128 - status if status < 0 else status


def own_lines_removed(stderr):
    return "\n".join(line for line in stderr.splitlines() if not line.startswith("stepscope: "))


def last_json(text):
    for line in reversed(text.splitlines()):
        if line.startswith("{"):
            return json.loads(line)
    raise ValueError(f"no line of JSON in the output: {text[-500:]!r}")


def report(options, scope):
    """The report as JSON. Exit 3 says that there are no steps, which is fine here."""
    done = subprocess.run([options.stepscope, "report", scope, "--format", "json"], capture_output=True, text=True)
    if done.returncode not in (0, 3):
        raise RuntimeError(f"stepscope report {scope} ended with {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def compile_cuda(name, folder, *flags):
    """programs/NAME.cu, compiled once a folder. No architecture is named: the driver compiles the PTX."""
    target = os.path.join(folder, "_".join([name, *(flag.strip("-") for flag in flags)]))
    if os.path.exists(target):
        return target
    nvcc = shutil.which("nvcc") or next(iter(glob.glob("/usr/local/cuda*/bin/nvcc")), None)
    if nvcc is None:
        raise Skip("no nvcc on the PATH or in /usr/local/cuda: it compiles this test's program")
    done = subprocess.run([nvcc, "-O2", "-std=c++17", *flags, "-o", target, program(name + ".cu")],
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"nvcc failed on {name}.cu:\n{done.stderr}")
    return target


def without_pids(text):
    return re.sub(r"\b\d{3,}\b", "N", text)


def parser(description):
    made = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--stepscope", default=os.environ.get("STEPSCOPE_BIN"), help="the stepscope binary")
    made.add_argument("--python", default=os.environ.get("STEPSCOPE_PYTHON") or sys.executable,
                      help="an interpreter that has torch")
    made.add_argument("--out", help="where results and traces stay; default: nowhere")
    return made


def conclude(name, options, test):
    with tempfile.TemporaryDirectory(prefix=f"stepscope_{name}_") as scratch:
        options.out = os.path.abspath(options.out or scratch)
        os.makedirs(options.out, exist_ok=True)
        try:
            if not options.stepscope:
                raise Skip("--stepscope or STEPSCOPE_BIN names the binary under test; neither is given")
            options.stepscope = os.path.abspath(options.stepscope)
            need_gpu()
            result = test(options)
        except Skip as reason:
            print(f"{name} SKIPPED: {reason}", flush=True)
            return SKIPPED
        except (OSError, RuntimeError, ValueError, LookupError) as error:
            traceback.print_exc()
            result = {"passed": False, "headline": f"it broke off: {error}"}
        with open(os.path.join(options.out, name + ".json"), "w") as file:
            json.dump(result, file, indent=1)
        print(f"{name} {'PASS' if result['passed'] else 'FAIL'}: {result['headline']}", flush=True)
        return 0 if result["passed"] else 1
