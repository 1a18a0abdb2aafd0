// SPDX-License-Identifier: Apache-2.0
// Waits by line: how many, how long, and what they cost; and the words for that.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/findings/price.hpp"
#include "core/findings/run_ahead.hpp"

namespace stepscope::rules {

// From here on a stretch of host work is something of its own, not the way to a launch.
inline constexpr std::int64_t kLongStretchNs = 1'000'000;
// The same on a run without a device: Python and the framework take less from one operation to the
// next. A fifth of a short step is something of its own, too.
inline constexpr std::int64_t kLongestWayNs = 200'000;
std::int64_t long_stretch_ns(const JudgedRun& run);
std::string long_stretch_text(const JudgedRun& run);  // "a millisecond", "200 us"

// Tells stretches of the host that are something of their own from the way to the next call. Long
// ones are; on a run without a device so are short ones at a line that no record of the loop's thread
// names, for fewer or larger operations do not make it shorter (an environment's step, a message).
class OwnStretches {
 public:
  explicit OwnStretches(const JudgedRun& run);
  bool holds(const Segment& segment) const;

 private:
  using Line = std::pair<StringId, std::uint32_t>;
  const JudgedRun& run_;
  std::int64_t least_ns_;
  std::set<Line> recorded_;
};

struct WaitLine {  // waits without a line are one row a phase
  SiteId site = kNone;
  PhaseId phase = 0;
  std::vector<std::size_t> waits;  // in counted steps
  std::uint64_t count = 0;
  std::int64_t waited = 0;  // length of the calls
  std::int64_t caused = 0;
  std::uint64_t bytes = 0;
};

// Returns the lines of the waits that `chosen` names and that lie in counted steps; costliest
// first.
std::vector<WaitLine> wait_lines(const JudgedRun& run, const std::vector<HostWait>& waits,
                                 const std::vector<bool>& chosen, const RunAhead& ahead);

// "train.py:12", else "phase 'log'", else "a place without a line".
std::string place_text(const JudgedRun& run, const WaitLine& line);
// "50 times", "1 wait", "0.1 waits"
std::string counted_text(const JudgedRun& run, std::uint64_t count, std::string_view noun);
// Returns where the partition shows most of what waits cause, if that is another line than theirs;
// else "".
std::string shown_elsewhere(const JudgedRun& run, const RunAhead& ahead);
// Returns what the leads of waits hide, but for long stretches of host work: without the wait they
// would be hidden, and without them there would be nothing to hide, so host_gap names them, too.
Explained explained_by_leads(const JudgedRun& run, const RunAhead& ahead);
// The lines, else (where no line is known) the phases.
FixScope scope_of(const std::vector<SiteId>& sites, const Price& price);

}  // namespace stepscope::rules
