# SPDX-License-Identifier: Apache-2.0
"""Commands of the documentation that no test runs, and those that run shortened or on another file: each with its reason.

shown_commands.py runs all others. An entry that no page's command matches is an error, so the lists stay true.
"""

GPU = "needs a GPU; tests/gpu and docs/measurements run it"
SYSTEM = "changes the machine; scripts/release and scripts/test run it"
NSYS = "Nsight Systems is no dependency"
BUILD = "builds the tree; scripts/test and scripts/release run it"

# (regular expression of the whole command, reason)
NOT_RUN = [
    (r".*--device cuda.*", GPU),
    (r"stepscope train llm --preset t(90|350)m .*", GPU),
    (r"torchrun --no-python .*", GPU),
    (r"stepscope diff clt_baseline.scope .*", "compares two runs on a GPU"),
    (r"nsys .*", NSYS),
    (r"pip install .*|apt install .*", SYSTEM),
    (r"scripts/(setup|demo|build-wheel|test-wheel|release).*", SYSTEM),
    (r"build/core/cli/stepscope .*", BUILD),
    (r"cmake .*|ctest .*|build/ci/tests/.*|\. \.deps/torch\.env", BUILD),
    (r"scripts/check-.*", "scripts/test runs it on the whole tree"),
    (r"python3 -m venv /opt/stepscope .*|/opt/stepscope/bin/stepscope .*", SYSTEM),
    (r"cd examples/tutorial", "docs_tutorial runs that page in that folder"),
    (r"stepscope (report rank0\.pt\.trace.*|report log/profile/|diff log/before/ log/after/)",
     "torch.profiler's files of several ranks; tests/cli/input/load_job_test.cpp makes such files and reads them"),
    (r"(mpirun|srun) .*|stepscope profile -o job -- mpirun .*|stepscope report job/",
     "mpirun refuses root, and srun needs Slurm; tests/collectors/launched_ranks.py starts ranks in each of these ways"),
    (r"stepscope profile --native-lines -o slow -- train_llm .*|stepscope report slow\.scope",
     "the program is the trainers' project's; tests/bench/slow_ranks.py --check runs it and its report"),
    (r"stepscope train llm \.\.\. .*", "an addition to the command above it; tests/reference_trainers/llm resumes runs"),
]

SHORT_LADDER = "--rungs R0 --steps 2 --warm-up 1 --repeats 1"

# (regular expression within a command, what stands in its place, reason)
OTHER = [
    (r"--start-after (30|60)s --steps 10s", "--start-after 100ms --steps 100ms", "a minute"),
    (r"train clt --steps 100", "train clt --steps 10", "ten seconds"),
    (r"ladder llm( --rungs R4,R5 --repeats 7)?", f"ladder llm {SHORT_LADDER}", "minutes; tests/cli tests the choice of rungs"),
    (r"--preset tiny --steps 200", "--preset tiny --steps 2", "half a minute"),
    (r"--train-tokenizer 32768", "--train-tokenizer 500", "the text of this test is too short for more"),
    (r"--corpus-tokens 10000000", "--corpus-tokens 10000", "a second, and 20 MB"),
    (r"--baseline-cmd 'python (3_norm|base)/train.py' --candidate-cmd 'python (2_batches/)?train.py'",
     "--baseline-cmd 'python base/train.py' --candidate-cmd 'python train.py'", "the tutorial's programs run in docs_tutorial"),
    (r"whatif run.scope --fix remove_sync@train.py:88", "whatif trace.json.gz --fix remove_sync@sync_mask_norms.py:96",
     "a recorded run without a GPU has no such call"),
    (r"whatif run.scope --fix pin_memory --fix prefetch_input", "whatif trace.json.gz --fix pin_memory --fix prefetch_input",
     "a recorded run without a GPU has no copies"),
    (r"--metric phase:topk", "--metric phase:norms", "the history of this test has that phase"),
    (r"--step-marker '\^train_step\$'", "--step-marker '^compute$'", "the program of this test has ranges of that name"),
    (r"norm\.scope", "run.scope", "the tutorial's runs are made in docs_tutorial"),
]

# Exit statuses that are answers, by the command's beginning; of all others only 0 is right.
ANSWERS = [
    ("stepscope gate", {0, 1, 3}),       # pass, regression, inconclusive
    ("stepscope whatif", {0, 3}),        # a run without a GPU has nothing to replay
]
