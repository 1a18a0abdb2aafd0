// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/kernels/flags.hpp"

#include <benchmark/benchmark.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stepscope::kernels {
namespace {

using testing::HasSubstr;

class Flags : public testing::Test {
 protected:
  std::optional<int> read(std::vector<const char*> words) {
    words.insert(words.begin(), "bench");
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const auto status = read_flags(static_cast<int>(words.size()), words.data(),
                                   {"What it measures.", {"bf16", "bf16, k 2"}}, &flags_);
    out_ = testing::internal::GetCapturedStdout();
    error_ = testing::internal::GetCapturedStderr();
    return status;
  }

  BenchFlags flags_{200};
  std::string out_, error_;
};

TEST_F(Flags, AreAsSetWhereNoneIsGiven) {
  EXPECT_EQ(read({}), std::nullopt);
  EXPECT_EQ(flags_.repetitions, 200U);
  EXPECT_FALSE(flags_.once);
  EXPECT_TRUE(flags_.wants("bf16"));
}

TEST_F(Flags, AreReadBesideGoogleBenchmarks) {
  EXPECT_EQ(
      read({"--repetitions", "30", "--benchmark_filter=warm", "--case", "bf16, k 2", "--once"}),
      std::nullopt);
  EXPECT_EQ(flags_.repetitions, 30U);
  EXPECT_TRUE(flags_.once);
  EXPECT_TRUE(flags_.wants("bf16, k 2"));
  EXPECT_FALSE(flags_.wants("bf16"));
  EXPECT_EQ(benchmark::GetBenchmarkFilter(), "warm");
}

TEST_F(Flags, UnknownOnesAreNamed) {
  for (const char* unknown : {"--repetition", "--benchmark_filtre=warm", "warm"}) {
    EXPECT_EQ(read({unknown}), 2);
    EXPECT_THAT(error_, HasSubstr(std::string("unknown flag: ") + unknown));
  }
}

TEST_F(Flags, BadValuesAreNamed) {
  EXPECT_EQ(read({"--repetitions", "0"}), 2);
  EXPECT_THAT(error_, HasSubstr("--repetitions"));
  EXPECT_EQ(read({"--case", "fp8"}), 2);
  EXPECT_THAT(error_, HasSubstr("fp8"));
  EXPECT_THAT(error_, HasSubstr("bf16, k 2"));
}

TEST_F(Flags, HelpListsBoth) {
  EXPECT_EQ(read({"--help"}), 0);
  for (const char* part : {"What it measures.", "--repetitions", "--case", "--once",
                           "--benchmark_list_tests={true|false}"})
    EXPECT_THAT(out_, HasSubstr(part));
}

}  // namespace
}  // namespace stepscope::kernels
