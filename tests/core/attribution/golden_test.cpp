// SPDX-License-Identifier: Apache-2.0
// Every file of tests/cases/attribution is one test. `--gtest_filter=*/NAME` runs one case.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <regex>

#include "tests/support/text_case.hpp"

namespace stepscope::testing {
namespace {

const std::filesystem::path kFolder =
    std::filesystem::path(STEPSCOPE_SOURCE_DIR) / "tests/cases/attribution";

class Golden : public ::testing::TestWithParam<std::filesystem::path> {};

// The calls that our collector records by the driver's name, below the level deep.
std::string with_driver_names(std::string text) {
  constexpr std::pair<const char*, const char*> kNames[] = {
      {"cudaLaunchKernel", "cuLaunchKernel"},
      {"cudaGraphLaunch", "cuGraphLaunch"},
      {"cudaMemcpyAsync", "cuMemcpyHtoDAsync"},
      {"cudaMemsetAsync", "cuMemsetD8Async"},
      {"cudaEventRecord", "cuEventRecord"},
      {"cudaStreamWaitEvent", "cuStreamWaitEvent"},
      {"cudaStreamSynchronize", "cuStreamSynchronize"}};
  for (const auto& [runtime, driver] : kNames)
    text = std::regex_replace(text, std::regex("\\b" + std::string(runtime) + "\\b"), driver);
  return text;
}

void judge(const Result<TextCase>& read) {
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_TRUE(read->steps.has_value())
      << "cases without explicit steps belong to tests/cases/windows";
  const Result<Attribution> found = attribute(read->trace, *read->steps);
  ASSERT_TRUE(found.ok()) << found.error().message;
  const std::string wrong = differences(*read, *read->steps, *found);
  EXPECT_TRUE(wrong.empty()) << read->name << "\n" << wrong;
}

TEST_P(Golden, PartsAreAsWritten) {
  judge(read_case(GetParam()));
}

TEST_P(Golden, PartsAreTheSameWithTheDriversNames) {
  std::ifstream file(GetParam());
  const std::string text{std::istreambuf_iterator(file), {}};
  judge(parse_case(GetParam().stem(), with_driver_names(text)));
}

INSTANTIATE_TEST_SUITE_P(Cases, Golden, ::testing::ValuesIn(list_cases(kFolder)),
                         [](const auto& at) { return at.param.stem().string(); });

TEST(GoldenFolder, HoldsAtLeastFortyCases) {
  EXPECT_GE(list_cases(kFolder).size(), 40U);
}

}  // namespace
}  // namespace stepscope::testing
