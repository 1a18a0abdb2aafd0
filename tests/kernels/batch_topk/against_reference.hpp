// SPDX-License-Identifier: Apache-2.0
// The kernels beside the reference, on one type of key: every path must give its mask.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "kernels/batch_topk/batch_topk_reference.hpp"
#include "tests/kernels/batch_topk/on_device.hpp"
#include "tests/kernels/support/key_patterns.hpp"
#include "tests/kernels/support/small_shapes.hpp"

namespace stepscope::kernels {

struct Shape {
  std::int64_t rows, columns;
  std::size_t offset = 0;  // where the keys begin, in entries
};

// Raw keys of this type and shape; all else is the caller's.
template <class T>
BatchTopkArguments arguments_for(const Shape& shape) {
  BatchTopkArguments arguments;
  arguments.key_type = KeyTypeOf<T>::value;
  arguments.rows = shape.rows;
  arguments.columns = shape.columns;
  return arguments;
}

inline std::string text(const BatchTopkArguments& arguments, const std::string& what) {
  return what + " " + std::to_string(arguments.rows) + " x " + std::to_string(arguments.columns) +
         " count " + std::to_string(arguments.count) +
         (arguments.nan == NanPolicy::select ? " select NaN" : "") +
         (arguments.positives_only ? " positives" : "") +
         (arguments.start == BatchTopkStart::none ? " from scratch" : "") +
         (arguments.warm_start != nullptr ? " warm" : "");
}

inline void expect_equal(const BatchTopkAnswer& answer, const BatchTopkExpected& expected,
                         const std::string& what) {
  EXPECT_EQ(answer.mask, expected.mask) << what;
  EXPECT_EQ(answer.result.selected, expected.selected) << what;
  EXPECT_EQ(answer.result.last_column, expected.last_column) << what;
  EXPECT_EQ(answer.result.last_row, expected.last_row) << what;
  const auto threshold = static_cast<double>(answer.result.threshold);
  EXPECT_TRUE(threshold == expected.threshold ||
              (std::isnan(threshold) && std::isnan(expected.threshold)))
      << what << ": " << threshold << ", expected " << expected.threshold;
  EXPECT_EQ(answer.result.nan_count, expected.nan_count) << what;
}

inline std::vector<std::int64_t> counts_for(std::int64_t entries) {
  return {1, 2, entries / 250, entries / 20, entries / 2, entries - 1, entries, entries + 1};
}

template <class T>
class BatchTopkGpu : public testing::Test {
 protected:
  // Above all numbers, all keys, below most, and with ends in the wrong order.
  inline static const std::vector<BatchTopkWarmStart> kRubbish = {
      {0xfffffffeU, 0xffffffffU, 0x7f7f7f7fU, 1},
      {0, 0xffffffffU, 0, 0xffffffffU},
      {1, 2, 0, 0},
      {0x3c3c3c3cU, 0x3c3c3c3cU, 0x3c3c3c3cU, 0x3c3c3c3cU},
      {0xffffU, 0, 5, 0}};

  void SetUp() override {
    if (!gpu_found()) GTEST_SKIP() << "no GPU";
  }
  static constexpr auto kFirstTurn = static_cast<std::size_t>(KeyTypeOf<T>::value);

  // On all paths; `arguments` has the shape and the policies.
  void check(const std::vector<T>& keys, const Shape& shape, BatchTopkArguments arguments,
             const std::string& what) {
    arguments.key_type = KeyTypeOf<T>::value;
    arguments.rows = shape.rows;
    arguments.columns = shape.columns;
    arguments.keys = keys.data();
    const BatchTopkExpected expected = batch_topk_reference(arguments);
    const DeviceKeys<T> on_device(keys, shape.offset);
    arguments.keys = on_device.data();
    const Stream stream;
    const BatchTopkRun run(arguments);
    for (const BatchTopkStart start : {BatchTopkStart::sample, BatchTopkStart::none}) {
      arguments.start = start;
      expect_equal(run.call(arguments, stream), expected, text(arguments, what));
    }
    arguments.start = BatchTopkStart::sample;
    check_warm(arguments, run, expected, stream, what);
  }

  // Nothing known, then what the call before left, then rubbish.
  void check_warm(BatchTopkArguments arguments, const BatchTopkRun& run,
                  const BatchTopkExpected& expected, const Stream& stream,
                  const std::string& what) {
    const DeviceBuffer<BatchTopkWarmStart> warm(1);
    warm.fill_bytes(0);
    arguments.warm_start = warm.data();
    for (int repeat = 0; repeat < sized(3, 2); ++repeat)
      expect_equal(run.call(arguments, stream), expected, text(arguments, what));
    for (const BatchTopkWarmStart& rubbish : rubbish_turns_.one_of(kRubbish)) {
      warm.put({rubbish});
      expect_equal(run.call(arguments, stream), expected, text(arguments, what));
    }
  }

 private:
  Turns rubbish_turns_;
};

using KeyTypes = testing::Types<Bfloat16, Float16, float>;

}  // namespace stepscope::kernels
