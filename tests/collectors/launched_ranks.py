# SPDX-License-Identifier: Apache-2.0
"""launched_ranks.py [mpirun] [mpich] [slurm] [spawn]: ranks that a launcher started, or the program itself: each under a profiler
of its own, or all under one; on one host, and on two.

mpirun is Open MPI's, where it is installed. srun and MPICH are played by their variables, and the second host by processes
with another host name (a UTS namespace, which needs root). Each job's report must have all ranks and name the late one."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

STEPSCOPE = os.environ["STEPSCOPE_BIN"]
PYTHON = os.environ.get("STEPSCOPE_PYTHON") or sys.executable
PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")
PROGRAM = os.path.join(PROGRAMS, "late_ranks.py")
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", "2"]
ON_NODE_2 = ["unshare", "--uts", "sh", "-c", 'hostname node2 && exec "$@"', "sh"]


def environment(port, **more):
    return {**os.environ, "OMP_NUM_THREADS": "1", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), **more}


def run(command, **variables):
    done = subprocess.run(command, capture_output=True, text=True, timeout=200, env=environment(**variables))
    assert done.returncode == 0, f"{command}: {done.stderr[-2000:]}"
    return done.stderr


def run_report(path):
    done = subprocess.run([STEPSCOPE, "report", path, "--format", "json"], capture_output=True, text=True, timeout=200)
    assert done.returncode in (0, 3), done.stderr
    return done.stdout


def check(path, ranks, hosts):
    job = json.loads(run_report(path))["job"]
    assert [rank["rank"] for rank in job["ranks"]] == list(range(ranks)), job
    assert job["world_size"] == ranks and len({rank["host"] for rank in job["ranks"]}) == hosts, job
    assert [rank["rank"] for rank in job["ranks"] if rank["late"]] == [1], job
    return job


def under_mpirun(folder):
    job = os.path.join(folder, "job")
    said = run([*MPIRUN, STEPSCOPE, "profile", "-o", job, "--", PYTHON, PROGRAM, "late"], port=29611)
    assert f"stepscope report {job}" in said, said
    assert sorted(os.listdir(job)) == ["rank0.scope", "rank1.scope"], os.listdir(job)
    check(job, 2, 1)
    summaries = [os.path.join(job, f"rank{rank}.scope", f"rank{rank}.summary") for rank in (0, 1)]
    assert all(os.path.isfile(summary) for summary in summaries), "each rank reduced itself"
    with_them = run_report(job)
    for summary in summaries:
        os.remove(summary)
    assert run_report(job) == with_them
    one = os.path.join(folder, "one.scope")
    run([STEPSCOPE, "profile", "-o", one, "--", *MPIRUN, PYTHON, PROGRAM, "late"], port=29612)
    check(one, 2, 1)


def by_variables(folder, name, rank_variable, size_variable, port, second_host):
    """Four ranks, two a host."""
    job = os.path.join(folder, name)
    processes = []
    for rank in range(4):
        place = ON_NODE_2 if second_host and rank >= 2 else []
        processes.append(subprocess.Popen(
            [*place, STEPSCOPE, "profile", "-o", job, "--", PYTHON, PROGRAM, "late"], stderr=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, env=environment(port, **{rank_variable: str(rank), size_variable: "4"})))
    assert [process.wait(timeout=200) for process in processes] == [0] * 4
    found = check(job, 4, 2 if second_host else 1)
    for clock in found["clocks"]:  # it is one clock
        assert clock["host"] == "node2" and abs(clock["offset_ns"]) < 2_000_000, clock
    assert len(found["clocks"]) == second_host


def spawned(folder):
    """The ranks tell their number to their process group alone."""
    job = os.path.join(folder, "spawned.scope")
    run([STEPSCOPE, "profile", "-o", job, "--", PYTHON, os.path.join(PROGRAMS, "spawned_ranks.py"), "29615"], port=29616)
    check(job, 2, 1)


def main():
    kinds = sys.argv[1:] or ["mpirun", "mpich", "slurm", "spawn"]
    can_be_two = subprocess.run([*ON_NODE_2, "true"], capture_output=True).returncode == 0
    with tempfile.TemporaryDirectory() as folder:
        if "mpirun" in kinds and shutil.which("mpirun"):
            under_mpirun(folder)
        if "spawn" in kinds:
            spawned(folder)
        if "mpich" in kinds:
            by_variables(folder, "mpich", "PMI_RANK", "PMI_SIZE", 29613, False)
        if "slurm" in kinds:
            by_variables(folder, "slurm", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", 29614, can_be_two)
    print("ok", "with mpirun" if shutil.which("mpirun") else "without mpirun", "two hosts" if can_be_two else "one host")


if __name__ == "__main__":
    main()
