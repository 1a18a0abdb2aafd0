// SPDX-License-Identifier: Apache-2.0
// The kernel against the reference: every column, value bit and count must be equal.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/kernels/row_topk/on_device.hpp"

namespace stepscope::kernels {
namespace {

TYPED_TEST_SUITE(RowTopkGpu, KeyTypes);

// The shape's first dimension is a row, so these are hard within it.
std::vector<KeyPattern> row_patterns() {
  using Random = std::mt19937;
  std::vector<KeyPattern> patterns = key_patterns();
  const std::vector<KeyPattern> of_rows = {
      {"sorted up", [](auto, auto column, Random&) { return static_cast<double>(column); }},
      {"sorted down", [](auto, auto column, Random&) { return -static_cast<double>(column); }},
      // The greatest all belong to one thread's group, so the bound is weak and lists overflow.
      {"period of a strip",
       [](auto, auto column, Random& r) {
         return normal(r) + (column % 8192 < 64 ? static_cast<double>(column) : 0.0);
       }},
      {"rising in steps of a strip",
       [](auto, auto column, Random& r) {
         return static_cast<double>(column / 4096) * 16 + normal(r);
       }},
      {"rows that differ",
       [](auto row, auto, Random& r) {
         return std::ldexp(normal(r), static_cast<int>(row % 5) * 6 - 12) * (row % 2 == 0 ? 1 : -1);
       }},
      {"great at both ends",
       [](auto, auto column, Random& r) { return column < 9 ? 9.0 : normal(r); }}};
  patterns.insert(patterns.end(), of_rows.begin(), of_rows.end());
  return patterns;
}

TYPED_TEST(RowTopkGpu, EqualsTheReferenceOnEveryPattern) {
  Turns patterns(2 * this->kFirstTurn);
  Turns counts(this->kFirstTurn);
  for (const Shape& shape : {Shape{2, 512}, Shape{3, 1000}, Shape{5, 24580}})
    for (const KeyPattern& pattern : patterns.of(row_patterns(), 6)) {
      const std::vector<TypeParam> keys = made_keys<TypeParam>(pattern, shape.rows, shape.columns);
      for (const std::int64_t count : counts.one_of<std::int64_t>({1, 2, 32, 200, 512}))
        this->check(keys, 0, arguments_for<TypeParam>(shape, count), pattern.name);
    }
}

TYPED_TEST(RowTopkGpu, EqualsTheReferenceUnderEveryPolicy) {
  const Shape shape{4, 9001};
  std::vector<RowTopkArguments> policies;
  for (const bool positives : {false, true})
    for (const NanPolicy nan : {NanPolicy::reject, NanPolicy::select})
      for (const RowTopkValues values : {RowTopkValues::raw, RowTopkValues::relu}) {
        RowTopkArguments& arguments = policies.emplace_back(arguments_for<TypeParam>(shape, 150));
        arguments.nan = nan;
        arguments.positives_only = positives;
        arguments.values_as = values;
        arguments.fired.above = positives ? 1e-6F : -0.5F;
      }
  Turns patterns(this->kFirstTurn);
  Turns turns(this->kFirstTurn);
  for (const KeyPattern& pattern : patterns.of(row_patterns(), 2)) {
    const std::vector<TypeParam> keys = made_keys<TypeParam>(pattern, shape.rows, shape.columns);
    for (const RowTopkArguments& arguments : turns.one_of(policies))
      this->check(keys, 0, arguments, pattern.name);
  }
}

TYPED_TEST(RowTopkGpu, EqualsTheReferenceOnEveryShape) {
  const KeyPattern pattern = key_patterns().front();
  Turns counts(this->kFirstTurn);
  for (const Shape& shape :
       {Shape{1, 1},        Shape{1, 7},       Shape{9, 1},      Shape{3, 33, 1},
        Shape{7, 255, 3},   Shape{5, 257, 7},  Shape{600, 40},   Shape{2, 4095},
        Shape{2, 4096},     Shape{3, 8191, 5}, Shape{3, 8193},   Shape{2, 20479},
        Shape{3, 20481, 1}, Shape{2, 40961},   Shape{3, 49152},  Shape{2, 65536},
        Shape{2, 65536, 3}, Shape{2, 65537},   Shape{2, 131072}, Shape{2, 131077, 2}}) {
    const std::vector<TypeParam> keys = made_keys<TypeParam>(pattern, shape.rows, shape.columns);
    for (const std::int64_t count :
         counts.of<std::int64_t>({1, std::min<std::int64_t>(shape.columns, 512), 200,
                                  std::min<std::int64_t>(shape.columns + 1, 512)},
                                 2))
      this->check(keys, shape.offset, arguments_for<TypeParam>(shape, count),
                  "offset " + std::to_string(shape.offset));
  }
}

// The greatest code there is, where it has 32 bits: NaN that ranks first, in the first column.
TYPED_TEST(RowTopkGpu, SelectsNanAtBothEndsOfTheWidestRow) {
  const Shape shape{2, 65536};
  std::vector<TypeParam> keys =
      made_keys<TypeParam>(key_patterns().front(), shape.rows, shape.columns);
  for (std::size_t row = 0; row < 2; ++row)
    for (const std::size_t column : {std::size_t{0}, std::size_t{65535}})
      assign(keys[row * 65536 + column], std::numeric_limits<double>::quiet_NaN());
  for (const NanPolicy policy : {NanPolicy::select, NanPolicy::reject})
    for (const std::int64_t count : {1, 2, 200}) {
      RowTopkArguments arguments = arguments_for<TypeParam>(shape, count);
      arguments.nan = policy;
      this->check(keys, 0, arguments, "NaN at both ends");
    }
}

// All columns, none, a few, and those alone whose keys are small.
TYPED_TEST(RowTopkGpu, SelectsAmongConsideredColumnsAlone) {
  Turns patterns(2 * this->kFirstTurn);
  Turns kinds(this->kFirstTurn);
  for (const Shape& shape : {Shape{3, 33, 1}, Shape{4, 24580, 3}, Shape{2, 49152}})
    for (const KeyPattern& pattern : patterns.of(row_patterns(), 6)) {
      const std::vector<TypeParam> keys = made_keys<TypeParam>(pattern, shape.rows, shape.columns);
      for (const int kind : kinds.one_of<int>({0, 1, 2, 3})) {
        std::vector<std::uint32_t> words(
            static_cast<std::size_t>(mask_words_per_row(shape.columns)));
        for (std::int64_t column = 0; column < shape.columns; ++column) {
          const bool small = to_float(keys[static_cast<std::size_t>(column)]) < 0;
          const bool all[] = {true, false, column % 37 == 5, small};
          if (all[kind]) words[static_cast<std::size_t>(column / 32)] |= 1U << (column % 32);
        }
        RowTopkArguments arguments = arguments_for<TypeParam>(shape, 512);
        arguments.considered = words.data();
        this->check(keys, shape.offset, arguments,
                    pattern.name + ", columns of kind " + std::to_string(kind));
      }
    }
}

}  // namespace
}  // namespace stepscope::kernels
