// SPDX-License-Identifier: Apache-2.0
// Every file of tests/cases/windows is one test: steps found by find_steps, then attributed.
// `--gtest_filter=*/NAME` runs one case.
#include <gtest/gtest.h>

#include "tests/support/text_case.hpp"

namespace stepscope::testing {
namespace {

const std::filesystem::path kFolder =
    std::filesystem::path(STEPSCOPE_SOURCE_DIR) / "tests/cases/windows";

class Windows : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(Windows, StepsAndPartsAreAsWritten) {
  const Result<TextCase> read = read_case(GetParam());
  ASSERT_TRUE(read.ok()) << read.error().message;
  const Result<Steps> steps = find_steps(read->trace);
  ASSERT_TRUE(steps.ok()) << steps.error().message;
  const Result<Attribution> found = attribute(read->trace, *steps);
  ASSERT_TRUE(found.ok()) << found.error().message;
  const std::string wrong = differences(*read, *steps, *found);
  EXPECT_TRUE(wrong.empty()) << GetParam().filename() << "\n" << wrong;
}

INSTANTIATE_TEST_SUITE_P(Cases, Windows, ::testing::ValuesIn(list_cases(kFolder)),
                         [](const auto& at) { return at.param.stem().string(); });

}  // namespace
}  // namespace stepscope::testing
