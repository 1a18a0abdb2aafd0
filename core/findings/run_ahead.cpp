// SPDX-License-Identifier: Apache-2.0
#include "core/findings/run_ahead.hpp"

#include <algorithm>
#include <cmath>
#include <deque>

namespace stepscope::rules {
namespace {

struct Lead {
  std::size_t wait;
  std::int64_t end;   // end of the wait
  std::int64_t left;  // what is left of its length
};

class LeadSweep {
 public:
  LeadSweep(const JudgedRun& run, const std::vector<HostWait>& waits,
            const std::vector<bool>& removed)
      : run_(run), waits_(waits), removed_(removed), horizon_(std::llround(run.step_ns)) {
    out_.caused.assign(waits.size(), 0);
    out_.hidden.assign(run.attribution.process.segments.size(), 0);
  }

  RunAhead run() {
    const std::vector<Segment>& segments = run_.attribution.process.segments;
    for (std::size_t i = 0; i < segments.size(); ++i) {
      const Segment& s = segments[i];
      admit_until(s.time.begin + 1, is_device_busy(s.cause));
      if (is_hidden_by_lead(s.cause)) hide(i, s);
      admit_until(s.time.end, is_device_busy(s.cause));
    }
    return std::move(out_);
  }

 private:
  void admit_until(std::int64_t time, bool device_works) {
    for (; next_ < waits_.size() && waits_[next_].time.begin < time; ++next_) {
      if (removed_[next_]) {
        leads_.push_back({next_, waits_[next_].time.end, waits_[next_].time.length()});
      } else if (device_works) {
        leads_.clear();
      }
    }
  }

  // While a wait lasts, it hides what its own calls take, but not the latency of what was issued
  // before it. An upload stays, and is issued by its call as before.
  bool serves(const Lead& lead, const Segment& s) const {
    if (lead.end <= s.time.begin) return true;
    const HostWait& wait = waits_[lead.wait];
    const bool stays =
        wait.kind == WaitKind::upload && s.time.begin < run_.trace.device_ops().end[wait.op];
    return !stays && s.cause != Cause::launch_latency;
  }

  void hide(std::size_t segment, const Segment& s) {
    while (!leads_.empty() && leads_.front().end + horizon_ < s.time.begin) leads_.pop_front();
    std::int64_t idle = s.time.length();
    for (auto lead = leads_.rbegin(); lead != leads_.rend() && idle > 0; ++lead) {
      if (!serves(*lead, s)) continue;
      const std::int64_t ns = std::min(idle, lead->left);
      lead->left -= ns;
      idle -= ns;
      charge(lead->wait, segment, s, ns);
    }
    while (!leads_.empty() && leads_.back().left == 0) leads_.pop_back();
  }

  void charge(std::size_t wait, std::size_t segment, const Segment& s, std::int64_t ns) {
    if (ns == 0 || !run_.counts(s.time.begin)) return;
    out_.caused[wait] += ns;
    out_.hidden[segment] += ns;
    out_.total += ns;
    out_.shown[{waits_[wait].site, s.site}] += ns;
  }

  const JudgedRun& run_;
  const std::vector<HostWait>& waits_;
  const std::vector<bool>& removed_;
  std::int64_t horizon_;
  std::size_t next_ = 0;
  std::deque<Lead> leads_;
  RunAhead out_;
};

}  // namespace

RunAhead run_ahead(const JudgedRun& run, const std::vector<HostWait>& waits,
                   const std::vector<bool>& removed) {
  return LeadSweep(run, waits, removed).run();
}

}  // namespace stepscope::rules
