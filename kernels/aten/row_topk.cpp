// SPDX-License-Identifier: Apache-2.0
#include "kernels/aten/row_topk.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

#include "kernels/aten/device_call.hpp"
#include "kernels/row_topk/row_topk_reference.hpp"

namespace stepscope::aten {
namespace {

void select_on_host(const kernels::RowTopkArguments& arguments) {
  const kernels::RowTopkExpected found = kernels::row_topk_reference(arguments);
  std::copy(found.columns.begin(), found.columns.end(), arguments.columns_out);
  if (arguments.key_type == kernels::KeyType::float32)
    std::copy(found.value_bits.begin(), found.value_bits.end(),
              static_cast<std::uint32_t*>(arguments.values));
  else
    std::copy(found.value_bits.begin(), found.value_bits.end(),
              static_cast<std::uint16_t*>(arguments.values));
}

std::tuple<at::Tensor, at::Tensor> selected(const at::Tensor& acts, std::int64_t k) {
  at::Tensor values = at::empty({acts.size(0), k}, acts.options());
  at::Tensor columns = at::empty({acts.size(0), k}, acts.options().dtype(at::kInt));
  kernels::RowTopkArguments arguments;
  arguments.keys = acts.const_data_ptr();
  arguments.key_type = key_type_of(acts, "acts");
  arguments.rows = acts.size(0);
  arguments.columns = acts.size(1);
  arguments.count = k;
  arguments.nan = kernels::NanPolicy::select;
  arguments.columns_out = columns.mutable_data_ptr<std::int32_t>();
  arguments.values = values.mutable_data_ptr();
  if (on_host(acts, "acts")) {
    must("row_topk", validate(arguments));
    select_on_host(arguments);
  } else {
    const DeviceCall call(acts);
    must("row_topk", kernels::row_topk(arguments, call.stream()));
  }
  return {values, columns.to(at::kLong)};
}

class RowTopk : public torch::autograd::Function<RowTopk> {
 public:
  static torch::autograd::variable_list forward(torch::autograd::AutogradContext* context,
                                                const at::Tensor& acts, std::int64_t k) {
    const auto [values, columns] = selected(acts, k);
    context->mark_non_differentiable({columns});
    context->save_for_backward({columns});
    context->saved_data["columns"] = acts.size(1);
    return {values, columns};
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const at::Tensor columns = context->get_saved_variables()[0];
    const std::int64_t width = context->saved_data["columns"].toInt();
    const at::Tensor zeros = at::zeros({columns.size(0), width}, gradients[0].options());
    return {zeros.scatter(1, columns, gradients[0]), {}};
  }
};

}  // namespace

std::tuple<at::Tensor, at::Tensor> row_topk(const at::Tensor& acts, std::int64_t k) {
  const at::Tensor rows = row_major(acts, "acts");
  const std::int64_t most = std::min(rows.size(1), kernels::kRowTopkMostCount);
  TORCH_CHECK(k >= 1 && k <= most, "k: must be 1 to ", most, ", is ", k);
  const torch::autograd::variable_list found = RowTopk::apply(rows, k);
  return {found[0], found[1]};
}

}  // namespace stepscope::aten
