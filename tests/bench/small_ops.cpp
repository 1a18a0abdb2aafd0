// SPDX-License-Identifier: Apache-2.0
// What an operation takes where operations are tiny: CPU time of this thread, the least of 20
// rounds. Run it alone, under `stepscope profile` and with --native-lines.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cstdio>
#include <ctime>

namespace {

constexpr int kRounds = 20, kTurns = 10'000, kOpsATurn = 6;

double cpu_ns() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

[[gnu::noinline]] at::Tensor at_depth(const at::Tensor& x, int depth) {
  return depth > 0 ? at_depth(x, depth - 1) + 0 : x + 1;
}

}  // namespace

int main() {
  at::set_num_threads(1);
  const at::NoGradGuard no_gradient;
  at::Tensor x = at::ones({4});
  double least = 1e18;
  for (int round = 0; round < kRounds; ++round) {
    const double begin = cpu_ns();
    for (int turn = 0; turn < kTurns; ++turn) {
      x = x * 1.0;
      x = at_depth(x, 3) * 0.5;
    }
    least = std::min(least, (cpu_ns() - begin) / (kTurns * kOpsATurn));
  }
  std::printf("%.0f ns an operation\n", least);
}
