// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/activation_files/norm_stats.hpp"

#include <gmock/gmock.h>

#include "reference_trainers/activation_files/measured_stats.hpp"
#include "tests/reference_trainers/activation_files/store_folder.hpp"

namespace stepscope::trainers {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class NormStatsTest : public StoreFolder {
 protected:
  std::string error_of(const std::string& text) const {
    put(path("norm_stats.json"), text);
    const auto stats = read_norm_stats(path("norm_stats.json"), 1, 2);
    return stats ? "" : stats.error().message;
  }
};

constexpr const char* kSound =
    R"({"0":{"inputs":{"mean":[1,-2],"std":[0,4]},"targets":{"mean":[5,6],"std":[7,8]}}})";

std::string with(std::string from, const std::string& to) {
  std::string text = kSound;
  return text.replace(text.find(from), from.size(), to);
}

TEST_F(NormStatsTest, AreReadToTheBit) {
  const NormStats stats{at::randn({2, 3, 5}), at::rand({2, 3, 5})};
  ASSERT_TRUE(write_norm_stats(path("norm_stats.json"), stats));
  const auto read = read_norm_stats(path("norm_stats.json"), 3, 5);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(read->mean.equal(stats.mean));
  EXPECT_TRUE(read->std.equal(stats.std));
}

TEST_F(NormStatsTest, WhatDoesNotFitIsNamed) {
  EXPECT_EQ(error_of(kSound), "");
  EXPECT_THAT(error_of("{"), HasSubstr("no JSON object"));
  EXPECT_THAT(error_of("[]"), HasSubstr("no JSON object"));
  EXPECT_THAT(error_of(with("[5,6]", "[NaN,6]")), HasSubstr("no JSON object"));
  EXPECT_THAT(error_of("{}"), HasSubstr("of 0 layers, not of 1"));
  EXPECT_THAT(error_of(with("\"0\"", "\"1\"")), HasSubstr("0.inputs.mean"));
  EXPECT_THAT(error_of(with("[5,6]", "[5]")), HasSubstr("0.targets.mean is not 2 finite numbers"));
  EXPECT_THAT(error_of(with("[5,6]", "[5,\"6\"]")), HasSubstr("0.targets.mean"));
  EXPECT_THAT(error_of(with("[5,6]", "[5,1e300]")), HasSubstr("0.targets.mean"));
  EXPECT_THAT(error_of(with("[7,8]", "[7,-8]")), HasSubstr("0.targets.std"));
  EXPECT_THAT(error_of(with("\"inputs\":{", "\"inputs\":{\"more\":1},\"x\":{")),
              AllOf(HasSubstr(path("norm_stats.json")), HasSubstr("0.inputs.mean")));
}

TEST_F(NormStatsTest, MeasuredOverAllRowsAreThoseOfTheRows) {
  NewActivations all;
  all.inputs = {at::randn({500, 3}) + 100};
  all.targets = {at::randn({500, 3}) * 3};
  all.chunk_rows = 200;
  ASSERT_TRUE(write_activations(path("store"), all));
  const auto measured = measure_stats(*look_at(path("store"), 1, 3), 1'000'000);
  ASSERT_TRUE(measured) << measured.error().message;
  EXPECT_EQ(measured->rows, 500);
  EXPECT_TRUE(measured->stats.mean[0][0].allclose(all.inputs[0].mean(0), 1e-5));
  EXPECT_TRUE(measured->stats.std[0][0].allclose(all.inputs[0].std(0), 1e-3));
  EXPECT_TRUE(measured->stats.std[1][0].allclose(all.targets[0].std(0), 1e-3));
}

TEST_F(NormStatsTest, MeasuredOverTheFirstRowsStopsThere) {
  const std::string store = written(90, 30);
  const auto measured = measure_stats(*look_at(store, 2, 4), 31);
  ASSERT_TRUE(measured);
  EXPECT_EQ(measured->rows, 60);
}

TEST_F(NormStatsTest, RowsThatAreNotFiniteAreNotMeasured) {
  NewActivations all = numbered(9);
  all.targets[1][4][2] = NAN;
  ASSERT_TRUE(write_activations(path("store"), all));
  const auto measured = measure_stats(*look_at(path("store"), 2, 4), 100);
  ASSERT_FALSE(measured);
  EXPECT_THAT(measured.error().message, HasSubstr("the first 9 rows hold NaN"));
}

}  // namespace
}  // namespace stepscope::trainers
