// SPDX-License-Identifier: Apache-2.0
#include "kernels/batch_topk/batch_topk_reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/common/float_bits.hpp"

namespace stepscope::kernels {
namespace {

struct Entry {
  double key;
  std::int64_t column, row;
};

float entry_of(const BatchTopkArguments& arguments, std::int64_t row, std::int64_t column) {
  const std::int64_t at = row * arguments.columns + column;
  switch (arguments.key_type) {
    case KeyType::bfloat16:
      return to_float(static_cast<const Bfloat16*>(arguments.keys)[at]);
    case KeyType::float16:
      return to_float(static_cast<const Float16*>(arguments.keys)[at]);
    case KeyType::float32:
      break;
  }
  return static_cast<const float*>(arguments.keys)[at];
}

}  // namespace

// Two roundings, as the kernels do; volatile keeps a compiler from fusing them into one.
double batch_topk_key(const BatchTopkArguments& arguments, std::int64_t row, std::int64_t column) {
  const float entry = entry_of(arguments, row, column);
  if (arguments.column_keys.source == KeySource::raw) return entry;
  const volatile float centred = entry - arguments.column_keys.mean[column];
  return centred * arguments.column_keys.scale[column];
}

bool may_be_selected(const BatchTopkArguments& arguments, double key) {
  if (std::isnan(key)) return arguments.nan == NanPolicy::select;
  return key > 0 || !arguments.positives_only;
}

namespace {

bool comes_before(const Entry& a, const Entry& b) {
  const bool a_nan = std::isnan(a.key);
  const bool b_nan = std::isnan(b.key);
  if (a_nan != b_nan) return a_nan;
  if (!a_nan && a.key != b.key) return a.key > b.key;
  return a.column != b.column ? a.column < b.column : a.row < b.row;
}

// Fills nan_count too.
std::vector<Entry> selectable(const BatchTopkArguments& arguments, BatchTopkExpected& expected) {
  std::vector<Entry> entries;
  for (std::int64_t row = 0; row < arguments.rows; ++row)
    for (std::int64_t column = 0; column < arguments.columns; ++column) {
      const double key = batch_topk_key(arguments, row, column);
      if (std::isnan(key)) ++expected.nan_count;
      if (may_be_selected(arguments, key)) entries.push_back({key, column, row});
    }
  return entries;
}

void set_bit(const BatchTopkArguments& arguments, const Entry& entry, BatchTopkExpected& expected) {
  const std::int64_t word = entry.row * mask_words_per_row(arguments.columns) + entry.column / 32;
  expected.mask[static_cast<std::size_t>(word)] |= 1U << (entry.column % 32);
}

}  // namespace

BatchTopkExpected batch_topk_reference(const BatchTopkArguments& arguments) {
  BatchTopkExpected expected;
  expected.mask.resize(
      static_cast<std::size_t>(arguments.rows * mask_words_per_row(arguments.columns)));
  expected.threshold = std::numeric_limits<double>::infinity();
  std::vector<Entry> entries = selectable(arguments, expected);
  expected.selected =
      std::clamp<std::int64_t>(arguments.count, 0, static_cast<std::int64_t>(entries.size()));
  if (expected.selected == 0) return expected;

  const auto last = entries.begin() + (expected.selected - 1);
  std::nth_element(entries.begin(), last, entries.end(), comes_before);
  for (auto entry = entries.begin(); entry <= last; ++entry) set_bit(arguments, *entry, expected);
  expected.threshold = last->key;
  expected.last_column = last->column;
  expected.last_row = last->row;
  return expected;
}

// Row by row, so that memory is read in its order; each column is summed by itself.
ColumnStatistics column_statistics_reference(const BatchTopkArguments& arguments) {
  const auto rows = static_cast<double>(arguments.rows);
  const auto columns = static_cast<std::size_t>(arguments.columns);
  std::vector<double> mean(columns), squares(columns), scale(columns);
  const auto for_each_entry = [&](auto visit) {
    for (std::int64_t row = 0; row < arguments.rows; ++row)
      for (std::size_t column = 0; column < columns; ++column)
        visit(column, entry_of(arguments, row, static_cast<std::int64_t>(column)));
  };
  for_each_entry([&](std::size_t column, double entry) { mean[column] += entry / rows; });
  for_each_entry([&](std::size_t column, double entry) {
    squares[column] += (entry - mean[column]) * (entry - mean[column]);
  });
  for (std::size_t column = 0; column < columns; ++column) {
    const double deviation = std::sqrt(squares[column] / (rows - 1));
    scale[column] = 1.0 / (deviation + static_cast<double>(arguments.column_keys.epsilon));
  }
  return {mean, scale};
}

}  // namespace stepscope::kernels
