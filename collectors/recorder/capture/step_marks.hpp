// SPDX-License-Identifier: Apache-2.0
// Steps as they can be recognised while the run goes on, from the names of ranges:
// "Optimizer.step#...", "ProfilerStep#12", "step 12", "train_iteration_7". Less strict than the
// step finder of the core, which sees the whole run: here they only place the edges of a capture.
//
// Several marks an iteration (two optimizers) are distinguished by name and call site; the one that
// has come most often counts the steps.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

namespace stepscope::recorder {

bool is_step_mark(std::string_view name) noexcept;

// The same for all steps of a loop: the name without its numbers ("epoch 3/step 7" has two), and
// the call site. A name may be the pattern of many (numbered_name.hpp).
std::uint64_t mark_key(std::string_view name, std::uint32_t site) noexcept;

class StepCount {
 public:
  // The mark of `key` has ended once more. True where that makes a new step.
  bool add(std::uint64_t key) noexcept;
  std::uint64_t steps() const noexcept { return steps_.load(std::memory_order_relaxed); }
  void reset() noexcept;

 private:
  struct Slot {
    std::atomic<std::uint64_t> key{0};
    std::atomic<std::uint64_t> count{0};
  };
  std::array<Slot, 16> slots_{};  // marks beyond these do not count
  std::atomic<std::uint64_t> steps_{0};
};

}  // namespace stepscope::recorder
