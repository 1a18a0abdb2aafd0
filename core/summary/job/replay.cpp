// SPDX-License-Identifier: Apache-2.0
#include "core/summary/job/replay.hpp"

#include <algorithm>
#include <optional>
#include <queue>
#include <tuple>
#include <utility>

namespace stepscope::job {
namespace {

// A collective in the replay. Times are since the begin of the window.
struct Meeting {
  std::size_t missing = 0;
  double entered = 0;                  // when the last one did; set once none is missing
  std::vector<std::uint32_t> open_of;  // ranks that entered it and wait, whatever they do beside it
  std::vector<std::uint32_t> blocked;  // those of them that do nothing else
  std::vector<std::pair<std::uint32_t, const Action*>> queued;  // entries behind it, by rank
};

struct Runner {
  std::size_t next = 0;  // action
  double now = 0;
  double left = 0;       // what is left of its work, alone
  std::size_t open = 0;  // collectives of its own that wait for another rank
  bool works = false;
  std::uint64_t version = 0;  // what is queued for it with another one is void
};

class Replay {
 public:
  Replay(const std::vector<Program>& programs, const Matches& matches, Interval window)
      : programs_(programs), runners_(programs.size()) {
    for (const JobCollective& collective : matches.collectives) {
      meetings_.push_back({.missing = collective.members.size() + collective.awaited.size()});
      meetings_.back().entered = static_cast<double>(collective.entered - window.begin);
    }
    for (std::uint32_t r = 0; r < programs.size(); ++r)
      for (const Action& entry : programs[r].entered) enter(r, entry, std::nullopt);
  }

  double run() {
    for (std::uint32_t r = 0; r < runners_.size(); ++r) go_on(r);
    while (!queue_.empty() || free_one()) {
      const auto [time, rank, version, entry] = queue_.top();
      queue_.pop();
      if (entry != nullptr) {
        enter(rank, *entry, time);
        continue;
      }
      Runner& runner = runners_[rank];
      if (version != runner.version) continue;
      runner.now = time;
      if (std::exchange(runner.works, false)) ++runner.next;
      go_on(rank);
    }
    double sum = 0;
    for (const Runner& runner : runners_) sum += runner.now;
    return sum / static_cast<double>(runners_.size());
  }

 private:
  void queue(std::uint32_t rank, double time) {
    queue_.emplace(time, rank, ++runners_[rank].version, nullptr);
  }

  void go_on(std::uint32_t r) {
    Runner& runner = runners_[r];
    const std::vector<Action>& actions = programs_[r].actions;
    for (; runner.next < actions.size(); ++runner.next) {
      const Action& action = actions[runner.next];
      if (action.kind == Action::work) return begin_work(r, action.ns);
      if (action.kind == Action::enter) {
        issue(r, action);
        continue;
      }
      Meeting& meeting = meetings_[action.match];
      if (meeting.missing > 0) return meeting.blocked.push_back(r);
      const double until = meeting.entered + action.ns;
      if (until > runner.now) return queue(r, until);
    }
  }

  void begin_work(std::uint32_t r, double ns) {
    Runner& runner = runners_[r];
    runner.works = true;
    runner.left = ns;
    queue(r, runner.now + ns * slow(r));
  }

  double slow(std::uint32_t r) const {
    const Runner& runner = runners_[r];
    return runner.open > 0 ? programs_[r].actions[runner.next].times_as_long : 1;
  }

  // A queued entry begins when the collective before it has ended, if that is later.
  void issue(std::uint32_t r, const Action& entry) {
    const double now = runners_[r].now;
    if (!entry.is_queued) return enter(r, entry, now);
    Meeting& before = meetings_[entry.before];
    if (before.missing > 0) return before.queued.emplace_back(r, &entry), void();
    const double free = before.entered + entry.ns;
    if (free <= now) return enter(r, entry, now);
    queue_.emplace(free, r, 0, &entry);
  }

  // No time: before the window, where all was as it was recorded.
  void enter(std::uint32_t r, const Action& entry, std::optional<double> time) {
    Meeting& meeting = meetings_[entry.match];
    if (entry.waits) {
      meeting.open_of.push_back(r);
      ++runners_[r].open;
    }
    if (--meeting.missing > 0) return;
    meeting.entered = time.value_or(meeting.entered);
    for (const std::uint32_t rank : meeting.open_of) close(rank, meeting.entered);
    for (const std::uint32_t rank : meeting.blocked) queue(rank, meeting.entered);
    meeting.blocked.clear();
    for (const auto& [rank, queued] : meeting.queued)
      queue_.emplace(std::max(meeting.entered + queued->ns, runners_[rank].now), rank, 0, queued);
  }

  // What the rank works on goes on as fast as it is alone.
  void close(std::uint32_t r, double time) {
    Runner& runner = runners_[r];
    if (runner.works && runner.open == 1) {
      runner.left -= (time - runner.now) / slow(r);
      runner.now = time;
      queue(r, time + std::max(0.0, runner.left));
    }
    --runner.open;
  }

  // Where all wait for each other, which no recording holds but for what clocks are off, the rank goes on that
  // is least far.
  bool free_one() {
    const Runner* least = nullptr;
    for (std::uint32_t r = 0; r < runners_.size(); ++r)
      if (runners_[r].next < programs_[r].actions.size() &&
          (least == nullptr || runners_[r].now < least->now))
        least = &runners_[r];
    if (least == nullptr) return false;
    const auto r = static_cast<std::uint32_t>(least - runners_.data());
    std::erase(meetings_[programs_[r].actions[least->next].match].blocked, r);
    ++runners_[r].next;
    queue(r, runners_[r].now);
    return true;
  }

  using Queued = std::tuple<double, std::uint32_t, std::uint64_t, const Action*>;
  const std::vector<Program>& programs_;
  std::vector<Runner> runners_;
  std::vector<Meeting> meetings_;
  std::priority_queue<Queued, std::vector<Queued>, std::greater<>> queue_;
};

}  // namespace

double replayed_ns(const std::vector<RankRecord>& ranks, const Ledger& ledger, Interval window,
                   const LessWork& less) {
  const std::vector<Program> programs = programs_of(ranks, ledger, window, less);
  return Replay(programs, ledger.matches, window).run();
}

double replayed_gain_ns(const std::vector<RankRecord>& ranks, const Ledger& ledger, Interval window,
                        const LessWork& less) {
  return replayed_ns(ranks, ledger, window, {}) - replayed_ns(ranks, ledger, window, less);
}

}  // namespace stepscope::job
