// SPDX-License-Identifier: Apache-2.0
#include "kernels/row_topk/row_topk_reference.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/common/float_bits.hpp"

namespace stepscope::kernels {
namespace {

struct RowEntry {
  double value;
  std::int64_t column;
};

double value_of(const RowTopkArguments& arguments, std::int64_t at) {
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

std::uint32_t stored_bits(const RowTopkArguments& arguments, std::int64_t at) {
  if (arguments.key_type == KeyType::float32)
    return bits_of(static_cast<const float*>(arguments.keys)[at]);
  return static_cast<const std::uint16_t*>(arguments.keys)[at];
}

bool may_be_selected(const RowTopkArguments& arguments, const RowEntry& entry) {
  if (arguments.considered != nullptr &&
      (arguments.considered[entry.column / 32] >> (entry.column % 32) & 1U) == 0)
    return false;
  if (std::isnan(entry.value)) return arguments.nan == NanPolicy::select;
  return entry.value > 0 || !arguments.positives_only;
}

bool entry_before(const RowEntry& a, const RowEntry& b) {
  const bool a_nan = std::isnan(a.value);
  const bool b_nan = std::isnan(b.value);
  if (a_nan != b_nan) return a_nan;
  if (!a_nan && a.value != b.value) return a.value > b.value;
  return a.column < b.column;
}

std::vector<RowEntry> selected_of_row(const RowTopkArguments& arguments, std::int64_t row) {
  std::vector<RowEntry> entries;
  for (std::int64_t column = 0; column < arguments.columns; ++column) {
    const RowEntry entry{value_of(arguments, row * arguments.columns + column), column};
    if (may_be_selected(arguments, entry)) entries.push_back(entry);
  }
  const auto selected =
      std::clamp<std::int64_t>(arguments.count, 0, static_cast<std::int64_t>(entries.size()));
  std::partial_sort(entries.begin(), entries.begin() + selected, entries.end(), entry_before);
  entries.resize(static_cast<std::size_t>(selected));
  std::sort(entries.begin(), entries.end(),
            [](const RowEntry& a, const RowEntry& b) { return a.column < b.column; });
  return entries;
}

}  // namespace

RowTopkExpected row_topk_reference(const RowTopkArguments& arguments) {
  RowTopkExpected expected;
  const auto count = static_cast<std::size_t>(std::max<std::int64_t>(arguments.count, 0));
  expected.fired_bits.resize(static_cast<std::size_t>(mask_words_per_row(arguments.columns)));
  expected.fired_counts.resize(static_cast<std::size_t>(arguments.columns));
  for (std::int64_t row = 0; row < arguments.rows; ++row) {
    const std::vector<RowEntry> entries = selected_of_row(arguments, row);
    for (const RowEntry& entry : entries) {
      const bool zeroed = arguments.values_as == RowTopkValues::relu && entry.value <= 0;
      expected.columns.push_back(static_cast<std::int32_t>(entry.column));
      expected.value_bits.push_back(
          zeroed ? 0 : stored_bits(arguments, row * arguments.columns + entry.column));
      if (!(entry.value > static_cast<double>(arguments.fired.above))) continue;
      expected.fired_bits[static_cast<std::size_t>(entry.column / 32)] |= 1U << (entry.column % 32);
      ++expected.fired_counts[static_cast<std::size_t>(entry.column)];
    }
    expected.selected.push_back(static_cast<std::int32_t>(entries.size()));
    expected.columns.resize(expected.selected.size() * count, -1);
    expected.value_bits.resize(expected.selected.size() * count, 0);
  }
  return expected;
}

}  // namespace stepscope::kernels
