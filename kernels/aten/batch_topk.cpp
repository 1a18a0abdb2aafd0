// SPDX-License-Identifier: Apache-2.0
#include "kernels/aten/batch_topk.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

#include "kernels/aten/bitmask.hpp"
#include "kernels/aten/device_call.hpp"
#include "kernels/batch_topk/batch_topk_reference.hpp"
#include "kernels/batch_topk/column_statistics.hpp"

namespace stepscope::aten {
namespace {

void make_memory(const at::Tensor& acts, const kernels::BatchTopkArguments& arguments,
                 BatchTopkMemory& memory) {
  const auto options = at::TensorOptions(acts.device());
  const std::size_t bytes = kernels::batch_topk_workspace_bytes(arguments);
  if (!memory.workspace.defined() || static_cast<std::size_t>(memory.workspace.numel()) < bytes)
    memory.workspace = device_bytes(bytes, acts.device());
  if (!memory.result.defined())
    memory.result = device_bytes(sizeof(kernels::BatchTopkResult), acts.device());
  if (memory.warm && !memory.warm_start.defined())
    memory.warm_start = at::zeros({sizeof(kernels::BatchTopkWarmStart)}, options.dtype(at::kByte));
  if (arguments.column_keys.source != kernels::KeySource::z_score || memory.mean.defined()) return;
  memory.mean = at::empty({arguments.columns}, options.dtype(at::kFloat));
  memory.scale = at::empty({arguments.columns}, options.dtype(at::kFloat));
}

float* column_numbers(const at::Tensor& numbers, const char* name, const at::Tensor& acts) {
  TORCH_CHECK(numbers.defined(), name, ": must be given for affine keys");
  check_together(numbers, name, acts);
  check_type(numbers, name, at::kFloat);
  TORCH_CHECK(numbers.is_contiguous() && numbers.numel() == acts.size(1), name,
              ": must be a number a column, ", acts.size(1));
  return numbers.mutable_data_ptr<float>();
}

// Computes the statistics that a call on a GPU writes.
void reference_statistics(const kernels::BatchTopkArguments& arguments) {
  const kernels::ColumnStatistics found = kernels::column_statistics_reference(arguments);
  const auto rounded = [](double number) { return static_cast<float>(number); };
  std::transform(found.mean.begin(), found.mean.end(), arguments.column_keys.mean, rounded);
  std::transform(found.scale.begin(), found.scale.end(), arguments.column_keys.scale, rounded);
}

void select_on_host(kernels::BatchTopkArguments arguments) {
  if (arguments.column_keys.source == kernels::KeySource::z_score) reference_statistics(arguments);
  if (arguments.device_count != nullptr) arguments.count = *arguments.device_count;
  const kernels::BatchTopkExpected found = kernels::batch_topk_reference(arguments);
  std::copy(found.mask.begin(), found.mask.end(), arguments.mask);
  *arguments.result = {.threshold = static_cast<float>(found.threshold),
                       .selected = found.selected,
                       .last_column = found.last_column,
                       .last_row = found.last_row,
                       .nan_count = found.nan_count};
}

}  // namespace

kernels::BatchTopkArguments batch_topk_arguments(const at::Tensor& acts,
                                                 const BatchTopkWanted& wanted,
                                                 BatchTopkMemory& memory) {
  TORCH_CHECK(acts.dim() == 2 && acts.is_contiguous(), "acts: must be [rows, columns], contiguous");
  kernels::BatchTopkArguments arguments;
  arguments.keys = acts.const_data_ptr();
  arguments.key_type = key_type_of(acts, "acts");
  arguments.rows = acts.size(0);
  arguments.columns = acts.size(1);
  arguments.count = wanted.count;
  if (wanted.device_count.defined()) {
    check_together(wanted.device_count, "device_count", acts);
    arguments.device_count = wanted.device_count.const_data_ptr<std::int64_t>();
  }
  arguments.nan = wanted.nan;
  arguments.positives_only = wanted.positives_only;
  arguments.column_keys.source = wanted.keys;
  make_memory(acts, arguments, memory);
  if (wanted.keys != kernels::KeySource::raw) {
    arguments.column_keys.mean = column_numbers(memory.mean, "mean", acts);
    arguments.column_keys.scale = column_numbers(memory.scale, "scale", acts);
  }
  arguments.result = static_cast<kernels::BatchTopkResult*>(memory.result.mutable_data_ptr());
  if (memory.warm)
    arguments.warm_start =
        static_cast<kernels::BatchTopkWarmStart*>(memory.warm_start.mutable_data_ptr());
  arguments.workspace = memory.workspace.mutable_data_ptr();
  arguments.workspace_bytes = static_cast<std::size_t>(memory.workspace.numel());
  return arguments;
}

at::Tensor batch_topk_mask(const at::Tensor& acts, const BatchTopkWanted& wanted,
                           BatchTopkMemory& memory) {
  const bool host = on_host(acts, "acts");
  kernels::BatchTopkArguments arguments = batch_topk_arguments(acts, wanted, memory);
  at::Tensor mask = at::empty({arguments.rows, kernels::mask_words_per_row(arguments.columns)},
                              at::TensorOptions(acts.device()).dtype(at::kInt));
  arguments.mask = static_cast<std::uint32_t*>(mask.mutable_data_ptr());
  if (host) {
    select_on_host(arguments);
    return mask;
  }
  const DeviceCall call(acts);
  must("batch_topk", kernels::batch_topk(arguments, call.stream()));
  return mask;
}

at::Tensor batch_topk_threshold(const BatchTopkMemory& memory) {
  static_assert(offsetof(kernels::BatchTopkResult, threshold) == 0);
  return memory.result.slice(0, 0, sizeof(float)).view(at::kFloat).select(0, 0).clone();
}

void column_statistics(const at::Tensor& acts, BatchTopkMemory& memory) {
  BatchTopkWanted wanted;
  wanted.keys = kernels::KeySource::z_score;
  const kernels::BatchTopkArguments arguments = batch_topk_arguments(acts, wanted, memory);
  if (on_host(acts, "acts")) return reference_statistics(arguments);
  const DeviceCall call(acts);
  must("column_statistics", kernels::column_statistics(arguments, call.stream()));
}

at::Tensor batch_topk(const at::Tensor& acts, std::int64_t k, bool z_score, bool positives_only) {
  TORCH_CHECK(k >= 0, "k: must be 0 or more, is ", k);
  const at::Tensor rows = row_major(acts, "acts");
  BatchTopkWanted wanted;
  wanted.count = k * rows.size(0);
  wanted.keys = z_score ? kernels::KeySource::z_score : kernels::KeySource::raw;
  wanted.positives_only = positives_only;
  BatchTopkMemory memory{.warm = false};
  return bitmask_keep(batch_topk_mask(rows.detach(), wanted, memory), rows);
}

}  // namespace stepscope::aten
