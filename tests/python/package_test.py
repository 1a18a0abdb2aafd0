# SPDX-License-Identifier: Apache-2.0
"""The wheel's contents and its module of marks: package_test.py BUILD_DIR VERSION [viewer]."""

import csv
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

BUILD, VERSION = sys.argv[1], sys.argv[2]
VIEWER = {"stepscope/lib/stepscope_viewer.so", "stepscope/lib/DejaVuSans.ttf"} if "viewer" in sys.argv[3:] else set()
HERE = pathlib.Path(__file__).resolve().parent

FILES = {
    "stepscope/__init__.py", "stepscope/__main__.py", "stepscope/_version.py",
    "stepscope/bin/stepscope", "stepscope/lib/libstepscope_inject.so",
    "stepscope/include/stepscope/annotate.hpp",
    "stepscope-%s.dist-info/METADATA" % VERSION, "stepscope-%s.dist-info/WHEEL" % VERSION,
    "stepscope-%s.dist-info/entry_points.txt" % VERSION, "stepscope-%s.dist-info/licenses/LICENSE" % VERSION,
} | VIEWER

# What glibc 2.17 had under an older version of the name; the wheel is linked to that.
IN_GLIBC_2_17 = {
    "__libc_start_main", "__pthread_key_create", "dladdr", "dlclose", "dlerror", "dlopen", "dlsym", "fstat", "stat", "lstat", "fstatat",
    "hypot", "pthread_attr_setstacksize", "pthread_attr_getstack", "pthread_create", "pthread_join", "pthread_detach", "pthread_key_create",
    "pthread_key_delete", "pthread_once", "pthread_getspecific", "pthread_setspecific", "pthread_sigmask", "pthread_kill", "pthread_getattr_np",
    "pthread_getcpuclockid", "pthread_mutex_trylock", "pthread_rwlock_rdlock", "pthread_rwlock_wrlock", "pthread_rwlock_unlock",
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

    def test_the_documentation_comes_with_it(self):
        page = self.python("-m", "stepscope", "help", "gate")
        self.assertEqual(page.returncode, 0, page.stderr)
        self.assertTrue(page.stdout.startswith("# "), page.stdout[:80])

    def test_what_a_newer_glibc_brings_is_in_old_glibc(self):
        """The wheel's promise of glibc 2.17, before scripts/build-wheel finds it broken."""
        ours = (HERE.parent.parent / "scripts/packaging/old_glibc.c").read_text()
        for program in sorted((self.site / "stepscope").glob("*/*stepscope*")):
            if not program.is_file():
                continue
            table = subprocess.run(["readelf", "-W", "--dyn-syms", str(program)], capture_output=True, text=True, check=True).stdout
            for name, minor in re.findall(r" UND (\w+)@GLIBC_2\.(\d+)", table):
                if int(minor) > 17 and name not in IN_GLIBC_2_17 and not name.startswith("__isoc"):
                    self.assertRegex(ours, r"\b%s\b" % name, "%s needs it of glibc 2.%s; the file says how to bring it, and "
                                     "IN_GLIBC_2_17 is for names that 2.17 had" % (program.name, minor))

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

    def test_bash_completes_verbs_below_verbs_and_values(self):
        self.assertEqual(self.complete("stepscope", "gate", "hist"), ["history"])
        self.assertEqual(self.complete("stepscope", "gate", "run", "--baseline-c"), ["--baseline-cmd"])
        self.assertEqual(self.complete("stepscope", "report", "a.scope", "--format", "ht"), ["html"])
        self.assertEqual(self.complete("stepscope", "explain", "host_s"), ["host_sync"])

    def test_bash_completes_the_command_behind_two_dashes(self):
        self.assertIn("readelf", self.complete("stepscope", "profile", "--", "reade"))
        self.assertEqual(self.complete("stepscope", "profile", "--", "ls", "--start"), [])

    def verbs_of_the_parser(self):
        """Every verb with its options, from the completion script, which tests/cli holds against the parser itself."""
        script = self.python("-m", "stepscope", "completion", "bash").stdout
        return re.findall(r"^    '([a-z ]+)'\) offered='(.*)' ;;$", script, re.M)

    def test_the_manual_page_has_every_verb_and_option(self):
        maker = HERE.parent.parent / "scripts/packaging/make_man.py"
        page = self.python(str(maker), str(self.site / "stepscope/bin/stepscope")).stdout
        self.assertTrue(page.startswith(".TH STEPSCOPE 1"), page[:80])
        sections = {name: text.replace("\\-", "-") for name, text in re.findall(r"^\.SH (.*)\n((?:(?!\.SH).*\n?)*)", page, re.M)}
        verbs = self.verbs_of_the_parser()
        self.assertGreater(len(verbs), 15)
        for verb, words in verbs:
            for option in (word for word in words.split() if word.startswith("--")):
                self.assertIn(option, sections[verb.upper()], verb)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
