# SPDX-License-Identifier: Apache-2.0
"""Records two Gloo ranks, and four, and checks the job's report: the late rank, its line and its cost; ranks that are killed,
missing or doubled are named, and the rest is reported."""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

STEPSCOPE = os.environ["STEPSCOPE_BIN"]
PYTHON = os.environ.get("STEPSCOPE_PYTHON") or sys.executable
PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs", "late_ranks.py")


def record(folder, mode, ranks=2):
    path = os.path.join(folder, f"{mode}{ranks}.scope")
    command = [STEPSCOPE, "profile", "-o", path, "--", PYTHON, "-m", "torch.distributed.run", "--standalone",
               "--nproc_per_node", str(ranks), PROGRAM, mode]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300,
                         env={**os.environ, "OMP_NUM_THREADS": "1"})
    return path, run.stdout


def report(path):
    run = subprocess.run([STEPSCOPE, "report", path, "--format", "json"], capture_output=True, text=True, timeout=300)
    assert run.returncode in (0, 3), run.stderr
    return json.loads(run.stdout)


def check_sum(document):
    assert "job" in document, notes(document)
    job, partition = document["job"], document["partition"]
    assert partition["wall_ns_total"] == len(job["ranks"]) * job["wall_ns_total"]
    assert sum(cell["ns_total"] for cell in document["cells"]) == partition["wall_ns_total"]
    assert sum(part["ns_total"] for part in partition["parts"]) == partition["wall_ns_total"]
    counted = [step for step in document["steps"]["list"] if step["counted"]]
    assert all(sum(step["parts"].values()) == step["wall_ns"] for step in counted)
    of_steps = sum(step["parts"].get("host.off_cpu", 0) for step in counted) * len(job["ranks"])
    of_job = sum(part["ns_total"] for part in partition["parts"] if part["cause"] == "host.off_cpu")
    assert abs(of_steps - of_job) <= len(job["ranks"]) * len(counted), (of_steps, of_job)


def notes(document):
    return " ".join(document.get("job", {}).get("notes", []) + document["steps"]["notes"])


def check_four(folder):
    """Four ranks on few cores: who is late and where, and about what it costs."""
    path, said = record(folder, "late", ranks=4)
    slept, line = (int(number) for number in re.search(r"slept (\d+) ns at line (\d+)", said).groups())
    late = report(path)
    check_sum(late)
    found = [f for f in late["findings"] if f["id"] == "late_rank"]
    assert [rank["late"] for rank in late["job"]["ranks"]] == [False, True, False, False], late["job"]
    assert found and found[0]["line"] == line, found
    gain = found[0]["ceiling_ns_per_step"]
    assert abs(gain - slept) < 0.25 * slept, (gain, slept)


def main():
    with tempfile.TemporaryDirectory() as folder:
        path, said = record(folder, "late")
        slept, line = (int(number) for number in re.search(r"slept (\d+) ns at line (\d+)", said).groups())
        late = report(path)
        check_sum(late)
        found = [f for f in late["findings"] if f["id"] == "late_rank"]
        assert [rank["late"] for rank in late["job"]["ranks"]] == [False, True], late["job"]
        assert found and found[0]["line"] == line, found
        gain = found[0]["ceiling_ns_per_step"]
        assert abs(gain - slept) < 0.1 * slept, (gain, slept)
        # Both ranks' time: rank 1 sleeps, and rank 0 waits for that.
        asleep = sum(p["ns_per_step"] for p in late["partition"]["parts"] if p["cause"] == "host.off_cpu")
        assert abs(asleep - slept) < 0.1 * slept, (slept, late["partition"]["parts"])

        kept = os.path.join(folder, "late.json")
        with open(kept, "w", encoding="utf-8") as file:
            json.dump(late, file)
        assert report(kept)["job"] == late["job"]

        clean = report(record(folder, "clean")[0])
        check_sum(clean)
        assert len(clean["job"]["ranks"]) == 2

        killed = report(record(folder, "killed")[0])
        if "job" in killed:  # rank 0 was stopped at once, so both count the same few steps
            check_sum(killed)
        else:  # rank 0 waited for it in its last step, or the warm-up of one hides most of the other's few steps
            assert re.search(r"rank [01] is left out", notes(killed)), notes(killed)

        files = sorted(glob.glob(os.path.join(path, "*.sst")))
        assert len(files) == 2
        alone = os.path.join(folder, "alone.scope")
        shutil.copytree(path, alone)
        os.remove(os.path.join(alone, os.path.basename(files[1])))
        document = report(alone)
        assert "job" not in document and "of its 2 ranks" in notes(document), notes(document)

        check_four(folder)
        doubled = os.path.join(folder, "doubled.scope")
        shutil.copytree(path, doubled)
        shutil.copy(files[1], os.path.join(doubled, "copy-of-" + os.path.basename(files[1])))
        check_sum(report(doubled))
    print("ok")


main()
