// SPDX-License-Identifier: Apache-2.0
// Where reports go: what is read is never written over, what cannot be written is said before the
// work, and a stderr that is gone changes no exit code.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/cli/gate/gate_documents.hpp"
#include "tests/cli/run_stepscope.hpp"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

using testing::HasSubstr;

const std::string kReadTrace =
    STEPSCOPE_SOURCE_DIR "/tests/data/kineto/sync_mask_norms.fixed.json.gz";

TEST(Outputs, TheFileThatIsReadIsNotWrittenOver) {
  const Folder folder;
  const std::string trace = folder.at("t.json.gz");
  fs::copy_file(kReadTrace, trace);
  fs::create_symlink(trace, folder.at("link"));
  const std::string before = read_file(trace);
  const std::string verbs[] = {
      "report " + trace + " --format json -o " + trace,
      "report " + trace + " --format json -o " + folder.at("link"),
      "diff " + trace + " " + kReadTrace + " --format text -o " + trace,
      "whatif " + trace + " --format text -o " + trace,
      "export " + trace + " --to csv -o " + trace,
      "gate --baseline " + trace + " --candidate " + kReadTrace + " --json " + trace};
  for (const std::string& verb : verbs) {
    const RunOutcome run = run_stepscope(verb);
    EXPECT_EQ(run.status, 2) << verb << "\n" << run.err;
    EXPECT_THAT(run.err, HasSubstr("is the file that is read"));
  }
  EXPECT_EQ(read_file(trace), before);
}

TEST(Outputs, ALinkStaysOneAndPermissionsStay) {
  const Folder folder;
  write_file(folder.at("kept.json"), "old");
  fs::permissions(folder.at("kept.json"), fs::perms(0640));
  fs::create_symlink("kept.json", folder.at("link.json"));
  ASSERT_EQ(
      run_stepscope("report " + kReadTrace + " --format json -o " + folder.at("link.json")).status,
      0);
  EXPECT_TRUE(fs::is_symlink(folder.at("link.json")));
  EXPECT_THAT(read_file(folder.at("kept.json")), HasSubstr("stepscope.report/1"));
  EXPECT_EQ(fs::status(folder.at("kept.json")).permissions(), fs::perms(0640));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 2)
      << "a temporary file was left behind";
}

TEST(Outputs, AReadOnlyFileIsNotReplaced) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write everything";
  const Folder folder;
  write_file(folder.at("kept.json"), "old");
  fs::permissions(folder.at("kept.json"), fs::perms(0440));
  EXPECT_EQ(run_stepscope("report " + kReadTrace + " -o " + folder.at("kept.json")).status, 4);
  EXPECT_EQ(read_file(folder.at("kept.json")), "old");
}

TEST(Outputs, AFullStandardOutputIsAnError) {
  for (const char* verb : {"explain host_sync", "explain", "completion bash"}) {
    const std::string command =
        std::string(STEPSCOPE_BINARY_DIR "/cli/stepscope ") + verb + " >/dev/full 2>/dev/null";
    EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 4) << verb;
  }
}

TEST(Outputs, AStderrThatIsGoneChangesNoExitCode) {
  for (const char* gone : {"2>/dev/full", "2>&-"}) {
    const auto status = [gone](const std::string& verb) {
      const std::string command =
          STEPSCOPE_BINARY_DIR "/cli/stepscope " + verb + " >/dev/null " + gone;
      return std::system(command.c_str());
    };
    EXPECT_EQ(status("report " + kReadTrace), 0) << gone;
    EXPECT_EQ(WEXITSTATUS(status("report missing.json")), 4) << gone;
    EXPECT_EQ(WEXITSTATUS(status("repotr x")), 2) << gone;
  }
}

TEST(Outputs, AGateWritesWhatItCanAndSaysItsVerdict) {
  const Folder folder;
  const std::string run = folder.at("run.json");
  ASSERT_EQ(run_stepscope("report " + kReadTrace + " --format json -o " + run).status, 0);
  const std::string gate = "gate --baseline " + run + " --candidate " + kReadTrace;
  const RunOutcome missing = run_stepscope(gate + " --junit " + folder.at("missing/j.xml"));
  EXPECT_EQ(missing.status, 4);
  EXPECT_EQ(missing.out, "") << "it was said before the work";
  const RunOutcome full = run_stepscope(gate + " --junit /dev/full --json " + folder.at("v.json"));
  EXPECT_EQ(full.status, 4);
  EXPECT_THAT(full.err, HasSubstr("stepscope gate: "));
  EXPECT_THAT(full.err, HasSubstr("/dev/full"));
  EXPECT_THAT(read_file(folder.at("v.json")), HasSubstr("\"verdict\""));
}

TEST(Outputs, NanIsNoNumber) {
  for (const char* verb : {"gate history . --tolerance nan", "gate history . --level nan"}) {
    const RunOutcome run = run_stepscope(verb);
    EXPECT_EQ(run.status, 2) << verb;
    EXPECT_THAT(run.err, HasSubstr("no finite number"));
  }
  EXPECT_EQ(run_stepscope("report x --flops-per-step nan --peak-tflops 1").status, 2);
  EXPECT_EQ(run_stepscope("report x --flops-per-step inf").status, 2);
}

}  // namespace
}  // namespace stepscope
