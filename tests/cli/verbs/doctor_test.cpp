// SPDX-License-Identifier: Apache-2.0
// stepscope doctor beside libraries that crash, hang, abort or end the process: each costs its own
// lines, every other line is printed, and the exit code stays.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "tests/cli/run_stepscope.hpp"

namespace stepscope {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kAlways[] = {" library ",    " Python ", " PyTorch ", " driver ",
                                   " LD_PRELOAD ", " clock ",  " disk ",    " timeline "};
constexpr const char* kWithDriver[] = {" GPUs ", " clocks ", " CUPTI ", " other tools ",
                                       " counters "};

// A machine whose libcuda, NVML and CUPTI are those of fake_vendor.cpp, and whose Python is `python`.
class Doctor : public testing::Test {
 protected:
  Doctor() { set_python("echo 3.11.2; echo; echo"); }
  void set_python(const std::string& commands) {
    write_file(folder_.at("python3"), "#!/bin/sh\n" + commands + "\n");
    std::filesystem::permissions(folder_.at("python3"), std::filesystem::perms::owner_all);
  }
  RunOutcome examine(const std::string& environment, const std::string& options = "") const {
    return run_stepscope("doctor " + folder_.at("") + options, machine() + environment);
  }
  std::string machine() const {
    return "env PATH=" + folder_.at("") +
           ":/usr/bin:/bin LD_LIBRARY_PATH=" STEPSCOPE_FAKE_VENDOR " CUDA_HOME= CUDA_PATH= ";
  }
  static void expect_all_lines(const RunOutcome& outcome) {
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    for (const char* line : kAlways) EXPECT_THAT(outcome.out, HasSubstr(line));
    for (const char* line : kWithDriver) EXPECT_THAT(outcome.out, HasSubstr(line));
  }
  Folder folder_;
};

TEST_F(Doctor, LibrariesThatAnswerAreNamed) {
  const RunOutcome outcome = examine("");
  expect_all_lines(outcome);
  EXPECT_THAT(outcome.out, ContainsRegex("driver +.*CUDA 13.0"));
  EXPECT_THAT(outcome.out, ContainsRegex("ok +CUPTI +.*libcupti.so.13, version 130000"));
}

struct Way {
  const char* name;
  const char* what;
};
class DoctorWays : public Doctor, public testing::WithParamInterface<Way> {};

TEST_P(DoctorWays, CuptiCostsItsLine) {
  const RunOutcome outcome = examine(std::string("FAKE_CUPTI=") + GetParam().name, " --patience 2");
  expect_all_lines(outcome);
  EXPECT_THAT(outcome.out, ContainsRegex(std::string("missing +CUPTI +.*libcupti.so.13 ") +
                                         GetParam().what + ".*\n.*-> .*pip install"));
  EXPECT_THAT(outcome.out, ContainsRegex("driver +.*CUDA 13.0"));
}

TEST_P(DoctorWays, NvmlCostsItsLines) {
  const RunOutcome outcome = examine(std::string("FAKE_NVML=") + GetParam().name, " --patience 2");
  expect_all_lines(outcome);
  EXPECT_THAT(outcome.out, ContainsRegex(std::string("limited +clocks +.*libnvidia-ml.so.1 ") +
                                         GetParam().what + ".*\n.*-> "));
  EXPECT_THAT(outcome.out, ContainsRegex("ok +CUPTI "));
}

TEST_P(DoctorWays, LibcudaCostsItsLineAndCuptiIsNotAsked) {
  const RunOutcome outcome =
      examine(std::string("FAKE_CUPTI=abort FAKE_CUDA=") + GetParam().name, " --patience 2");
  expect_all_lines(outcome);
  EXPECT_THAT(outcome.out, ContainsRegex(std::string("missing +driver +libcuda.so.1 ") +
                                         GetParam().what + ".*\n.*-> "));
  EXPECT_THAT(outcome.out, ContainsRegex("CUPTI +not asked"));
}

INSTANTIATE_TEST_SUITE_P(
    , DoctorWays,
    testing::Values(Way{"recurse", "(died: Segmentation fault|ended its process)"},
                    Way{"hang", "gave no answer in 2 s"}, Way{"abort", "died: Aborted"},
                    Way{"exit", "ended its process with status 0"}),
    [](const auto& way) { return std::string(way.param.name); });

TEST_F(Doctor, APythonThatHangsCostsItsLines) {
  set_python("sleep 60");
  const RunOutcome outcome = examine("", " --patience 1");
  expect_all_lines(outcome);
  EXPECT_THAT(outcome.out, ContainsRegex("Python +python3 gave no answer in 1 s"));
}

TEST_F(Doctor, APythonThatFailsIsNotCalledMissing) {
  set_python("exit 3");
  EXPECT_THAT(examine("").out, ContainsRegex("Python +python3 ended with status 3"));
  set_python("echo 3.11.2; exit 1");
  EXPECT_THAT(examine("").out, ContainsRegex("PyTorch +not known: python3 ended with status 1"));
}

// A line is there as soon as it is known, also for a reader at the other end of a pipe.
TEST_F(Doctor, ALineDoesNotWaitForTheNext) {
  const std::string command =
      machine() + "FAKE_CUPTI=hang timeout 5 " STEPSCOPE_BINARY_DIR "/cli/stepscope doctor " +
      folder_.at("") + " > " + folder_.at("out");
  (void)std::system(command.c_str());
  EXPECT_THAT(read_file(folder_.at("out")), HasSubstr(" driver "));
  EXPECT_THAT(read_file(folder_.at("out")), Not(HasSubstr(" disk ")));
}

TEST_F(Doctor, AFolderThatIsNoneIsRefused) {
  const RunOutcome outcome = run_stepscope("doctor " + folder_.at("none"));
  EXPECT_EQ(outcome.status, 4);
  EXPECT_THAT(outcome.err, HasSubstr("does not exist"));
}

}  // namespace
}  // namespace stepscope
