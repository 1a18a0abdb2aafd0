// SPDX-License-Identifier: Apache-2.0
// Why a step took longer than others, from what it did: a range that most steps lack
// and that fills a quarter of the excess, more work than usual, or modules loaded and code
// compiled.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/steps/activity.hpp"
#include "core/steps/steps.hpp"

namespace stepscope {

class Explanations {
 public:
  Explanations(const Activity& activity, const Steps& steps);

  // Empty where nothing explains that step k took `excess_ns` more than usual.
  std::string of(std::size_t step, std::int64_t excess_ns) const;
  // It loads modules or compiles for longer than the median step does.
  bool compiles(std::size_t step) const { return compile_ns_[step] > usual_compile_ns_; }
  // Time in them between the step's host ends, overlaps of threads counted once.
  std::int64_t compile_ns(std::size_t step) const { return compile_ns_[step]; }

 private:
  struct Extra {
    StringId name = 0;
    std::size_t step = 0;
    std::int64_t time_ns = 0;
  };

  void collect_rare_ranges(const Activity& activity, const Steps& steps);
  std::string rare_range(std::size_t step, std::int64_t excess_ns) const;

  const Trace& trace_;
  std::vector<std::int64_t> work_, compile_ns_;  // by step
  std::vector<Extra> rare_;                      // by step
  std::int64_t usual_work_ = 0, usual_compile_ns_ = 0;
};

// Notes for a reader on the long steps after warm-up (long_rule.hpp): which of them a recorded fact
// explains, and whether the others return at even distances, as periodic work does that left no
// other trace. The steps count all the same.
void note_long_steps(const Explanations& explanations, Steps& steps);

}  // namespace stepscope
