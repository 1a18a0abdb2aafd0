// SPDX-License-Identifier: Apache-2.0
// The words of `stepscope profile`; what it records is tested in tests/collectors.
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

}  // namespace
}  // namespace stepscope
