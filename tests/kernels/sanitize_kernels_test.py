# SPDX-License-Identifier: Apache-2.0
"""scripts/sanitize-kernels with a made tool and a made test program: what it finds, and that it can fail."""

import contextlib
import importlib.machinery
import importlib.util
import io
import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "sanitize-kernels"

# Deals its 16 tests out as GoogleTest does; MADE says what goes wrong.
PROGRAM = """#!%s
import os, sys, time
if "--gtest_list_tests" in sys.argv:
    print("Suite.\\n" + "  Test\\n" * 16, end="")
    sys.exit()
index, count = int(os.environ["GTEST_SHARD_INDEX"]), int(os.environ["GTEST_TOTAL_SHARDS"])
made = os.environ.get("MADE", "")
if made == "slow" and index == 0: time.sleep(60)
if made == "crash" and index == 0: sys.exit(3)
if os.environ.get("STEPSCOPE_SMALL_SHAPES") == "1": print("small shapes")
print("on GPU", os.environ["CUDA_VISIBLE_DEVICES"])
tests = len(range(index, 16, count))
failed = 1 if made == "failure" and index == 0 else 0
skipped = tests if made == "all skipped" else 1 if index == 0 and not failed else 0
print(f"[==========] {tests} tests from 1 test suite ran. (1 ms total)")
print(f"[  PASSED  ] {tests - failed - skipped} tests.")
if skipped: print(f"[  SKIPPED ] {skipped} test, listed below:")
sys.exit(failed)
"""
TOOL = """#!%s
import os, subprocess, sys
tool, program = sys.argv[2], sys.argv[-1]
status = subprocess.call([program])
found = 3 if os.environ.get("MADE") == "finding" and os.environ["GTEST_SHARD_INDEX"] == "1" and tool == "racecheck" else 0
if os.environ.get("MADE") != "silence":
    print(f"========= RACECHECK SUMMARY: {found} hazards displayed (0 errors, {found} warnings)" if tool == "racecheck"
          else "========= ERROR SUMMARY: 0 errors", flush=True)
sys.exit(99 if found else status)
"""


def loaded():
    loader = importlib.machinery.SourceFileLoader("sanitize_kernels", str(SCRIPT))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    sys.modules[loader.name] = module
    loader.exec_module(module)
    return module


class SanitizeKernels(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        (self.folder / "deep").mkdir()
        self.write("deep/kernels_made_gpu_test", PROGRAM)
        self.write("tool", TOOL)

    def write(self, name, text):
        (self.folder / name).write_text(text % sys.executable)
        (self.folder / name).chmod(0o755)

    def run_script(self, *arguments, made="", driver=None, visible=""):
        """Its exit status and what it says."""
        module = loaded()
        module.DRIVER = driver or self.folder
        command = ["sanitize-kernels", str(self.folder), "--out", str(self.folder / "logs"),
                   "--sanitizer", str(self.folder / "tool"), *arguments]
        said = io.StringIO()
        with mock.patch.object(sys, "argv", command), mock.patch.dict(
                os.environ, {"MADE": made, "CUDA_VISIBLE_DEVICES": visible}), \
                contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()):
            try:
                status = module.main()
            except SystemExit as end:
                status = end.code
        return status, said.getvalue()

    def test_every_test_runs_under_every_tool(self):
        status, said = self.run_script()
        self.assertEqual(status, 0, said)
        self.assertIn("4 of 4 ok", said)
        for tool in ("memcheck", "racecheck", "initcheck", "synccheck"):
            self.assertRegex(said, rf"kernels_made_gpu_test +{tool} +15 +1 +0 .* ok")
        logs = sorted(path.name for path in (self.folder / "logs").iterdir())
        self.assertEqual(len(logs), 4)
        log = (self.folder / "logs" / "kernels_made_gpu_test.memcheck.log").read_text()
        self.assertEqual(log.count("small shapes"), 7)

    def test_full_shapes_are_those_without_the_variable(self):
        self.run_script("--full", "--tools", "memcheck")
        self.assertNotIn("small shapes", (self.folder / "logs" / "kernels_made_gpu_test.memcheck.log").read_text())

    def log_of(self, **how):
        status, said = self.run_script("--tools", "memcheck", **how)
        self.assertEqual(status, 0, said)
        return (self.folder / "logs" / "kernels_made_gpu_test.memcheck.log").read_text()

    def test_parts_are_shared_out_among_the_gpus(self):
        self.assertEqual(self.log_of().count("on GPU 0\n"), 7)
        for gpu in range(2):
            (self.folder / f"nvidia{gpu}").touch()
        log = self.log_of(driver=self.folder / "deep" / ".." / "nvidia0")
        self.assertEqual((log.count("on GPU 0\n"), log.count("on GPU 1\n")), (4, 3))
        log = self.log_of(visible="3,5,6")
        self.assertEqual([log.count(f"on GPU {gpu}\n") for gpu in (3, 5, 6)], [3, 2, 2])

    def test_more_jobs_make_more_parts(self):
        self.assertEqual(loaded().parts_of(Path("p"), "memcheck", 65, mock.Mock(jobs=64, out=Path("o"), gpus=["0"]))[0].count, 31)
        self.assertEqual(loaded().parts_of(Path("p"), "memcheck", 65, mock.Mock(jobs=12, out=Path("o"), gpus=["0"]))[0].count, 11)

    def test_what_goes_wrong_is_told(self):
        for made, trouble in (("finding", r"racecheck +15 +1 +3 .* findings"), ("failure", "racecheck +15 +0 +0 .* 1 failed"),
                              ("crash", "exit status 3"), ("all skipped", "no test passed"),
                              ("silence", "the tool printed no summary"), ("slow", "did not end within 5.0 s")):
            limit = "5" if made == "slow" else "60"
            status, said = self.run_script("--timeout", limit, "--tools", "racecheck", made=made)
            self.assertEqual(status, 1, said)
            self.assertRegex(said, trouble)

    def test_parts_of_which_tests_are_missing_are_no_whole(self):
        module = loaded()
        self.assertEqual(module.whole([module.Result(ran=5, passed=5)] * 2, 11).trouble, "10 of 11 tests ran")

    def test_skips_where_there_is_no_gpu_or_no_tool(self):
        self.assertEqual(self.run_script(driver=self.folder / "missing")[0], 77)
        self.assertEqual(self.run_script("--sanitizer", str(self.folder / "missing"))[0], 77)

    def test_a_folder_without_programs_is_wrong_usage(self):
        self.assertEqual(self.run_script("--only", "other")[0], 2)


if __name__ == "__main__":
    unittest.main()
