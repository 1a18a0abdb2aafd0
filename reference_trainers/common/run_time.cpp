// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/common/run_time.hpp"

#include <algorithm>
#include <array>
#include <chrono>

#include "reference_trainers/common/device.hpp"

namespace stepscope::trainers {
namespace {

constexpr double kLeastMs = 20;

double ms_of(int runs, at::Device device, const std::function<void()>& work) {
  synchronize(device);
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < runs; ++i) work();
  synchronize(device);
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
      .count();
}

}  // namespace

double ms_a_run(at::Device device, const std::function<void()>& work) {
  int runs = 1;
  while (ms_of(runs, device, work) < kLeastMs) runs *= 2;
  std::array<double, 5> tries;
  for (double& one : tries) one = ms_of(runs, device, work) / runs;
  std::sort(tries.begin(), tries.end());
  return tries[tries.size() / 2];
}

}  // namespace stepscope::trainers
