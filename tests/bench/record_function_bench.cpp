// SPDX-License-Identifier: Apache-2.0
// What one RecordFunction FUNCTION pair costs in training steps: windows of steps of a small
// training loop with no callback, with one that does nothing (PyTorch's own share) and with ours, in
// turn within one process, so that a noisy machine disturbs all three alike. No lines: there is no
// Python here.
//
//   record_function_bench [ROUNDS [STEPS_OF_A_WINDOW]]
//
// Nanoseconds a pair: median of the rounds' differences, and their quartiles.
#include <ATen/Parallel.h>
#include <ATen/record_function.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "collectors/record_function/callbacks.hpp"
#include "collectors/record_function/torch_library.hpp"
#include "collectors/recorder/process_state.hpp"
#include "tests/collectors/record_function/small_training.hpp"

namespace stepscope {
namespace {

using Clock = std::chrono::steady_clock;

std::uint64_t pairs_seen = 0;
std::unique_ptr<at::ObserverContext> count_pair(const at::RecordFunction& /*function*/) {
  ++pairs_seen;
  return nullptr;
}

class Loop {
 public:
  double window_ns(int steps) {
    const auto begin = Clock::now();
    for (int i = 0; i < steps; ++i) (void)training_.step();
    return std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / steps;
  }

 private:
  SmallTraining training_;
};

double with(const TorchLibrary& torch, const torch_abi::RecordFunctionCallback& callback,
            Loop& loop, int steps) {
  const std::uint64_t handle = torch.add_global_callback(callback);
  (void)loop.window_ns(5);  // torch rebuilds its list of callbacks
  const double ns = loop.window_ns(steps);
  at::removeCallback(handle);
  return ns;
}

std::string quartiles(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto at = [&](double part) {
    return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))];
  };
  std::array<char, 96> text{};
  std::snprintf(text.data(), text.size(), "%.1f ns (quartiles %.1f to %.1f)", at(0.5), at(0.25),
                at(0.75));
  return text.data();
}

double pairs_of_a_step(Loop& loop) {
  const auto handle = at::addGlobalCallback(
      at::RecordFunctionCallback(count_pair).scopes({at::RecordScope::FUNCTION}));
  pairs_seen = 0;
  (void)loop.window_ns(10);
  at::removeCallback(handle);
  return static_cast<double>(pairs_seen) / 10;
}

int run(int rounds, int steps) {
  at::set_num_threads(1);
  const auto folder = std::filesystem::temp_directory_path() /
                      ("record_function_bench." + std::to_string(getpid()));
  std::filesystem::create_directories(folder / "live");
  const std::string text = folder.string();
  if (!recorder::start({.folder = text.c_str()})) return 1;
  const TorchLibrary torch = find_torch_library();
  if (!torch.usable) return std::puts(torch.why_not), 1;
  set_callback_context({torch.name, torch.is_async, nullptr});
  Loop loop;
  (void)loop.window_ns(50);
  const double pairs = pairs_of_a_step(loop);
  std::vector<double> ours, torchs;
  for (int round = 0; round < rounds; ++round) {
    const double plain = loop.window_ns(steps);
    const double empty = with(torch, empty_callback(torch_abi::kFunction), loop, steps);
    const double full = with(torch, function_callback(), loop, steps);
    torchs.push_back((empty - plain) / pairs);
    ours.push_back((full - empty) / pairs);
  }
  recorder::finish(ExitReason::returned, 0);
  std::filesystem::remove_all(folder);
  std::printf("%.0f pairs a step, %d rounds of %d steps\n", pairs, rounds, steps);
  std::printf("torch's own, empty callback - none: %s\n", quartiles(torchs).c_str());
  std::printf("ours, full - empty callback:        %s\n", quartiles(ours).c_str());
  return 0;
}

}  // namespace
}  // namespace stepscope

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 60;
  const int steps = argc > 2 ? std::atoi(argv[2]) : 40;
  return stepscope::run(std::max(rounds, 1), std::max(steps, 1));
}
