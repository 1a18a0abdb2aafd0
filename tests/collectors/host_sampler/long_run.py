#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the sampler must outlast, too long for every test run (scripts/nightly).

  long_run.py places LIBRARY [COUNT]              20,000,000 places read of threads that begin and end (stress_test.py)
  long_run.py starts STEPSCOPE INJECT [COUNT]     1,000 profiled starts of a program whose threads begin and end; INJECT is
                                                  libstepscope_inject.so built with -fsanitize=address

Prints what it counted; exit 1 where something was wrong, 2 where it could not run.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
# A range makes a thread known to the recorder, without the seconds that PyTorch takes to start.
PROGRAM = """
import ctypes, threading, time

library = ctypes.CDLL(None)

def work(n):
    library.stepscope_range_begin(b"piece")
    library.stepscope_range_end()
    until = time.perf_counter() + 0.002
    while time.perf_counter() < until:
        sum(i for i in range(50))
    time.sleep(0.001)

for k in range(6):
    threads = [threading.Thread(target=work, args=(i,)) for i in range(5)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
"""


def places(library, count):
    read = wrong = torn = 0
    while read < count:
        done = subprocess.run([sys.executable, HERE / "stress_test.py", "60"], capture_output=True, text=True,
                              env={**os.environ, "STEPSCOPE_SAMPLER_PROBE": library, "PYTHONDONTWRITEBYTECODE": "1"})
        if done.returncode != 0:
            print(f"after {read} places: exit {done.returncode}\n{done.stdout}{done.stderr[-2000:]}")
            return 1
        words = done.stdout.split()
        read, torn, wrong = read + int(words[2]), torn + int(words[4]), wrong + int(words[-2])
        print(f"{read} places, {torn} torn, {wrong} wrong", flush=True)
    return 1 if wrong else 0


def asan():
    found = subprocess.run(["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True).stdout.strip()
    return found if os.path.isabs(found) else sys.exit("libasan.so was not found; install gcc")


def starts(stepscope, inject, count):
    environment = {**os.environ, "STEPSCOPE_INJECT_LIBRARY": inject, "LD_PRELOAD": asan(), "PYTHONDONTWRITEBYTECODE": "1",
                   "ASAN_OPTIONS": "detect_leaks=0:exitcode=99:abort_on_error=0"}
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "threads.py"
        program.write_text(PROGRAM)
        for start in range(count):
            trace = pathlib.Path(folder) / "run"
            done = subprocess.run([stepscope, "profile", "-o", trace, "--", sys.executable, program], capture_output=True, text=True,
                                  env=environment, timeout=120)
            if done.returncode != 0 or "AddressSanitizer" in done.stderr:
                print(f"start {start}: exit {done.returncode}\n{done.stderr[-4000:]}")
                return 1
            if start == 0 and not list(pathlib.Path(f"{trace}.scope").glob("*.sst")):
                sys.exit("nothing was recorded: is the library the one of this build?")
            subprocess.run(["rm", "-rf", f"{trace}.scope"], check=True)
            if start % 100 == 99:
                print(f"{start + 1} starts, no report", flush=True)
    return 0


if __name__ == "__main__":
    if len(sys.argv) >= 3 and sys.argv[1] == "places":
        sys.exit(places(sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 20_000_000))
    if len(sys.argv) >= 4 and sys.argv[1] == "starts":
        sys.exit(starts(sys.argv[2], sys.argv[3], int(sys.argv[4]) if len(sys.argv) > 4 else 1000))
    print(__doc__)
    sys.exit(2)
