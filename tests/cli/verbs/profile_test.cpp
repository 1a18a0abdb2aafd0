// SPDX-License-Identifier: Apache-2.0
// The words of `stepscope profile`; what it records is tested in tests/collectors.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/run_stepscope.hpp"

namespace stepscope {
namespace {

using testing::HasSubstr;

TEST(ProfileVerb, SaysThatItCannotAttach) {
  for (const char* words : {"profile --pid 123", "profile --attach 123"}) {
    const RunOutcome run = run_stepscope(words);
    EXPECT_EQ(run.status, 2) << words;
    EXPECT_THAT(run.err, HasSubstr("cannot attach to a running process")) << words;
  }
}

TEST(ProfileVerb, ItsUsageNamesTheCommand) {
  EXPECT_THAT(run_stepscope("profile --help").out,
              HasSubstr("profile [OPTIONS] -- COMMAND [ARGUMENT...]\n"));
}

TEST(ProfileVerb, ARankReducesItselfAtItsEnd) {
  const Folder folder;
  for (const int rank : {0, 1}) {
    const RunOutcome run =
        run_stepscope(fmt::format("profile -o {} -- {} 30 5 7", folder.at("job"), STEPSCOPE_STEPS),
                      fmt::format("OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK={}", rank));
    EXPECT_EQ(run.status, 7) << run.err;
    EXPECT_TRUE(
        std::filesystem::exists(folder.at(fmt::format("job/rank{0}.scope/rank{0}.summary", rank))))
        << run.err;
  }
  const std::string with = run_stepscope("report --format json " + folder.at("job")).out;
  EXPECT_THAT(with, HasSubstr("\"world_size\": 2"));
  EXPECT_THAT(with, testing::Not(HasSubstr("were read although")));
  for (const int rank : {0, 1})
    std::filesystem::remove(folder.at(fmt::format("job/rank{0}.scope/rank{0}.summary", rank)));
  EXPECT_EQ(run_stepscope("report --format json " + folder.at("job")).out, with);
}

TEST(ProfileVerb, ARunOfOneProcessLeavesNoSummary) {
  const Folder folder;
  const RunOutcome run =
      run_stepscope(fmt::format("profile -o {} -- {} 10 2", folder.at("one"), STEPSCOPE_STEPS));
  EXPECT_EQ(run.status, 0) << run.err;
  for (const auto& entry : std::filesystem::directory_iterator(folder.at("one.scope")))
    EXPECT_NE(entry.path().extension(), ".summary");
}

}  // namespace
}  // namespace stepscope
