#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check-docs, check-english and page_commands find what is wrong: each on a page that has one fault, and on one that has
none."""
import argparse
import importlib.machinery
import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import unittest

import not_run
import page_commands
import shown_commands

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def load_script(name):
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_"), str(ROOT / "scripts" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


sys.dont_write_bytecode = True
check_docs = load_script("check-docs")
check_english = load_script("check-english")
HELP = None


class AskByHand(unittest.TestCase):
    def test_without_a_tool_says_how_it_is_used(self):
        done = subprocess.run([sys.executable, str(ROOT / "examples" / "agents" / "ask.py")], capture_output=True, text=True,
                              check=False)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertTrue(done.stderr.startswith("usage: "), done.stderr)


class CheckDocs(unittest.TestCase):
    def problems(self, text):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "page.md"
            (page.parent / "other.md").write_text("# Other\n", encoding="utf-8")
            page.write_text(text, encoding="utf-8")
            return [problem for _, problem in check_docs.problems_of(page, HELP)]

    def test_right_page(self):
        text = ("# A page\nSee [below](#second-part) and [another](other.md#other), `stepscope report run.scope`.\n\n"
                "## Second part\n    stepscope profile --steps 5 -o run -- ./train --anything    a run\n\n"
                "```console\n$ stepscope gate run -n 3 --level light --baseline-cmd './a --x' --candidate-cmd b\n"
                "stepscope: not a command\n```\n")
        self.assertEqual(self.problems(text), [])

    def test_link_to_nothing(self):
        self.assertIn("leads nowhere", self.problems("See [there](nothing.md).\n")[0])

    def test_link_to_no_heading(self):
        self.assertIn("no heading", self.problems("# One\nSee [two](#two).\n")[0])

    def test_path_to_nothing(self):
        self.assertEqual(self.problems("See `core/support/result.hpp` and `core/attribution/walk/walk`.\n"), [])
        self.assertIn("there is no core/sup", self.problems("See `core/sup/result.hpp`.\n")[0])

    def test_the_name_in_a_sentence_is_no_command(self):
        self.assertEqual(self.problems("Text\n\n    a.py    becomes bin/stepscope of it\n    run.py --stepscope bin/stepscope x\n"), [])

    def test_unknown_verb(self):
        self.assertIn("'reprot' is no verb", self.problems("Text\n\n    stepscope reprot run.scope\n")[0])

    def test_code_below_a_heading(self):
        self.assertIn("'reprot' is no verb", self.problems("## Heading\n    stepscope reprot run.scope\n")[0])

    def test_unknown_option(self):
        self.assertIn("'--formt' is no option", self.problems("Say `stepscope report run.scope --formt html`.\n")[0])

    def test_unknown_option_of_a_verb_below_a_verb(self):
        self.assertIn("'--windows' is no option", self.problems("Say `stepscope gate run --windows 3`.\n")[0])


class CheckEnglish(unittest.TestCase):
    def lines(self, name, text):
        """The numbers of the lines with a problem, in a file of this name."""
        return [number for number, _, _ in check_english.problems_in(pathlib.Path(name), text)]

    def test_a_comment_that_begins_with_of(self):
        self.assertEqual(self.lines("a.cpp", "int a;\n// Of a thread, what it did.\n"), [2])
        self.assertEqual(self.lines("a.cu", "int a;  // of a thread\n"), [1])
        self.assertEqual(self.lines("a.py", "def f():\n    \"\"\"Of a run.\"\"\"\n    return 1  # of 2\n"), [2, 3])
        self.assertEqual(self.lines("CMakeLists.txt", "# Of the target.\n"), [1])
        self.assertEqual(self.lines("scripts/run", "a=1 # of a run\n"), [1])

    def test_a_sentence_inside_a_comment(self):
        self.assertEqual(self.lines("a.hpp", "// Returns a row.\n// It may be none. Of\n// several rows, the first.\n"), [2])
        self.assertEqual(self.lines("a.hpp", "int a;  // a row; Of two the first\n"), [1])

    def test_what_of(self):
        self.assertEqual(self.lines("a.cpp", "// What a rule says of a run.\n"), [1])
        self.assertEqual(self.lines("a.cpp", "// What of it lies inside.\n"), [1])
        self.assertEqual(self.lines("a.cpp", "// What is at the end of a row.\n"), [])

    def test_plain_comments(self):
        text = ("// The rows\n// of a table.\nint a;  // rows\n        // of a table\n"
                "const char* b = \"// of a string\";  // 1'000 of them\nint c = '\"';  // a quote of\n")
        self.assertEqual(self.lines("a.cpp", text), [])
        self.assertEqual(self.lines("a.sh", "a=${b# of c}\n"), [])

    def test_pages(self):
        self.assertEqual(self.lines("a.md", "Text\n\nOf a run, the steps.\n- Of two, one.\n| a | b |\n"), [3, 4])
        self.assertEqual(self.lines("a.md", "One\nof two.\n\n    Of code\n```\nOf code\n```\n"), [])


class PageCommands(unittest.TestCase):
    def test_figures_may_differ(self):
        page = ["HOST ONLY  64.6 ms a step", "  host.io  ███▌   37.54   58.1 %  I/O"]
        printed = ["HOST ONLY  918 us a step", "  host.io  █    3.00   8.1 %  I/O"]
        self.assertIsNone(page_commands.missing_line(page, printed))

    def test_words_may_not_differ(self):
        self.assertEqual(page_commands.missing_line(["PASS  1 metric"], ["REGRESSION  1 metric"]), "PASS  1 metric")

    def test_a_line_that_is_not_printed(self):
        self.assertEqual(page_commands.missing_line(["one", "two"], ["one"]), "two")

    def test_a_line_that_the_page_leaves_out(self):
        self.assertIn("shows nothing", page_commands.missing_line(["one"], ["one", "two"]))

    def test_left_out_lines(self):
        page, printed = ["one", "...", "four 4", "..."], ["one", "two", "3", "four 5", "six"]
        self.assertIsNone(page_commands.missing_line(page, printed))

    def test_lines_of_a_busy_machine_do_not_count(self):
        noise = ["  host.core_wait  1.2", "  The steps of A differ by more (p50 20.7 ms, p90 35.5 ms). Record several"]
        self.assertIsNone(page_commands.missing_line(["one", "two"], ["one", *noise, "two"]))

    def test_left_out_words(self):
        self.assertIsNone(page_commands.missing_line(["from .../train.py:3 in ..."], ["from a/b/train.py:77 in f: x"]))

    def test_commands_with_their_output(self):
        text = "text\n```console\n$ one\nout\n$ two\n```\n"
        self.assertEqual(page_commands.commands_of(text), [("one", ["out"]), ("two", [])])

    def test_unseen_commands(self):
        text = "<!-- $ cp a b -->\n```console\n$ one\n```\n"
        self.assertEqual(page_commands.commands_of(text), [("cp a b", None), ("one", [])])

    def test_a_command_without_output_must_succeed(self):
        self.assertEqual(page_commands.check("page", [([], 1), (["x"], 1)], [("cp a b", None), ("one", [])]), 2)
        self.assertEqual(page_commands.check("page", [([], 0), (["x"], 0)], [("cp a b", None), ("one", [])]), 0)

    def test_status_reaches_the_next_command(self):
        outputs = page_commands.run_in_one_shell(["false", "echo $?"], ".", None)
        self.assertEqual(outputs, [([""], 1), (["1", ""], 0)])


class ShownCommands(unittest.TestCase):
    def commands(self, text, of=shown_commands.code_commands):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "page.md"
            page.write_text(text, encoding="utf-8")
            return list(of(page))

    def test_commands_end_where_their_explanation_begins(self):
        self.assertEqual(self.commands("## A\n    stepscope report a.scope    text\n    cd x   # y\n    words\n"),
                         ["stepscope report a.scope", "cd x"])

    def test_commands_of_a_workflow(self):
        self.assertEqual(self.commands("## A\n    - run: stepscope doctor\n    stepscope gate run \\\n      -n 5\n"),
                         ["stepscope doctor", "stepscope gate run -n 5"])

    def test_sentences_have_commands_and_mentions(self):
        text = "`stepscope report a.scope`, `stepscope report`, `stepscope report TRACE`, `stepscope doctor`, `stepscope view a.scope [b.scope]`"
        self.assertEqual(self.commands(text, shown_commands.sentence_commands),
                         ["stepscope report a.scope", "stepscope doctor", "stepscope view a.scope b.scope"])

    def test_console_blocks_are_page_commands(self):
        text = "```console\n$ stepscope doctor\n```\n<!-- $ cp a b -->\n"
        self.assertEqual(self.commands(text), [])
        self.assertEqual(shown_commands.unseen_commands(text), [])
        self.assertEqual(shown_commands.unseen_commands("<!-- $ cp a b -->\n"), ["cp a b"])

    def test_an_entry_of_not_run_that_nothing_matches_is_told(self):
        lists = shown_commands.Lists()
        self.assertIsNone(lists.reason("stepscope doctor"))
        self.assertEqual(len(lists.unused()), len(not_run.NOT_RUN) + len(not_run.OTHER))
        self.assertEqual(lists.reason("stepscope ladder llm --device cuda"), not_run.GPU)
        self.assertEqual(len(lists.unused()), len(not_run.NOT_RUN) + len(not_run.OTHER) - 1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--stepscope", required=True)
    given, rest = parser.parse_known_args()
    HELP = check_docs.Help(given.stepscope)
    unittest.main(argv=[sys.argv[0], *rest])
