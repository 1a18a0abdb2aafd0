// SPDX-License-Identifier: Apache-2.0
// When ranks issued the collectives that were queued.
//
// A collective that begins as soon as the one before it has ended had been issued earlier: its stream or
// thread was not free. In a replay in which that one ends sooner, it begins where it was issued. When that
// was no rank says that waited, but the last one to enter does, for which nothing was queued: it was after
// as much of its own work behind the collective before it. All ranks do the same there, so the entries of
// the others move back to that point of their own work.
#include "core/summary/job/replay_program.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace stepscope::job {
namespace {

// By match: how much work the last rank did behind the collective before it; 0 where that was queued, too.
struct WorkBehind {
  std::uint32_t before = kNone;
  double ns = 0;
};
using WorkBetween = std::vector<WorkBehind>;

void add_work_between(std::uint32_t rank, const Matches& matches, const Program& program,
                      WorkBetween& out) {
  std::unordered_map<std::uint32_t, double> entered;  // by match: the work before
  double work = 0;
  for (const Action& action : program.actions) {
    if (action.kind == Action::work) work += action.ns;
    if (action.kind != Action::enter) continue;
    entered[action.match] = work;
    const auto before = entered.find(action.before);
    if (matches.collectives[action.match].last == rank && before != entered.end())
      out[action.match] = {action.before, action.is_queued ? 0 : work - before->second};
  }
}

class Mover {
 public:
  Mover(const WorkBetween& between, const Program& program) : between_(between) {
    find_points(program);
    std::stable_sort(moved_.begin(), moved_.end(),
                     [](const Moved& a, const Moved& b) { return a.point < b.point; });
    for (const Action& action : program.actions) add(action);
  }
  std::vector<Action> take() { return std::move(out_); }

 private:
  struct Moved {
    double point = 0;  // the rank's work before it
    Action entry;
  };

  void find_points(const Program& program) {
    std::unordered_map<std::uint32_t, double> points;
    double work = 0;
    for (const Action& action : program.actions) {
      if (action.kind == Action::work) work += action.ns;
      if (action.kind != Action::enter) continue;
      double& point = points[action.match];
      point = work;
      const auto before = points.find(action.before);
      const WorkBehind& of_last = between_[action.match];
      if (!action.is_queued || before == points.end() || of_last.before != action.before) continue;
      point = std::min(work, before->second + of_last.ns);
      moved_.push_back({point, action});
      moved_matches_.insert(action.match);
    }
  }

  void add(const Action& action) {
    if (action.kind == Action::enter && moved_matches_.contains(action.match)) return;
    double left = action.kind == Action::work ? action.ns : 0;
    for (; next_ < moved_.size() && moved_[next_].point <= done_ + left; ++next_) {
      const double until = std::max(0.0, moved_[next_].point - done_);
      if (until > 0) add_work(action, until);
      left -= until;
      done_ += until;
      out_.push_back(moved_[next_].entry);
    }
    if (action.kind != Action::work) out_.push_back(action);
    if (left > 0) add_work(action, left);
    done_ += left;
  }

  void add_work(Action work, double ns) {
    work.ns = ns;
    out_.push_back(work);
  }

  const WorkBetween& between_;
  std::vector<Moved> moved_;
  std::unordered_set<std::uint32_t> moved_matches_;
  std::vector<Action> out_;
  std::size_t next_ = 0;
  double done_ = 0;
};

}  // namespace

void move_to_issue(const Matches& matches, std::vector<Program>& programs) {
  WorkBetween between(matches.collectives.size());
  for (std::uint32_t r = 0; r < programs.size(); ++r)
    add_work_between(r, matches, programs[r], between);
  for (Program& program : programs) program.actions = Mover(between, program).take();
}

}  // namespace stepscope::job
