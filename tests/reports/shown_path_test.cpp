// SPDX-License-Identifier: Apache-2.0
#include "core/report/wording/shown_path.hpp"

#include <gtest/gtest.h>

namespace stepscope {
namespace {

RunFacts run_in(const std::string& folder, const std::string& command = "") {
  RunFacts run;
  run.command = command;
  if (!folder.empty()) run.versions = {{"torch", "2.11.0"}, {"folder", folder}};
  return run;
}

TEST(ShownFile, IsNamedFromTheRunsFolder) {
  const RunFacts run = run_in("/home/me/proj");
  EXPECT_EQ(shown_file("/home/me/proj/models/net.py", run), "models/net.py");
  EXPECT_EQ(shown_file("/home/me/project/net.py", run), "/home/me/project/net.py");
  EXPECT_EQ(shown_file("train.py", run), "train.py");
  EXPECT_EQ(shown_file("/data/train.py", run_in("")), "/data/train.py");
}

TEST(ShownFile, OfAPackageIsNamedFromWhereItWasInstalled) {
  const std::string linear = "/site-packages/torch/nn/modules/linear.py";
  EXPECT_EQ(shown_file("/opt/v/lib/python3.11" + linear, run_in("/x")),
            "torch/nn/modules/linear.py");
  EXPECT_EQ(shown_file("/home/me/proj/.venv/lib/python3.11" + linear, run_in("/home/me/proj")),
            "torch/nn/modules/linear.py");
}

TEST(ShownFile, ACellOfANotebookIsCalledOne) {
  const RunFacts run = run_in("/home/me");
  EXPECT_EQ(shown_file("/tmp/ipykernel_4711/2671474964.py", run), "notebook cell 4964");
  EXPECT_EQ(shown_file("<ipython-input-12-9a3eb1c0>", run), "cell [12]");
  EXPECT_EQ(shown_file("/tmp/ipykernel_4711/helpers.py", run), "/tmp/ipykernel_4711/helpers.py");
  EXPECT_EQ(shown_file("/home/me/1234.py", run), "1234.py");
}

TEST(ShownFile, OfTwoRunsIsNamedFromEither) {
  Comparison c;
  c.a.run = run_in("/ci/base");
  c.b.run = run_in("/ci/change");
  EXPECT_EQ(shown_file("/ci/base/train.py", c), "train.py");
  EXPECT_EQ(shown_file("/ci/change/train.py", c), "train.py");
}

TEST(ShownCommand, BeginsWithTheProgramsNameAndItsScript) {
  const auto shown = [](const std::string& command) {
    return shown_command(run_in("/home/me/proj", command));
  };
  EXPECT_EQ(shown("/a/very/long/path/bin/python3 /home/me/proj/src/train.py --lr 1e-3"),
            "python3 src/train.py --lr 1e-3");
  EXPECT_EQ(shown("python -m pkg.train --out=/home/me/proj/runs"),
            "python -m pkg.train --out=runs");
  EXPECT_EQ(shown("'/a b/python' '/home/me/proj/my train.py'"), "'python' 'my train.py'");
  EXPECT_EQ(shown("./build/steps 10 /home/me/proj2/x"), "steps 10 /home/me/proj2/x");
  EXPECT_EQ(shown("train"), "train");
  EXPECT_EQ(shown(""), "");
}

// The title has 100 columns, and the run's path may fill them alone.
TEST(ShownCommand, DoesNotDependOnWhereTheTreeLies) {
  const std::string deep = "/home/" + std::string(300, 'd');
  EXPECT_EQ(shown_command(run_in(deep, deep + "/.venv/bin/python " + deep + "/train.py")),
            "python train.py");
}

}  // namespace
}  // namespace stepscope
