// SPDX-License-Identifier: Apache-2.0
// Time by line and phase with its longest events, and a finding made of it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/findings/judged_run.hpp"

namespace stepscope::rules {

// Sums of one rule over the counted steps, in ns of the partition.
class Price {
 public:
  explicit Price(const JudgedRun& run);

  struct Event {
    RangeId range = kNone;
    DeviceOpId op = kNone;
  };
  void add(SiteId site, PhaseId phase, std::int64_t ns, Event event);
  void add(const Segment& segment, std::int64_t ns);

  std::int64_t total() const { return total_; }
  std::map<PhaseId, std::int64_t> by_phase() const;
  PhaseId largest_phase() const;
  // The lines that hold at least `share` of it, largest first.
  std::vector<SiteId> largest_sites(double share) const;

  // Phase, places, link rate, evidence, caused and ceiling; `scaled` is what becomes of ns a step.
  Finding finding(double caused_ns_per_step) const;

 private:
  std::vector<FindingPlace> places(double scale) const;
  std::vector<std::string> evidence() const;

  const JudgedRun& run_;
  std::int64_t total_ = 0;
  std::map<SiteId, std::int64_t> by_site() const;
  void keep_if_long(std::int64_t ns, Event event);

  std::vector<std::int64_t> sites_;  // by SiteId; the last is of what has no line
  std::vector<std::int64_t> phases_;
  std::vector<std::pair<std::int64_t, std::string>> events_;  // the longest three
  std::vector<Interval> silences_;  // the longest three of those in which nothing was recorded
};

// Lets the fix change these operations alone; it is then written as the finding's id.
void set_ops(Fix& fix, std::vector<DeviceOpId> ops, std::string_view id);

std::string percent(double share);  // "12 %", "0.3 %"

}  // namespace stepscope::rules
