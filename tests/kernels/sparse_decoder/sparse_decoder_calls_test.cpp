// SPDX-License-Identifier: Apache-2.0
// Calls: the same bits on every run and in a graph, lists from a bitmask, lists cut short, nothing
// to do.
#include "kernels/bitmask/bitmask_outputs.hpp"
#include "tests/kernels/sparse_decoder/decoder_on_device.hpp"
#include "tests/kernels/sparse_decoder/rounding_bound.hpp"

namespace stepscope::kernels {
namespace {

class SparseDecoderCalls : public testing::Test {
 protected:
  void SetUp() override {
    if (!gpu_found()) GTEST_SKIP() << "no GPU";
  }
};

TEST_F(SparseDecoderCalls, GivesTheSameBitsOnEveryRunAndInAGraph) {
  const DecoderCase made = made_case({4, sized(200, 60), 264, 70}, 0.15);
  for (const LanesOfPiece lanes : {8, 16, 32}) {
    DecoderTypes types;
    types.lanes = lanes;
    const Stream stream;
    const DecoderOnDevice first(made, types);
    first.run_all(stream);
    stream.synchronize();
    for (int repeat = 0; repeat < sized(4, 1); ++repeat) {
      const DecoderOnDevice again(made, types);
      again.run_all(stream);
      stream.synchronize();
      EXPECT_EQ(again.all_bytes(), first.all_bytes()) << "lanes " << lanes;
    }

    const DecoderOnDevice captured(made, types);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    cuda_check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal), "capture");
    captured.run_all(stream);
    cuda_check(cudaStreamEndCapture(stream.get(), &graph), "capture");
    cuda_check(cudaGraphInstantiate(&executable, graph, 0), "cudaGraphInstantiate");
    for (int replay = 0; replay < 2; ++replay) {
      cuda_check(cudaGraphLaunch(executable, stream.get()), "cudaGraphLaunch");
      stream.synchronize();
      EXPECT_EQ(captured.all_bytes(), first.all_bytes()) << "replay " << replay;
    }
    (void)cudaGraphExecDestroy(executable);
    (void)cudaGraphDestroy(graph);
  }
}

TEST_F(SparseDecoderCalls, WeightGradientsAreTheSameInBothOrders) {
  const DecoderCase made = made_case({4, 30, 264, 20}, 0.15);
  const Stream stream;
  const DecoderOnDevice by_target(made, {});
  const DecoderOnDevice in_memory(made, {});
  by_target.run_all(stream);
  in_memory.run_all(stream);
  SparseDecoderWeightGradient call = in_memory.weight_gradient();
  cuda_check(
      cudaMemsetAsync(call.gradients, 0xa5, made.weights.size() * sizeof(float), stream.get()),
      "cudaMemsetAsync");
  call.order = FeatureOrder::in_memory;
  EXPECT_EQ(sparse_decoder_weight_gradient(call, stream.get()).message(), "");
  stream.synchronize();
  EXPECT_EQ(in_memory.all_bytes(), by_target.all_bytes());
}

// A bitmask's own lists, by rows and by columns, of the same keys.
TEST_F(SparseDecoderCalls, TakesTheListsOfABitmask) {
  const DecoderCase made = made_case({3, 40, 64, 37}, 0.1);
  const SparseDecoderShape& shape = made.shape;
  const std::int64_t words = mask_words_per_row(shape.columns());
  std::vector<std::uint32_t> mask(static_cast<std::size_t>(words * shape.tokens));
  std::vector<Bfloat16> keys(static_cast<std::size_t>(shape.columns() * shape.tokens));
  for (std::int64_t token = 0; token < shape.tokens; ++token)
    for (auto i = static_cast<std::size_t>(made.active.offsets[static_cast<std::size_t>(token)]);
         i < static_cast<std::size_t>(made.active.offsets[static_cast<std::size_t>(token) + 1]);
         ++i) {
      const std::int32_t column = made.active.columns[i];
      mask[static_cast<std::size_t>(token * words + column / 32)] |= 1U << (column % 32);
      keys[static_cast<std::size_t>(token * shape.columns() + column)] =
          to_bfloat16(static_cast<float>(made.active.values[i]));
    }
  const DeviceBuffer<std::uint32_t> mask_on_device(mask);
  const DeviceBuffer<Bfloat16> keys_on_device(keys);
  const Bitmask bits{mask_on_device.data(), shape.tokens, shape.columns()};
  const Stream stream;
  const DecoderOnDevice expected(made, {});
  expected.run_all(stream);
  const DecoderOnDevice listed(made, {});
  for (const BitmaskLines lines : {BitmaskLines::rows, BitmaskLines::columns}) {
    const bool rows = lines == BitmaskLines::rows;
    const auto entries = static_cast<std::size_t>(expected.entries());
    const DeviceBuffer<std::int64_t> offsets(
        static_cast<std::size_t>(rows ? shape.tokens : shape.columns()) + 1);
    const DeviceBuffer<std::int32_t> indices(entries);
    const DeviceBuffer<Bfloat16> values(entries);
    const DeviceBuffer<std::byte> workspace(bitmask_list_workspace_bytes(bits, lines));
    const BitmaskList list{.lines = lines,
                           .offsets = offsets.data(),
                           .indices = indices.data(),
                           .capacity = expected.entries(),
                           .keys = keys_on_device.data(),
                           .values = values.data(),
                           .workspace = workspace.data(),
                           .workspace_bytes = workspace.size()};
    EXPECT_EQ(bitmask_list(bits, list, stream.get()).message(), "");
    const ActiveFeatures active{offsets.data(), indices.data(), values.data(), KeyType::bfloat16,
                                expected.entries()};
    SparseDecoderForward forward = listed.forward();
    forward.by_token = active;
    SparseDecoderActivationGradient activations = listed.activation_gradient();
    activations.by_token = active;
    SparseDecoderWeightGradient weights = listed.weight_gradient();
    weights.by_feature = active;
    if (rows) {
      EXPECT_EQ(sparse_decoder_forward(forward, stream.get()).message(), "");
      EXPECT_EQ(sparse_decoder_activation_gradient(activations, stream.get()).message(), "");
    } else {
      EXPECT_EQ(sparse_decoder_weight_gradient(weights, stream.get()).message(), "");
    }
    stream.synchronize();
  }
  EXPECT_EQ(listed.outputs(), expected.outputs());
  EXPECT_EQ(listed.value_gradients(), expected.value_gradients());
  EXPECT_EQ(listed.weight_gradients(), expected.weight_gradients());
}

// Offsets that count more entries than the list has room for: the rest is inactive.
TEST_F(SparseDecoderCalls, LeavesOutWhatTheListHadNoRoomFor) {
  const DecoderCase made = made_case({2, 30, 64, 12}, 0.3);
  const std::int64_t kept = made.active.offsets[4] + 3;  // ends within a token
  DecoderCase cut = made;
  cut.active.columns.resize(static_cast<std::size_t>(kept));
  cut.active.values.resize(static_cast<std::size_t>(kept));
  for (std::int64_t& offset : cut.active.offsets) offset = std::min(offset, kept);
  const Stream stream;
  const DecoderOnDevice on_device(made, {});
  const DecoderOnDevice expected(cut, {});
  SparseDecoderForward forward = on_device.forward();
  forward.by_token.capacity = kept;
  SparseDecoderActivationGradient gradient = on_device.activation_gradient();
  gradient.by_token.capacity = kept;
  EXPECT_EQ(sparse_decoder_forward(forward, stream.get()).message(), "");
  EXPECT_EQ(sparse_decoder_activation_gradient(gradient, stream.get()).message(), "");
  expected.run_all(stream);
  stream.synchronize();
  EXPECT_EQ(on_device.outputs(), expected.outputs());
  const std::vector<double> all = on_device.value_gradients();
  const std::vector<double> untouched = DeviceNumbers(1, KeyType::float32).to_host();
  for (std::size_t i = 0; i < all.size(); ++i)
    EXPECT_EQ(all[i], i < static_cast<std::size_t>(kept) ? expected.value_gradients()[i]
                                                         : untouched.front());
}

TEST_F(SparseDecoderCalls, NothingActiveLeavesTheBiasAndNoGradient) {
  DecoderCase made = made_case({2, 30, 64, 12}, 0);
  made.active = {std::vector<std::int64_t>(13), {}, {}};
  const Stream stream;
  const DecoderOnDevice on_device(made, {});
  on_device.run_all(stream);
  EXPECT_EQ(sparse_decoder_forward({}, stream.get()).message(), "");
  stream.synchronize();
  const std::vector<double> outputs = on_device.outputs();
  for (std::size_t i = 0; i < outputs.size(); ++i)
    EXPECT_EQ(outputs[i], made.bias[i % made.bias.size()]);
  EXPECT_EQ(on_device.weight_gradients(), std::vector<double>(made.weights.size()));
}

}  // namespace
}  // namespace stepscope::kernels
