# SPDX-License-Identifier: Apache-2.0
"""The wheel's contents and its module of marks: package_test.py BUILD_DIR VERSION."""

import csv
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BUILD, VERSION = sys.argv[1], sys.argv[2]
HERE = pathlib.Path(__file__).resolve().parent

FILES = {
    "stepscope/__init__.py", "stepscope/__main__.py", "stepscope/_version.py",
    "stepscope/bin/stepscope", "stepscope/lib/libstepscope_inject.so",
    "stepscope/include/stepscope/annotate.hpp",
    "stepscope-%s.dist-info/METADATA" % VERSION, "stepscope-%s.dist-info/WHEEL" % VERSION,
    "stepscope-%s.dist-info/entry_points.txt" % VERSION, "stepscope-%s.dist-info/licenses/LICENSE" % VERSION,
}


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.root = pathlib.Path(cls.folder.name)
        subprocess.run(["cmake", "--install", BUILD, "--component", "wheel", "--prefix", str(cls.root / "site")],
                       check=True, stdout=subprocess.DEVNULL)
        cls.site = cls.root / "site"

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def python(self, *arguments, **options):
        environment = {**os.environ, "PYTHONPATH": str(self.site), "PYTHONDONTWRITEBYTECODE": "1"}
        environment.pop("STEPSCOPE_OUTPUT", None)
        return subprocess.run([sys.executable, *arguments], env=environment, cwd=self.root, text=True,
                              capture_output=True, **options)

    def test_it_holds_these_files(self):
        found = {str(path.relative_to(self.site)) for path in self.site.rglob("*") if path.is_file()}
        self.assertEqual(found, FILES)
        self.assertTrue(os.access(self.site / "stepscope/bin/stepscope", os.X_OK))

    def test_versions_agree(self):
        said = self.python("-c", "import stepscope; print(stepscope.__version__)").stdout.strip()
        self.assertEqual(said, VERSION)
        self.assertIn(VERSION, self.python("-m", "stepscope", "--version").stdout)
        metadata = (self.site / ("stepscope-%s.dist-info/METADATA" % VERSION)).read_text()
        self.assertIn("\nVersion: %s\n" % VERSION, metadata)

    def test_marks_do_nothing_without_a_recorder(self):
        code = ("import sys, stepscope\n"
                "assert not stepscope.is_profiled()\n"
                "assert stepscope.phase('a') is stepscope.step(1), 'one shared object'\n"
                "assert stepscope.phase('a')(len) is len, 'a decorated function stays itself'\n"
                "with stepscope.step(1), stepscope.phase('b'): pass\n"
                "stepscope.start(); stepscope.stop()\n"
                "assert 'ctypes' not in sys.modules, 'nothing is loaded'\n")
        ended = self.python("-c", code)
        self.assertEqual(ended.returncode, 0, ended.stderr)

    def test_a_missing_recorder_in_a_profiled_run_is_no_error(self):
        ended = subprocess.run([sys.executable, str(HERE / "marks.py"), "2"], text=True, capture_output=True,
                               env={**os.environ, "PYTHONPATH": str(self.site), "STEPSCOPE_OUTPUT": "/nowhere"})
        self.assertEqual(ended.stdout.strip(), "not profiled", ended.stderr)

    def recorded(self, name, *options):
        ended = self.python("-m", "stepscope", "profile", "-o", str(self.root / name), *options, "--", sys.executable,
                            str(HERE / "marks.py"), "20")
        self.assertEqual(ended.stdout.strip(), "profiled", ended.stderr)
        table = self.root / (name + ".csv")
        exported = self.python("-m", "stepscope", "export", str(self.root / (name + ".scope")), "--to", "csv", "--table",
                               "host_ranges", "-o", str(table))
        self.assertEqual(exported.returncode, 0, exported.stderr)
        with table.open(newline="") as rows:
            return [row["name"] for row in csv.DictReader(rows)]

    def test_marks_are_recorded(self):
        names = self.recorded("marks")
        for name, count in (("load", 20), ("compute", 20), ("step 7", 1)):
            self.assertEqual(names.count(name), count, name)

    def test_start_and_stop_bound_what_is_recorded(self):
        names = self.recorded("bounded", "--capture-range", "cudaProfilerApi")
        self.assertEqual(names.count("load"), 5, "marks.py starts before step 10 and stops behind step 14")


    def complete(self, *words):
        binary = self.site / "stepscope/bin/stepscope"
        script = 'eval "$("$0" completion bash)"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _stepscope; echo "${COMPREPLY[@]}"'
        ended = subprocess.run(["bash", "-c", script, str(binary), *words], text=True, capture_output=True, cwd=self.root)
        self.assertEqual(ended.stderr, "")
        return ended.stdout.split()

    def test_bash_completes_verbs_and_options(self):
        self.assertEqual(self.complete("stepscope", "prof"), ["profile"])
        self.assertEqual(self.complete("stepscope", "profile", "--start"), ["--start-after"])
        self.assertIn("site", self.complete("stepscope", "report", "si"))  # a file

    def test_the_manual_page_has_a_section_for_each_verb(self):
        maker = HERE.parent.parent / "scripts/packaging/make_man.py"
        page = self.python(str(maker), str(self.site / "stepscope/bin/stepscope")).stdout
        self.assertTrue(page.startswith(".TH STEPSCOPE 1"), page[:80])
        for section in ("NAME", "PROFILE", "REPORT", "COMPLETION"):
            self.assertIn("\n.SH %s\n" % section, page)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
