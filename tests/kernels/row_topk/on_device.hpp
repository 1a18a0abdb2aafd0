// SPDX-License-Identifier: Apache-2.0
// Runs row_topk on made keys, and judges what it wrote by the reference.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "kernels/common/stream.hpp"
#include "kernels/row_topk/row_topk_reference.hpp"
#include "tests/kernels/support/device_keys.hpp"
#include "tests/kernels/support/gpu_found.hpp"
#include "tests/kernels/support/key_patterns.hpp"
#include "tests/kernels/support/small_shapes.hpp"

namespace stepscope::kernels {

using KeyTypes = testing::Types<Bfloat16, Float16, float>;

struct Shape {
  std::int64_t rows, columns;
  std::size_t offset = 0;  // where the keys begin, in entries
};

template <class T>
RowTopkArguments arguments_for(const Shape& shape, std::int64_t count) {
  RowTopkArguments arguments;
  arguments.key_type = KeyTypeOf<T>::value;
  arguments.rows = shape.rows;
  arguments.columns = shape.columns;
  arguments.count = count;
  return arguments;
}

inline std::string text(const RowTopkArguments& arguments, const std::string& what) {
  return what + " " + std::to_string(arguments.rows) + " x " + std::to_string(arguments.columns) +
         " count " + std::to_string(arguments.count) +
         (arguments.nan == NanPolicy::select ? " select NaN" : "") +
         (arguments.positives_only ? " positives" : "") +
         (arguments.considered != nullptr ? " some columns" : "");
}

// Outputs of one call, with room behind each that must be left alone.
template <class T>
class RowTopkRun {
 public:
  explicit RowTopkRun(const RowTopkArguments& arguments)
      : rows_(static_cast<std::size_t>(arguments.rows)),
        size_(rows_ * static_cast<std::size_t>(std::max<std::int64_t>(arguments.count, 0))),
        columns_(size_ + kBehind),
        values_(size_ + kBehind),
        selected_(rows_ + kBehind),
        fired_bits_(static_cast<std::size_t>(mask_words_per_row(arguments.columns))),
        fired_counts_(static_cast<std::size_t>(arguments.columns)) {}

  RowTopkArguments bound(RowTopkArguments arguments) const {
    arguments.columns_out = columns_.data();
    arguments.values = values_.data();
    arguments.selected = selected_.data();
    arguments.fired.bits = fired_bits_.data();
    arguments.fired.counts = fired_counts_.data();
    return arguments;
  }
  void poison() const {
    columns_.fill_bytes(kRubbish);
    values_.fill_bytes(kRubbish);
    selected_.fill_bytes(kRubbish);
    fired_bits_.fill_bytes(0);
    fired_counts_.fill_bytes(0);
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }
  // times: how often the call was made since poison().
  void expect(const RowTopkExpected& expected, const std::string& what,
              std::uint32_t times = 1) const {
    EXPECT_EQ(written(columns_, size_, what), expected.columns) << what;
    EXPECT_EQ(bits(written(values_, size_, what)), expected.value_bits) << what;
    EXPECT_EQ(written(selected_, rows_, what), expected.selected) << what;
    EXPECT_EQ(fired_bits_.to_host(), expected.fired_bits) << what;
    std::vector<std::uint32_t> counts = expected.fired_counts;
    for (std::uint32_t& count : counts) count *= times;
    EXPECT_EQ(fired_counts_.to_host(), counts) << what;
  }

 private:
  static constexpr std::size_t kBehind = 8;
  static constexpr int kRubbish = 0xa5;

  // The first `size` values; what is behind them must be as poison() left it.
  template <class U>
  static std::vector<U> written(const DeviceBuffer<U>& buffer, std::size_t size,
                                const std::string& what) {
    std::vector<U> values = buffer.to_host();
    std::vector<unsigned char> behind(kBehind * sizeof(U));
    std::memcpy(behind.data(), values.data() + size, behind.size());
    EXPECT_EQ(behind, std::vector<unsigned char>(behind.size(), kRubbish)) << what;
    values.resize(size);
    return values;
  }
  static std::vector<std::uint32_t> bits(const std::vector<T>& values) {
    std::vector<std::uint32_t> bits(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) std::memcpy(&bits[i], &values[i], sizeof(T));
    return bits;
  }

  std::size_t rows_, size_;
  DeviceBuffer<std::int32_t> columns_;
  DeviceBuffer<T> values_;
  DeviceBuffer<std::int32_t> selected_;
  DeviceBuffer<std::uint32_t> fired_bits_, fired_counts_;
};

template <class T>
class RowTopkGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (!gpu_found()) GTEST_SKIP() << "no GPU";
  }
  static constexpr auto kFirstTurn = static_cast<std::size_t>(KeyTypeOf<T>::value);

  // `arguments` has the shape, the policies and, in host memory, considered columns.
  void check(const std::vector<T>& keys, std::size_t offset, RowTopkArguments arguments,
             const std::string& what) {
    arguments.keys = keys.data();
    const RowTopkExpected expected = row_topk_reference(arguments);
    const DeviceKeys<T> on_device(keys, offset);
    arguments.keys = on_device.data();
    DeviceBuffer<std::uint32_t> considered;
    if (arguments.considered != nullptr) {
      const std::uint32_t* const words = arguments.considered;
      considered = DeviceBuffer<std::uint32_t>(
          std::vector<std::uint32_t>(words, words + mask_words_per_row(arguments.columns)));
      arguments.considered = considered.data();
    }
    const Stream stream;
    const RowTopkRun<T> run(arguments);
    run.poison();
    EXPECT_EQ(row_topk(run.bound(arguments), stream.get()).message(), "");
    stream.synchronize();
    run.expect(expected, text(arguments, what));
  }
};

}  // namespace stepscope::kernels
