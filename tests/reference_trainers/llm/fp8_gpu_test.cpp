// SPDX-License-Identifier: Apache-2.0
// Products in 8 bits on a GPU against the CPU's, whose codes are the same: what differs is the
// rounding of sums. The shapes are those of the presets, too: what LibTorch's product does not take
// would be refused here.
#include <ATen/ops/ones.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>

#include "reference_trainers/common/device.hpp"
#include "reference_trainers/llm/model/fused_ops.hpp"
#include "tests/reference_trainers/llm/fp8_layer.hpp"

namespace stepscope::llm {
namespace {

class Fp8OnGpu : public testing::TestWithParam<at::ScalarType> {
 protected:
  void SetUp() override {
    const auto device = trainers::choose_device(trainers::DeviceWish::cuda);
    if (!device) GTEST_SKIP() << device.error().message;
    if (!has_kernels()) GTEST_SKIP() << "this build has no CUDA kernels";
  }
};

at::Tensor leaf(const at::Tensor& x, at::Device device, at::ScalarType type) {
  return x.to(device, type).detach().set_requires_grad(true);
}

TEST_P(Fp8OnGpu, ProductsAndGradientsAreTheCpus) {
  for (const char* preset : {"tiny", "t90m", "t350m"}) {
    SCOPED_TRACE(preset);
    Config config;
    use_preset(config, *find_preset(preset));
    constexpr std::int64_t kVocabulary = 2048;  // the preset's is only slower
    config.shape.vocabulary = kVocabulary;
    Fp8Layer here(config, at::kCPU, GetParam()), there(config, at::kCUDA, GetParam());
    const std::int64_t width = config.shape.d_model;
    const at::Tensor numbers = at::randn({2, 80, width});
    const at::Tensor x = leaf(numbers, at::kCPU, GetParam());
    const at::Tensor y = leaf(numbers, at::kCUDA, GetParam());
    for (int step = 0; step < 3; ++step) {  // from the second on scales are known
      SCOPED_TRACE(step);
      here.codes().begin_step({});
      there.codes().begin_step({});
      const auto compare = [&](const auto& operation, std::int64_t outputs,
                               const std::vector<at::Tensor>& weights,
                               const std::vector<at::Tensor>& device_weights) {
        const at::Tensor through = outputs > 0 ? at::randn({2, 80, outputs}) : at::ones({});
        std::vector<at::Tensor> inputs{x}, device_inputs{y};
        inputs.insert(inputs.end(), weights.begin(), weights.end());
        device_inputs.insert(device_inputs.end(), device_weights.begin(), device_weights.end());
        const auto expected =
            with_gradients([&] { return operation(here, x); }, inputs, through.to(GetParam()));
        const auto got = with_gradients([&] { return operation(there, y); }, device_inputs,
                                        through.to(at::kCUDA, GetParam()));
        for (std::size_t i = 0; i < expected.size(); ++i)
          EXPECT_LT(relative_distance(got[i], expected[i]), 0.02) << "tensor " << i;
      };
      compare([](Fp8Layer& layer, const at::Tensor& in) { return layer.query_key_value(in); },
              width + 2 * config.shape.kv_size(), {here.weights().query_key_value},
              {there.weights().query_key_value});
      compare([](Fp8Layer& layer, const at::Tensor& in) { return layer.feed_forward(in); }, width,
              {here.weights().gate_up, here.weights().down},
              {there.weights().gate_up, there.weights().down});
      const at::Tensor targets = at::randint(kVocabulary, {2, 80}, at::TensorOptions(at::kLong));
      compare([&](Fp8Layer& layer,
                  const at::Tensor& in) { return layer.loss(in, targets.to(in.device()), 0.5); },
              0, {here.embedding()}, {there.embedding()});
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, Fp8OnGpu, testing::Values(at::kFloat, at::kBFloat16),
                         [](const auto& type) {
                           return type.param == at::kFloat ? "float32" : "bfloat16";
                         });

}  // namespace
}  // namespace stepscope::llm
