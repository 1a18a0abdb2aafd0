// SPDX-License-Identifier: Apache-2.0
// How much of the counted wall time has a source line, and why the rest has none. The parts sum to
// the process's wall time exactly.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace stepscope {

// The first reason that holds.
enum class NoLine : std::uint8_t {
  unexplained,          // nobody knows what was done: unknown, host.other, the profiler's own
  launch_not_recorded,  // device work whose launch is not in the trace
  lines_not_recorded,   // no Python frame was recorded in the whole trace
  backward_alone,       // backward work, neither whose forward nor whose caller is known
  library_thread,       // another thread than the loop's, at no Python frame
  silence,              // nothing was recorded for over a millisecond
  no_frame,             // a record of the loop's thread, made at no Python frame
  between_records,      // the loop's thread, for less than a millisecond between two records
};
inline constexpr std::size_t kNoLineCount = 8;
std::string_view name_of(NoLine reason);  // "library_thread"

struct LineShare {
  std::int64_t wall_ns_total = 0;
  std::int64_t with_line_ns_total = 0;
  // The part of it whose line is known from samples and not from records.
  std::int64_t sampled_ns_total = 0;
  std::uint64_t samples = 0;  // samples of the loop's thread in that time that have a line
  std::array<std::int64_t, kNoLineCount> without{};  // by NoLine

  double share() const {
    return wall_ns_total > 0
               ? static_cast<double>(with_line_ns_total) / static_cast<double>(wall_ns_total)
               : 0;
  }
  // Those that hold time, largest first.
  std::vector<std::pair<NoLine, std::int64_t>> reasons() const;
};

}  // namespace stepscope
