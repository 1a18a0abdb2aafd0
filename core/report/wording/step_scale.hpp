// SPDX-License-Identifier: Apache-2.0
// A summary's totals as every report prints them: per step, in one unit. Without steps the times
// are totals of the whole trace.
#pragma once

#include <cstdint>
#include <string>

#include "core/report/wording/numbers.hpp"
#include "core/summary/summary.hpp"

namespace stepscope {

struct StepScale {
  const Summary& summary;
  TimeUnit unit;
  double steps = 1;    // counted, at least 1
  double wall_ns = 0;  // per step
  bool has_steps = true;
  bool has_device = true;

  double per_step(std::int64_t ns_total) const { return static_cast<double>(ns_total) / steps; }
  double share_of_wall(std::int64_t ns_total) const {
    return wall_ns > 0 ? per_step(ns_total) / wall_ns : 0;
  }
  std::string time(std::int64_t ns_total) const { return format_time(per_step(ns_total), unit); }
  std::string share(std::int64_t ns_total) const { return format_share(share_of_wall(ns_total)); }
  std::string calls(std::uint64_t total) const {
    return format_count(static_cast<double>(total) / steps);
  }
  std::string time_title() const;  // "ms/step"; "ms" without steps
};

// Refers to the summary, which must outlive it.
StepScale scale_of(const Summary& summary);

// The title of a column of exact totals: "ns, 18 steps".
std::string exact_title(std::uint64_t steps);

// Returns the meaning of a cause in words. For "host.python" of an inflated run it is "Python code
// (inflated)".
std::string cause_meaning(const StepScale& scale, Cause cause);

}  // namespace stepscope
