// SPDX-License-Identifier: Apache-2.0
#include "kernels/aten/bitmask.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

#include "kernels/aten/device_call.hpp"
#include "kernels/bitmask/bitmask_reference.hpp"

namespace stepscope::aten {
namespace {

at::Tensor kept(const at::Tensor& mask, const at::Tensor& values) {
  const kernels::Bitmask bits = view_of(mask, values.size(1));
  check_together(values, "values", mask);
  TORCH_CHECK(values.size(0) == bits.rows, "mask: has ", bits.rows, " rows for ", values.size(0));
  if (on_host(mask, "mask"))
    return at::where(bitmask_to_bool(mask, bits.columns), values, at::zeros({}, values.options()));
  at::Tensor out = at::empty_like(values);
  const DeviceCall call(mask);
  must("bitmask_keep",
       kernels::bitmask_keep(bits, key_type_of(values, "values"), values.const_data_ptr(),
                             out.mutable_data_ptr(), call.stream()));
  return out;
}

class Keep : public torch::autograd::Function<Keep> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& mask,
                            const at::Tensor& values) {
    context->save_for_backward({mask});
    return kept(mask, values);
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    once_differentiable("bitmask_keep");
    return {{}, kept(context->get_saved_variables()[0], gradients[0].contiguous())};
  }
};

using Counts = kernels::Status (*)(const kernels::Bitmask&, std::uint32_t*, CUstream_st*);

at::Tensor counts_of(const at::Tensor& mask, std::int64_t columns, std::int64_t dimension,
                     Counts on_device) {
  if (on_host(mask, "mask")) return bitmask_to_bool(mask, columns).sum(dimension, false, at::kInt);
  const kernels::Bitmask bits = view_of(mask, columns);
  at::Tensor counts = at::empty({dimension == 1 ? bits.rows : columns}, mask.options());
  const DeviceCall call(mask);
  must("bitmask_counts",
       on_device(bits, static_cast<std::uint32_t*>(counts.mutable_data_ptr()), call.stream()));
  return counts;
}

void list_on_host(const kernels::Bitmask& bits, kernels::BitmaskLines lines,
                  const at::Tensor& values, const at::Tensor& addends, FeatureList& list) {
  const kernels::ExpectedList found = kernels::bitmask_list_reference(bits, lines);
  std::copy(found.offsets.begin(), found.offsets.end(),
            list.offsets.mutable_data_ptr<std::int64_t>());
  const auto fits = std::min(list.indices.numel(), std::ssize(found.indices));
  std::copy_n(found.indices.begin(), fits, list.indices.mutable_data_ptr<std::int32_t>());
  at::Tensor entries = at::empty({fits}, at::kLong);
  std::copy_n(found.entries.begin(), fits, entries.mutable_data_ptr<std::int64_t>());
  const at::Tensor listed = list.values.slice(0, 0, fits);
  listed.copy_(values.view({-1}).index_select(0, entries));
  if (addends.defined()) listed.add_(addends.index_select(0, entries.remainder(bits.columns)));
}

void check_addends(const at::Tensor& addends, const at::Tensor& values) {
  if (!addends.defined()) return;
  check_together(addends, "column_addends", values);
  check_type(addends, "column_addends", at::kFloat);
  check_type(values, "values", at::kFloat);
  TORCH_CHECK(addends.is_contiguous() && addends.numel() == values.size(1),
              "column_addends: must be a number a column, ", values.size(1));
}

}  // namespace

kernels::Bitmask view_of(const at::Tensor& mask, std::int64_t columns) {
  check_type(mask, "mask", at::kInt);
  TORCH_CHECK(mask.dim() == 2 && mask.is_contiguous() &&
                  mask.size(1) == kernels::mask_words_per_row(columns),
              "mask: must be [rows, ", kernels::mask_words_per_row(columns), "] for ", columns,
              " columns, contiguous; is ", mask.sizes());
  return {static_cast<const std::uint32_t*>(mask.const_data_ptr()), mask.size(0), columns};
}

void write_bits(const std::vector<std::uint8_t>& bytes, std::int64_t columns,
                std::uint32_t* words) {
  const std::int64_t of_row = kernels::mask_words_per_row(columns);
  std::fill_n(words, columns > 0 ? std::ssize(bytes) / columns * of_row : 0, 0U);
  for (std::int64_t i = 0; i < std::ssize(bytes); ++i)
    words[i / columns * of_row + i % columns / 32] |=
        std::uint32_t{bytes[static_cast<std::size_t>(i)]} << (i % columns % 32);
}

at::Tensor bitmask_to_bool(const at::Tensor& mask, std::int64_t columns) {
  const kernels::Bitmask bits = view_of(mask, columns);
  at::Tensor out = at::empty({bits.rows, columns}, mask.options().dtype(at::kBool));
  auto* const bytes = static_cast<std::uint8_t*>(out.mutable_data_ptr());
  if (on_host(mask, "mask")) {
    const std::vector<std::uint8_t> found = kernels::bitmask_bytes_reference(bits);
    std::copy(found.begin(), found.end(), bytes);
    return out;
  }
  const DeviceCall call(mask);
  must("bitmask_to_bool", kernels::bitmask_to_bytes(bits, bytes, call.stream()));
  return out;
}

at::Tensor bitmask_keep(const at::Tensor& mask, const at::Tensor& values) {
  return Keep::apply(mask, row_major(values, "values"));
}

at::Tensor bitmask_row_counts(const at::Tensor& mask, std::int64_t columns) {
  return counts_of(mask, columns, 1, kernels::bitmask_row_counts);
}

at::Tensor bitmask_column_counts(const at::Tensor& mask, std::int64_t columns) {
  return counts_of(mask, columns, 0, kernels::bitmask_column_counts);
}

FeatureList bitmask_list(const at::Tensor& mask, const at::Tensor& values,
                         kernels::BitmaskLines lines, std::int64_t entries,
                         const at::Tensor& column_addends) {
  const at::Tensor keys = row_major(values.detach(), "values");
  check_together(keys, "values", mask);
  check_addends(column_addends, keys);
  TORCH_CHECK(entries >= 0, "entries: must be 0 or more");
  const kernels::Bitmask bits = view_of(mask, keys.size(1));
  TORCH_CHECK(keys.size(0) == bits.rows, "mask: has ", bits.rows, " rows for ", keys.size(0));
  const std::int64_t line_count = lines == kernels::BitmaskLines::rows ? bits.rows : bits.columns;
  FeatureList list{at::empty({line_count + 1}, mask.options().dtype(at::kLong)),
                   at::empty({entries}, mask.options()), at::empty({entries}, keys.options())};
  if (on_host(mask, "mask")) {
    list_on_host(bits, lines, keys, column_addends, list);
    return list;
  }
  kernels::BitmaskList wanted;
  wanted.lines = lines;
  wanted.offsets = list.offsets.mutable_data_ptr<std::int64_t>();
  wanted.indices = list.indices.mutable_data_ptr<std::int32_t>();
  wanted.capacity = entries;
  wanted.keys = keys.const_data_ptr();
  wanted.values = list.values.mutable_data_ptr();
  wanted.key_type = key_type_of(keys, "values");
  if (column_addends.defined()) wanted.column_addends = column_addends.const_data_ptr<float>();
  wanted.workspace_bytes = kernels::bitmask_list_workspace_bytes(bits, lines);
  const DeviceCall call(mask);
  const at::Tensor workspace = device_bytes(wanted.workspace_bytes, mask.device());
  wanted.workspace = workspace.mutable_data_ptr();
  must("bitmask_list", kernels::bitmask_list(bits, wanted, call.stream()));
  return list;
}

}  // namespace stepscope::aten
