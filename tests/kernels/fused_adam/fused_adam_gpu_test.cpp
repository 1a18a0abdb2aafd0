// SPDX-License-Identifier: Apache-2.0
// One step against the reference, within what fp32 may round; dense gradients and gradients of
// rows.
#include "tests/kernels/fused_adam/adam_on_device.hpp"

namespace stepscope::kernels {
namespace {

// Gradients as the device has them, and as doubles.
struct Gradients {
  std::vector<double> numbers;
  DeviceBuffer<float> wide;
  DeviceBuffer<Bfloat16> narrow;
  KeyType type;

  Gradients(std::size_t count, KeyType of_type)
      : numbers(made_floats(count, 4, false)), type(of_type) {
    for (std::size_t i = 3; i < count; i += 5) numbers[i] = 0;
    std::vector<Bfloat16> rounded;
    for (double& number : numbers) {
      rounded.push_back(to_bfloat16(static_cast<float>(number)));
      if (type == KeyType::bfloat16) number = to_float(rounded.back());
    }
    if (type == KeyType::bfloat16)
      narrow = DeviceBuffer<Bfloat16>(rounded);
    else
      wide = DeviceBuffer<float>(as_floats(numbers));
  }
  void* data() const {
    return type == KeyType::bfloat16 ? static_cast<void*>(narrow.data()) : wide.data();
  }
  std::vector<double> now() const {
    std::vector<double> read;
    for (const Bfloat16 value : narrow.to_host()) read.push_back(to_float(value));
    for (const float value : wide.to_host()) read.push_back(value);
    return read;
  }
};

class FusedAdamGpu : public testing::TestWithParam<KeyType> {
 protected:
  void SetUp() override {
    if (!gpu_found()) GTEST_SKIP() << "no GPU";
  }
};

TEST_P(FusedAdamGpu, EqualsTheReference) {
  const Stream stream;
  Turns turns;
  for (const std::size_t count : {1U, 3U, 4U, 2047U, 2048U, 2049U, 20011U})
    for (const AdamSettings& settings : turns.of(settings_to_test(), 4)) {
      const HostAdamState before = made_state(count);
      const AdamOnDevice on_device(before);
      const Gradients gradients(count, GetParam());
      FusedAdam call{on_device.state(), static_cast<std::int64_t>(count), gradients.data(),
                     GetParam()};
      call.settings = settings;
      call.zero_gradients = settings.step == 37;
      EXPECT_EQ(fused_adam(call, stream.get()).message(), "");
      stream.synchronize();
      expect_step(on_device, before, gradients.numbers, settings,
                  std::to_string(count) + ", step " + std::to_string(settings.step));
      EXPECT_EQ(gradients.now(),
                call.zero_gradients ? std::vector<double>(count) : gradients.numbers);
    }
}

TEST_P(FusedAdamGpu, ByRowsEqualsTheReference) {
  const Stream stream;
  Turns turns;
  for (const std::int64_t length : {4, 252, 256, 776})
    for (const AdamSettings& settings : turns.of(settings_to_test(), 4))
      for (const bool lazy : {false, true}) {
        constexpr std::int64_t kRows = 23;
        const std::vector<std::int32_t> slots_of_rows{-1, 4, -1, 0, 2, -1, 3, 1};
        std::vector<std::int32_t> slots(kRows, -1);
        std::copy(slots_of_rows.begin(), slots_of_rows.end(), slots.begin() + 10);
        const auto count = static_cast<std::size_t>(kRows * length);
        const Gradients gradients(static_cast<std::size_t>(5 * length), GetParam());
        std::vector<double> dense(count);
        std::vector<std::uint8_t> updated(count, lazy ? 0 : 1);
        for (std::size_t i = 0; i < count; ++i) {
          const auto row = static_cast<std::int64_t>(i) / length;
          const std::int32_t slot = slots[static_cast<std::size_t>(row)];
          if (slot < 0) continue;
          updated[i] = 1;
          dense[i] = gradients.numbers[i - static_cast<std::size_t>((row - slot) * length)];
        }
        const HostAdamState before = made_state(count);
        const AdamOnDevice on_device(before);
        const DeviceBuffer<std::int32_t> slots_on_device(slots);
        FusedAdamRows call{on_device.state(), kRows,     length, slots_on_device.data(),
                           gradients.data(),  GetParam()};
        call.settings = settings;
        call.zero_gradients = settings.step == 37;
        const Status status =
            lazy ? lazy_adam_rows(call, stream.get()) : fused_adam_rows(call, stream.get());
        EXPECT_EQ(status.message(), "");
        stream.synchronize();
        expect_step(on_device, before, dense, settings,
                    std::to_string(length) + (lazy ? ", lazy" : ", exact"), updated);
        EXPECT_EQ(gradients.now(), call.zero_gradients
                                       ? std::vector<double>(gradients.numbers.size())
                                       : gradients.numbers);
      }
}

// A captured step that counts on the device gives the bits of steps counted on the host.
TEST_P(FusedAdamGpu, CountsStepsOnTheDevice) {
  const Stream stream;
  constexpr std::size_t kCount = 5003;
  const HostAdamState before = made_state(kCount);
  const Gradients gradients(kCount, GetParam());
  const AdamOnDevice host_counted(before);
  const AdamOnDevice device_counted(before);
  const DeviceBuffer<std::int64_t> step(std::vector<std::int64_t>{0});
  FusedAdam call{device_counted.state(), kCount, gradients.data(), GetParam()};
  call.settings.device_step = step.data();
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  cuda_check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal), "capture");
  EXPECT_EQ(fused_adam(call, stream.get()).message(), "");
  cuda_check(cudaStreamEndCapture(stream.get(), &graph), "capture");
  cuda_check(cudaGraphInstantiate(&executable, graph, 0), "cudaGraphInstantiate");
  call.state = host_counted.state();
  call.settings.device_step = nullptr;
  for (std::int64_t i = 1; i <= 5; ++i) {
    step.put({i});
    cuda_check(cudaGraphLaunch(executable, stream.get()), "cudaGraphLaunch");
    call.settings.step = i;
    EXPECT_EQ(fused_adam(call, stream.get()).message(), "");
    stream.synchronize();
    EXPECT_TRUE(device_counted.same_bits(host_counted)) << "step " << i;
  }
  (void)cudaGraphExecDestroy(executable);
  (void)cudaGraphDestroy(graph);
}

INSTANTIATE_TEST_SUITE_P(Types, FusedAdamGpu, testing::Values(KeyType::bfloat16, KeyType::float32));

}  // namespace
}  // namespace stepscope::kernels
