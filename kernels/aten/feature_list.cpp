// SPDX-License-Identifier: Apache-2.0
#include "kernels/aten/feature_list.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/full.h>
#include <ATen/ops/searchsorted.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "kernels/aten/device_call.hpp"
#include "kernels/sparse_decoder/silent_steps.hpp"
#include "kernels/sparse_decoder/turned_list.hpp"

namespace stepscope::aten {
namespace {

// Calls visit(line, entry) for the entries of a list on the CPU, without those that did not fit.
template <class Visit>
void for_each_entry(const FeatureList& list, Visit visit) {
  const auto* const offsets = list.offsets.const_data_ptr<std::int64_t>();
  for (std::int64_t line = 0; line + 1 < list.offsets.numel(); ++line)
    for (std::int64_t i = offsets[line]; i < std::min(offsets[line + 1], list.indices.numel()); ++i)
      visit(line, static_cast<std::size_t>(i));
}

// A column's tokens rise in both orders, so the entries come one after the other.
void turn_on_host(const kernels::TurnedList& list, const FeatureList& by_token) {
  std::vector<std::int64_t> next(list.by_column.offsets, list.by_column.offsets + list.columns);
  std::vector<double> sums(static_cast<std::size_t>(list.columns));
  const auto* const values = by_token.values.const_data_ptr<float>();
  for_each_entry(by_token, [&](std::int64_t token, std::size_t entry) {
    const std::int64_t of_group = list.by_token.indices[entry] / list.group_columns * list.tokens;
    const auto column = static_cast<std::size_t>(list.by_token.indices[entry]);
    if (next[column] >= list.by_column.capacity) return;
    list.rows[next[column]] = static_cast<std::int32_t>(of_group + token);
    list.values[next[column]++] = values[entry];
    sums[column] += static_cast<double>(values[entry]);
  });
  std::transform(sums.begin(), sums.end(), list.sums,
                 [](double sum) { return static_cast<float>(sum); });
}

void count_on_host(const kernels::SilentSteps& silent, const FeatureList& by_column) {
  for (std::int64_t column = 0; column < silent.columns; ++column) ++silent.steps[column];
  const auto* const values = static_cast<const float*>(silent.by_column.values);
  for_each_entry(by_column, [&](std::int64_t column, std::size_t entry) {
    if (values[entry] > silent.threshold) silent.steps[column] = 0;
  });
}

}  // namespace

kernels::ActiveFeatures view_of(const FeatureList& list) {
  check_type(list.offsets, "offsets", at::kLong);
  check_type(list.indices, "indices", at::kInt);
  check_together(list.indices, "indices", list.offsets);
  kernels::ActiveFeatures view;
  view.offsets = list.offsets.const_data_ptr<std::int64_t>();
  view.indices = list.indices.const_data_ptr<std::int32_t>();
  view.capacity = list.indices.numel();
  if (!list.values.defined()) return view;
  check_together(list.values, "values", list.offsets);
  TORCH_CHECK(list.values.numel() == view.capacity, "values: must be as many as indices");
  view.values = list.values.const_data_ptr();
  view.value_type = key_type_of(list.values, "values");
  return view;
}

kernels::HostActiveFeatures host_by_token(const FeatureList& by_token) {
  kernels::HostActiveFeatures out{.offsets = {0}, .columns = {}, .values = {}};
  const std::vector<double> values = host_numbers(by_token.values);
  const auto* const indices = by_token.indices.const_data_ptr<std::int32_t>();
  out.offsets.resize(static_cast<std::size_t>(by_token.offsets.numel()));
  for_each_entry(by_token, [&](std::int64_t line, std::size_t entry) {
    ++out.offsets[static_cast<std::size_t>(line + 1)];
    out.columns.push_back(indices[entry]);
    out.values.push_back(values[entry]);
  });
  std::partial_sum(out.offsets.begin(), out.offsets.end(), out.offsets.begin());
  return out;
}

kernels::HostActiveFeatures host_by_token(const FeatureList& by_column, std::int64_t tokens) {
  const std::vector<double> values = host_numbers(by_column.values);
  const auto* const indices = by_column.indices.const_data_ptr<std::int32_t>();
  std::vector<std::vector<std::pair<std::int32_t, double>>> lines(static_cast<std::size_t>(tokens));
  for_each_entry(by_column, [&](std::int64_t column, std::size_t entry) {
    lines.at(static_cast<std::size_t>(indices[entry]))
        .emplace_back(static_cast<std::int32_t>(column), values[entry]);
  });
  kernels::HostActiveFeatures out{.offsets = {0}, .columns = {}, .values = {}};
  for (const auto& line : lines) {
    for (const auto& [column, value] : line) {
      out.columns.push_back(column);
      out.values.push_back(value);
    }
    out.offsets.push_back(static_cast<std::int64_t>(out.columns.size()));
  }
  return out;
}

TurnedValues turned(const FeatureList& by_token, const FeatureList& by_column,
                    std::int64_t layers) {
  check_type(by_token.values, "values", at::kFloat);
  kernels::TurnedList list;
  list.columns = by_column.offsets.numel() - 1;
  TORCH_CHECK(layers >= 1 && list.columns % layers == 0, "layers: must divide the columns, ",
              list.columns, ", is ", layers);
  list.by_token = view_of(by_token);
  list.by_column = view_of({by_column.offsets, by_column.indices, at::Tensor()});
  TurnedValues out{at::empty_like(by_token.values),
                   at::empty({list.columns}, by_token.values.options()),
                   at::empty_like(by_column.indices)};
  list.values = out.values.mutable_data_ptr<float>();
  list.sums = out.sums.mutable_data_ptr<float>();
  list.rows = out.rows.mutable_data_ptr<std::int32_t>();
  list.group_columns = std::max<std::int64_t>(list.columns / layers, 1);
  list.tokens = by_token.offsets.numel() - 1;
  must("turn_list", validate(list));
  if (on_host(by_token.values, "values")) {
    turn_on_host(list, by_token);
    return out;
  }
  const DeviceCall call(by_token.values);
  must("turn_list", kernels::turn_list(list, call.stream()));
  return out;
}

void count_silent_steps(const FeatureList& by_column, double threshold, const at::Tensor& steps) {
  check_type(steps, "steps", at::kLong);
  check_together(steps, "steps", by_column.offsets);
  kernels::SilentSteps arguments;
  arguments.columns = by_column.offsets.numel() - 1;
  TORCH_CHECK(steps.is_contiguous() && steps.numel() == arguments.columns,
              "steps: must be a number a column, ", arguments.columns, ", contiguous");
  arguments.by_column = view_of(by_column);
  arguments.threshold = static_cast<float>(threshold);
  arguments.steps = steps.mutable_data_ptr<std::int64_t>();
  must("count_silent_steps", validate(arguments));
  if (on_host(steps, "steps")) return count_on_host(arguments, by_column);
  const DeviceCall call(steps);
  must("count_silent_steps", kernels::count_silent_steps(arguments, call.stream()));
}

// Unused entries go to a place of their own behind the matrix.
at::Tensor scattered(const FeatureList& by_token, const at::Tensor& values, std::int64_t columns) {
  const std::int64_t tokens = by_token.offsets.numel() - 1;
  const at::Tensor entries = at::arange(values.numel(), by_token.offsets.options());
  const at::Tensor token =
      at::searchsorted(by_token.offsets, entries, /*out_int32=*/false, /*right=*/true) - 1;
  const at::Tensor place = at::where(token < tokens, token * columns + by_token.indices,
                                     at::full({}, tokens * columns, token.options()));
  at::Tensor all = at::zeros({tokens * columns + 1}, values.options());
  all.scatter_(0, place, values);
  return all.slice(0, 0, tokens * columns).view({tokens, columns});
}

std::vector<double> host_numbers(const at::Tensor& tensor) {
  const at::Tensor numbers = tensor.to(at::kDouble).contiguous();
  const auto* const begin = numbers.const_data_ptr<double>();
  return {begin, begin + numbers.numel()};
}

at::Tensor tensor_of(const std::vector<double>& numbers, at::IntArrayRef shape,
                     at::ScalarType type) {
  at::Tensor all = at::empty(shape, at::kDouble);
  TORCH_CHECK(all.numel() == std::ssize(numbers), "numbers: must fill the shape");
  std::copy(numbers.begin(), numbers.end(), all.mutable_data_ptr<double>());
  return all.to(type);
}

}  // namespace stepscope::aten
