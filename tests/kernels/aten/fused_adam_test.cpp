// SPDX-License-Identifier: Apache-2.0
// Against LibTorch's own fused Adam and AdamW.
#include "kernels/aten/fused_adam.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/_fused_adam.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

#include "kernels/aten/batch_topk.hpp"
#include "kernels/aten/bitmask.hpp"
#include "tests/kernels/aten/dense_decoder.hpp"
#include "tests/kernels/aten/on_devices.hpp"

namespace stepscope::aten {
namespace fused_adam_test {

class AtenFusedAdam : public OnDevices {
 protected:
  static AdamState started(const at::Tensor& parameters) {
    return {parameters.clone(), at::zeros_like(parameters), at::zeros_like(parameters), {}};
  }
  static kernels::AdamSettings settings(std::int64_t step) {
    kernels::AdamSettings out;
    out.learning_rate = 1e-2;
    out.weight_decay = 0.1;
    out.step = step;
    return out;
  }
  static void libtorch_step(AdamState& state, const at::Tensor& gradients,
                            const kernels::AdamSettings& with) {
    const at::Tensor step = at::full({}, static_cast<double>(with.step), gradients.options());
    const bool decoupled = with.decay == kernels::WeightDecay::decoupled;
    (decoupled ? weight_decayed : plain)(state, gradients, step, with);
  }
  static void expect_same(const AdamState& found, const AdamState& expected) {
    expect_near(found.parameters, expected.parameters, 1e-6);
    expect_near(found.first_moments, expected.first_moments, 1e-5);
    expect_near(found.second_moments, expected.second_moments, 1e-4);
  }

 private:
  static void plain(AdamState& state, const at::Tensor& gradients, const at::Tensor& step,
                    const kernels::AdamSettings& with) {
    at::_fused_adam_({state.parameters}, {gradients}, {state.first_moments}, {state.second_moments},
                     {}, {step}, with.learning_rate, with.beta1, with.beta2, with.weight_decay,
                     with.epsilon, false, false);
  }
  static void weight_decayed(AdamState& state, const at::Tensor& gradients, const at::Tensor& step,
                             const kernels::AdamSettings& with) {
    at::_fused_adamw_({state.parameters}, {gradients}, {state.first_moments},
                      {state.second_moments}, {}, {step}, with.learning_rate, with.beta1,
                      with.beta2, with.weight_decay, with.epsilon, false, false);
  }
};

TEST_P(AtenFusedAdam, StepsAreLibTorchs) {
  for (const auto decay :
       {kernels::WeightDecay::added_to_gradient, kernels::WeightDecay::decoupled}) {
    AdamState found = started(normal({13, 8}));
    AdamState expected = started(found.parameters);
    for (std::int64_t step = 1; step <= 3; ++step) {
      const at::Tensor gradients = normal({13, 8});
      kernels::AdamSettings with = settings(step);
      with.decay = decay;
      fused_adam(found, gradients, with);
      libtorch_step(expected, gradients, with);
      expect_same(found, expected);
    }
  }
}

TEST_P(AtenFusedAdam, TheCopyIsTheParametersRounded) {
  AdamState state = started(normal({40}));
  state.copy = at::empty({40}, state.parameters.options().dtype(at::kBFloat16));
  const at::Tensor gradients = normal({40}).to(at::kBFloat16);
  AdamState expected = started(state.parameters);
  fused_adam(state, gradients, settings(1));
  libtorch_step(expected, gradients.to(at::kFloat), settings(1));
  expect_same(state, expected);
  expect_equal(state.copy, state.parameters.to(at::kBFloat16));
}

TEST_P(AtenFusedAdam, TheDecodersStepIsThatOfItsDenseGradient) {
  const at::Tensor acts = normal({kDecoder.tokens, kDecoder.columns()});
  const at::Tensor output_gradients = normal({kDecoder.tokens, kDecoder.layers, kDecoder.model});
  constexpr std::int64_t kEntries = 4 * kDecoder.tokens;
  BatchTopkMemory memory;
  const at::Tensor mask = batch_topk_mask(acts, {.count = kEntries}, memory);
  const at::Tensor kept =
      at::where(bitmask_to_bool(mask, kDecoder.columns()), acts, at::zeros_like(acts));
  const at::Tensor weights = learnt(normal({kDecoder.weights()}));
  const at::Tensor bias = normal({kDecoder.layers, kDecoder.model});
  (dense_decoder(kept, weights, bias) * output_gradients).sum().backward();

  AdamState found = started(weights.detach());
  AdamState expected = started(weights.detach());
  fused_adam_decoder(found, kDecoder,
                     bitmask_list(mask, acts, kernels::BitmaskLines::columns, kEntries),
                     output_gradients, settings(1));
  libtorch_step(expected, weights.grad(), settings(1));
  expect_near(found.first_moments, expected.first_moments, 1e-5);
  expect_near(found.second_moments, expected.second_moments, 1e-4);
  expect_near(found.parameters, expected.parameters, 1e-4);
}

TEST_P(AtenFusedAdam, SilentFeaturesThenTheOthersAreTheWholeToTheBit) {
  const at::Tensor acts = normal({kDecoder.tokens, kDecoder.columns()});
  const at::Tensor output_gradients = normal({kDecoder.tokens, kDecoder.layers, kDecoder.model});
  const std::int64_t entries = kDecoder.columns() / 2;  // fewer than columns: some are silent
  AdamState whole = started(normal({kDecoder.weights()}));
  AdamState apart = started(whole.parameters);
  for (std::int64_t step = 1; step <= 3; ++step) {
    BatchTopkMemory memory;
    const at::Tensor mask =
        batch_topk_mask(acts + normal({kDecoder.columns()}), {.count = entries}, memory);
    const FeatureList list = bitmask_list(mask, acts, kernels::BitmaskLines::columns, entries);
    fused_adam_decoder(whole, kDecoder, list, output_gradients, settings(step));
    silent_adam_decoder(apart, kDecoder, list, settings(step));
    lazy_adam_decoder(apart, kDecoder, list, output_gradients, settings(step));
    expect_equal(apart.parameters, whole.parameters);
    expect_equal(apart.first_moments, whole.first_moments);
    expect_equal(apart.second_moments, whole.second_moments);
  }
}

TEST_P(AtenFusedAdam, BadArgumentsAreNamed) {
  AdamState state = started(normal({16}));
  const auto step = [&](const at::Tensor& gradients, std::int64_t number) {
    return [&state, gradients, number] { fused_adam(state, gradients, settings(number)); };
  };
  expect_refused(step(normal({15}), 1), "gradients: must be contiguous and as many as parameters");
  expect_refused(step(normal({16}), 0), "step: must be 1 or more");
  expect_refused(step(normal({16}).to(at::kDouble), 1), "gradients: must be float32");
  state.first_moments = state.first_moments.to(at::kHalf);
  expect_refused(step(normal({16}), 1), "first_moments: must be Float, is Half");
}

// Coded moments: the first step is LibTorch's, as it takes moments before they are rounded.
TEST_P(AtenFusedAdam, TheFirstStepWithMomentsOf8BitsIsLibTorchs) {
  const at::Tensor gradients = normal({13, 24});
  AdamState found = coded_state(normal({13, 24}), 24);
  AdamState expected = started(found.parameters);
  kernels::AdamSettings with = settings(1);
  with.decay = kernels::WeightDecay::decoupled;
  fused_adam(found, gradients, with);
  libtorch_step(expected, gradients, with);
  expect_near(found.parameters, expected.parameters, 1e-6);
  expect_equal(found.scales.flatten(0, 1).select(1, 0),
               (expected.first_moments.abs().amax(1) * (1 / (1.875F - 0x1p-15F))));
}

TEST_P(AtenFusedAdam, WithMomentsOf8BitsSilentFeaturesThenTheOthersAreTheWhole) {
  const at::Tensor acts = normal({kDecoder.tokens, kDecoder.columns()});
  const at::Tensor output_gradients = normal({kDecoder.tokens, kDecoder.layers, kDecoder.model});
  const std::int64_t entries = kDecoder.columns() / 2;  // fewer than columns: some are silent
  AdamState whole = coded_state(normal({kDecoder.weights()}), kDecoder.model);
  AdamState apart = coded_state(whole.parameters.clone(), kDecoder.model);
  kernels::AdamSettings with = settings(1);
  with.weight_decay = 0;
  for (; with.step <= 3; ++with.step) {
    BatchTopkMemory memory;
    const at::Tensor mask =
        batch_topk_mask(acts + normal({kDecoder.columns()}), {.count = entries}, memory);
    const FeatureList list = bitmask_list(mask, acts, kernels::BitmaskLines::columns, entries);
    fused_adam_decoder(whole, kDecoder, list, output_gradients, with);
    silent_adam_decoder(apart, kDecoder, list, with);
    lazy_adam_decoder(apart, kDecoder, list, output_gradients, with);
    expect_equal(apart.parameters, whole.parameters);
    expect_equal(apart.first_moments, whole.first_moments);
    expect_equal(apart.second_moments, whole.second_moments);
    expect_equal(apart.scales, whole.scales);
  }
}

TEST_P(AtenFusedAdam, BadArgumentsWithMomentsOf8BitsAreNamed) {
  AdamState state = coded_state(normal({2, 8}), 8);
  const at::Tensor gradients = normal({2, 8});
  const auto step = [&](const kernels::AdamSettings& with) {
    return [&state, &gradients, with] { fused_adam(state, gradients, with); };
  };
  expect_refused(step(settings(1)), "weight_decay: must be 0 or decoupled");
  kernels::AdamSettings plain = settings(1);
  plain.weight_decay = 0;
  state.first_moments = state.first_moments.to(at::kFloat);
  expect_refused(step(plain), "first_moments: must be Byte, is Float");
  state = coded_state(normal({2, 8}), 8);
  state.scales = state.scales.slice(2, 0, 1);
  expect_refused(step(plain), "scales: must be contiguous [vectors, blocks, 2]");
}

STEPSCOPE_ON_DEVICES(AtenFusedAdam);

}  // namespace fused_adam_test
}  // namespace stepscope::aten
