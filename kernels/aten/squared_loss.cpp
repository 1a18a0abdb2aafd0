// SPDX-License-Identifier: Apache-2.0
#include "kernels/aten/squared_loss.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

#include "kernels/aten/device_call.hpp"
#include "kernels/sparse_decoder/squared_loss.hpp"

namespace stepscope::aten {
namespace {

void check(const at::Tensor& tensor, const char* name, const at::Tensor& outputs,
           std::int64_t numbers) {
  check_together(tensor, name, outputs);
  check_type(tensor, name, at::kFloat);
  TORCH_CHECK(tensor.is_contiguous() && tensor.numel() == numbers, name,
              ": must be contiguous, of ", numbers, " numbers");
}

SquaredLoss on_cpu(const at::Tensor& outputs, const at::Tensor& targets,
                   const at::Tensor& deviations, double factor) {
  const at::Tensor difference = outputs.to(at::kDouble) - targets;
  const at::Tensor gradients = difference * (deviations.to(at::kDouble).square() * (2 * factor));
  return {((gradients * difference).sum() / 2).to(at::kFloat), gradients.to(at::kFloat),
          gradients.sum(0).to(at::kFloat)};
}

}  // namespace

SquaredLoss squared_loss(const at::Tensor& outputs, const at::Tensor& targets,
                         const at::Tensor& deviations, double factor) {
  TORCH_CHECK(outputs.dim() >= 1, "outputs: must have tokens");
  check(outputs, "outputs", outputs, outputs.numel());
  check(targets, "targets", outputs, outputs.numel());
  kernels::SquaredLoss arguments;
  arguments.tokens = outputs.size(0);
  arguments.columns = deviations.numel();
  TORCH_CHECK(arguments.tokens * arguments.columns == outputs.numel(),
              "deviations: must be one a number of a token");
  check(deviations, "deviations", outputs, arguments.columns);
  if (on_host(outputs, "outputs")) return on_cpu(outputs, targets, deviations, factor);
  SquaredLoss out{at::empty({}, outputs.options()), at::empty_like(outputs),
                  at::empty_like(deviations)};
  arguments.outputs = outputs.const_data_ptr<float>();
  arguments.targets = targets.const_data_ptr<float>();
  arguments.deviations = deviations.const_data_ptr<float>();
  arguments.factor = factor;
  arguments.gradients = out.of_outputs.mutable_data_ptr<float>();
  arguments.bias_gradients = out.of_bias.mutable_data_ptr<float>();
  arguments.loss = out.loss.mutable_data_ptr<float>();
  arguments.workspace_bytes =
      kernels::squared_loss_workspace_bytes(arguments.tokens, arguments.columns);
  const DeviceCall call(outputs);
  const at::Tensor workspace = device_bytes(arguments.workspace_bytes, outputs.device());
  arguments.workspace = workspace.mutable_data_ptr();
  must("squared_loss", kernels::squared_loss(arguments, call.stream()));
  return out;
}

}  // namespace stepscope::aten
