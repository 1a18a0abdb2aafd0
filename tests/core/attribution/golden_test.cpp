// SPDX-License-Identifier: Apache-2.0
// Every file of tests/cases/attribution is one test. `--gtest_filter=*/NAME` runs one case.
#include <gtest/gtest.h>

#include "tests/support/text_case.hpp"

namespace stepscope::testing {
namespace {

const std::filesystem::path kFolder =
    std::filesystem::path(STEPSCOPE_SOURCE_DIR) / "tests/cases/attribution";

class Golden : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(Golden, PartsAreAsWritten) {
  const Result<TextCase> read = read_case(GetParam());
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_TRUE(read->steps.has_value())
      << "cases without explicit steps belong to tests/cases/windows";
  const Result<Attribution> found = attribute(read->trace, *read->steps);
  ASSERT_TRUE(found.ok()) << found.error().message;
  const std::string wrong = differences(*read, *read->steps, *found);
  EXPECT_TRUE(wrong.empty()) << GetParam().filename() << "\n" << wrong;
}

INSTANTIATE_TEST_SUITE_P(Cases, Golden, ::testing::ValuesIn(list_cases(kFolder)),
                         [](const auto& at) { return at.param.stem().string(); });

TEST(GoldenFolder, HoldsAtLeastFortyCases) {
  EXPECT_GE(list_cases(kFolder).size(), 40U);
}

}  // namespace
}  // namespace stepscope::testing
