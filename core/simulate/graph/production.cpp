// SPDX-License-Identifier: Apache-2.0
#include "core/simulate/graph/production.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "core/simulate/graph/worker_time.hpp"
#include "core/simulate/sample.hpp"
#include "core/support/statistics.hpp"

namespace stepscope {
namespace {

constexpr double kUsualTakeNs = 300'000;  // unpacking a batch and mapping its memory
constexpr double kTakeNs = 5'000;         // taking a thing that is there, at a lock
constexpr double kWaited = 2;             // a take of so many usual ones waited
// Share of the time between two takes; waits below it are no sign of a producer.
constexpr double kLeastWaiting = 0.02;
// Share of takes that waited from which on they also show how long the others' making took.
constexpr double kManyWaited = 0.1;
// Share of takes that must have found a batch ready by far, lest single late ones tell what taking costs.
constexpr double kManyReady = 0.1;
constexpr double kUnbounded = std::numeric_limits<double>::infinity();

struct Made {
  double begin = 0, end = 0;   // begin and end of its take
  std::uint32_t task = kNone;  // the first of its take; kNone: not in a replayed step
  bool restarts = false;       // the loader begins anew here
  bool waited = false;
  double ready = 0, making = 0;
  double awake = 0;  // time of the loop's thread in its take; 0: not known

  double length() const { return end - begin; }
  // What taking it cost the loop beside waiting: as much as it does as a rule, or its own time awake.
  double own(double usual) const { return std::max(usual, awake); }
};

class Learning {
 public:
  Learning(std::vector<Made>& all, Producer& producer, const WorkerTime& workers)
      : all_(all),
        producer_(producer),
        clocked_(workers.ns_a_batch),
        on_core_(workers.on_core_ns_a_batch),
        awake_ns_(workers.awake_ns_a_take) {
    producer_.workers = std::max(1U, workers.workers);
    producer_.depth = workers.prefetch_factor * producer_.workers;
    producer_.computes = workers.computes;
    producer_.clocked_ns = clocked_.value_or(0);
    if (clocked_) producer_.longest = 1 + workers.core_wait_ns / *clocked_;
  }

  void learn() {
    take_ns_ = take_of_ready(clocked_.value_or(kUnbounded));
    producer_.take_ns = take_ns_;
    find_waits();
    producer_.making_ns = clocked_.value_or(interval() * producer_.workers);
    go_through();
    producer_.making_ns = of_those_not_waited_for();
    go_through();
    if (!clocked_ && waits_ < kManyWaited * static_cast<double>(all_.size())) take_unknown();
    if (clocked_) producer_.computes *= *clocked_ / mean_making();
  }

  void give_to_tasks(std::vector<HostTask>& tasks) const {
    for (const Made& made : all_) {
      if (made.task == kNone) continue;
      tasks[made.task].restarts = made.restarts;
      tasks[made.task].making_ns = made.restarts ? 0 : made.making;
      tasks[made.task].was_awaited = made.waited;
      for (std::size_t i = made.task; made.waited && i < tasks.size(); ++i) {
        HostTask& task = tasks[i];
        if (static_cast<double>(task.begin) >= made.ready) break;
        if (task.takes) task.ns = std::max(0.0, static_cast<double>(task.end) - made.ready);
      }
    }
  }

 private:
  // The loop hardly ever waited: making took anything up to what the loop would have waited for, and at
  // least what it computed. Where no clock was read of that either, half is expected.
  void take_unknown() {
    const double most = producer_.making_ns;
    const double expected = on_core_ ? std::min(*on_core_, most) : most / 2;
    if (expected <= 0) return;
    producer_.making_ns = expected;
    producer_.shortest = on_core_ ? 1 : 0;
    producer_.longest = most / expected;
    if (on_core_) producer_.computes = 1;
    for (Made& made : all_)
      if (!made.waited) made.making *= expected / most;
  }

  // Ready by far when the loop came: its length is what taking costs.
  double take_of_ready(double making) {
    std::vector<double> all, ready;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (all_[i].restarts) continue;
      all.push_back(all_[i].length());
      const std::size_t before = producer_.depth;
      const bool in_one_run = i >= before && !any_restart(i - before, i);
      if (in_one_run && all_[i].begin - all_[i - before].end > 2 * making)
        ready.push_back(all_[i].length());
    }
    if (all.empty()) return 0;
    if (static_cast<double>(ready.size()) >= kManyReady * static_cast<double>(all.size()))
      return std::min(median_of(ready), awake_ns_.value_or(kUnbounded));
    std::sort(all.begin(), all.end());
    return std::min(all[all.size() / 10], awake_ns_.value_or(kUsualTakeNs));
  }

  bool any_restart(std::size_t begin, std::size_t end) const {
    for (std::size_t i = begin; i <= end; ++i)
      if (all_[i].restarts) return true;
    return false;
  }

  void find_waits() {
    const double least =
        std::max(kWaited * take_ns_ + kUsualTakeNs / 3, kLeastWaiting * interval());
    for (Made& made : all_) {
      made.waited = !made.restarts && made.length() - made.own(take_ns_) > least - take_ns_;
      waits_ += made.waited ? 1 : 0;
    }
  }

  // Returns the mean time of making, including the awaited things' waits for a core.
  double mean_making() const {
    std::vector<double> out;
    for (const Made& made : all_)
      if (!made.restarts) out.push_back(made.making);
    return std::max(1.0, mean_of(out));
  }

  double interval() const {
    std::vector<double> out;
    for (std::size_t i = 1; i < all_.size(); ++i)
      if (!all_[i].restarts) out.push_back(all_[i].end - all_[i - 1].end);
    return mean_of(out);
  }

  // Goes through the takes as the replay does, except that an awaited take shows when its thing was
  // ready.
  void go_through() {
    const std::size_t depth = producer_.depth, workers = producer_.workers;
    std::vector<double> asked(depth, -kUnbounded), ready(workers, -kUnbounded);
    for (std::size_t i = 0; i < all_.size(); ++i) {
      Made& made = all_[i];
      if (made.restarts) {
        std::fill(asked.begin(), asked.end(), made.end - producer_.making_ns);
        std::fill(ready.begin(), ready.end(), made.end - producer_.making_ns);
        made.ready = ready[i % workers] = made.end;
        continue;
      }
      const double begin = std::max(asked[i % depth], ready[i % workers]);
      if (made.waited) {
        made.ready = made.end - made.own(take_ns_);
      } else {
        made.ready = std::min(made.begin, begin + producer_.making_ns);
      }
      const bool is_told = begin > -kUnbounded;
      made.making = is_told ? std::max(0.0, made.ready - begin) : producer_.making_ns;
      if (!is_told) made.ready = std::min(made.ready, made.begin);
      asked[i % depth] = made.end;
      ready[i % workers] = made.ready;
    }
  }

  double of_those_not_waited_for() const {
    std::vector<double> waited;
    for (const Made& made : all_)
      if (made.waited) waited.push_back(made.making);
    // Had they taken longer than the workers' share of the time, the loop would have waited for them.
    const double most = interval() * producer_.workers;
    if (!clocked_) return waited.empty() ? producer_.making_ns : std::min(mean_of(waited), most);
    const auto n = static_cast<double>(all_.size());
    const auto of_waited = static_cast<double>(waited.size());
    if (of_waited == n) return *clocked_;
    const double rest = (n * *clocked_ - of_waited * mean_of(waited)) / (n - of_waited);
    return std::clamp(rest, 0.1 * *clocked_, *clocked_);
  }

  std::vector<Made>& all_;
  Producer& producer_;
  std::optional<double> clocked_, on_core_, awake_ns_;
  double take_ns_ = 0;
  double waits_ = 0;
};

// Returns, by loader, its takes in order, with the tasks of those in replayed steps.
std::vector<std::vector<Made>> made_by_loaders(const ProcessIndex& index, const LoaderTakes& takes,
                                               const TaskGraph& graph) {
  std::vector<std::vector<Made>> out(takes.loaders());
  std::map<std::int64_t, std::uint32_t> tasks;  // by the begin of their take
  for (std::uint32_t i = 0; i < graph.host.size(); ++i) {
    if (graph.host[i].producer < takes.loaders()) tasks[graph.host[i].begin] = i;
  }
  for (const LoaderTake& take : takes.all()) {
    const auto task = tasks.find(take.time.begin);
    out[take.loader].push_back({.begin = static_cast<double>(take.time.begin),
                                .end = static_cast<double>(take.time.end),
                                .task = task == tasks.end() ? kNone : task->second,
                                .awake = awake_in_take(index, take.time).value_or(0)});
  }
  return out;
}

// Marks the first take of each loader, and those at which its loop begins anew.
void mark_restarts(const ProcessIndex& index, const Steps& steps, const LoaderTakes& takes,
                   std::vector<std::vector<Made>>& made) {
  std::vector<bool> restarts(takes.all().size(), false);
  for (const EpochBegin& epoch : epoch_begins(index, steps, takes))
    restarts[epoch.last] = restarts[epoch.first] = true;
  std::vector<std::size_t> next(made.size(), 0);
  for (std::size_t i = 0; i < restarts.size(); ++i) {
    const std::uint32_t loader = takes.all()[i].loader;
    made[loader][next[loader]++].restarts = restarts[i];
  }
  for (std::vector<Made>& of_loader : made)
    if (!of_loader.empty()) of_loader.front().restarts = true;
}

void forget_producer(TaskGraph& graph, std::uint32_t producer) {
  for (HostTask& task : graph.host) {
    if (task.producer != producer) continue;
    task.producer = kNone;
    task.making_ns = 0;
    task.ns = static_cast<double>(task.end - task.begin);
  }
}

// A thread beside the loop works at its own pace: the one thing is made behind the other.
void learn_lock(TaskGraph& graph, std::uint32_t producer) {
  std::vector<double> intervals;
  double waited = 0, longest = 0;
  std::size_t takes = 0;
  const HostTask* before = nullptr;
  for (HostTask& task : graph.host) {
    if (task.producer != producer) continue;
    const auto wait = static_cast<double>(task.end - task.begin);
    waited += wait;
    longest = std::max(longest, wait);
    ++takes;
    const bool joined =
        before != nullptr && (before->step == task.step ||
                              (before->step + 1 == task.step && graph.steps[task.step].follows_on));
    task.making_ns = joined ? static_cast<double>(task.end - before->end) : 0;
    task.ns = std::min(wait, kTakeNs);
    if (joined) intervals.push_back(task.making_ns);
    before = &task;
  }
  const double typical = mean_of(intervals);
  const bool waits_little = waited < kLeastWaiting * typical * static_cast<double>(takes);
  if (longest < kUsualTakeNs || (waits_little && !intervals.empty()))
    return forget_producer(graph, producer);
  for (HostTask& task : graph.host)
    if (task.producer == producer && task.making_ns == 0) task.making_ns = typical;
}

}  // namespace

void learn_production(const ProcessIndex& index, const Steps& steps, const LoaderTakes& takes,
                      TaskGraph& graph) {
  std::vector<std::vector<Made>> made = made_by_loaders(index, takes, graph);
  mark_restarts(index, steps, takes, made);
  const WorkerTime workers = worker_time(index, takes.all());
  for (std::uint32_t p = 0; p < graph.producers.size(); ++p) {
    if (p >= takes.loaders()) {
      learn_lock(graph, p);
      continue;
    }
    Learning learning(made[p], graph.producers[p], workers);
    learning.learn();
    learning.give_to_tasks(graph.host);
  }
}

}  // namespace stepscope
