// SPDX-License-Identifier: Apache-2.0
#include "core/simulate/replay.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>

namespace stepscope {
namespace {

constexpr int kRounds = 3;  // the last one counts
constexpr double kNotYet = -std::numeric_limits<double>::infinity();

class Replay {
 public:
  explicit Replay(const TaskGraph& graph)
      : graph_(graph),
        clock_(graph.threads, 0),
        stream_end_(graph.streams, kNotYet),
        ready_(graph.producers, kNotYet),
        op_end_(graph.device.size(), kNotYet) {}

  Replayed run() {
    Replayed out;
    for (int round = 0; round < kRounds; ++round) {
      counts_ = round + 1 == kRounds;
      std::size_t task = 0;
      for (const SampledStep& step : graph_.steps) {
        const double before = step_end_;
        for (; task < step.end_task; ++task) execute(graph_.host[task]);
        step_end_ = std::max({step_end_, work_end_, clock_[0]});
        if (counts_) out.step_ns.push_back(step_end_ - before);
      }
    }
    out.busy_ns = busy();
    out.waited_ns = std::move(waited_);
    return out;
  }

 private:
  struct Stretch {
    double begin, end;
  };

  void execute(const HostTask& task) {
    double& now = clock_[task.thread];
    if (task.follows != kNone) {
      const double there = clock_[task.follows] + task.follows_ns;
      now = task.rejoins ? there : std::max(now, there);
    }
    if (task.op_count > 0) wait_for_slot(now);
    const double begin = now;
    // A thread beside the loop's may be ahead of it: what it issues then, no wait of the loop
    // meets.
    beside_ = task.thread != 0 && begin > clock_[0];
    for (std::uint32_t i = 0; i < task.op_count; ++i) issue(task.first_op + i, begin);
    now = begin + task.ns;
    if (task.producer != kNone) take(task, now);
    const double awaited = end_of_awaited(task);
    if (awaited <= begin) return;
    const double returned = std::max(now, awaited + task.return_ns);
    if (counts_ && task.thread == 0) waited_[task.site] += returned - now;
    now = returned;
  }

  // The queue of launches is full: the call goes on when enough of them have ended.
  void wait_for_slot(double& now) {
    while (!outstanding_.empty() && outstanding_.top() <= now) outstanding_.pop();
    while (outstanding_.size() >= graph_.queue_depth) {
      now = std::max(now, outstanding_.top());
      outstanding_.pop();
    }
  }

  void issue(std::uint32_t row, double call_begin) {
    const DeviceTask& op = graph_.device[row];
    double& stream = stream_end_[op.stream];
    if (op.dropped) {  // what waits for it waits for what stood before it
      op_end_[row] = stream;
      return;
    }
    double begin = call_begin + op.arrival_ns;
    if (op.after != kNone) {
      begin = op_end_[op.after] + op.gap_ns;
    } else {
      begin = std::max(begin, stream + op.gap_ns);
    }
    for (const std::uint32_t awaited : graph_.awaited_by(op))
      begin = std::max(begin, op_end_[awaited] + op.gap_ns);
    const double end = begin + op.ns;
    op_end_[row] = end;
    stream = std::max(stream, end);
    if (!beside_) device_end_ = std::max(device_end_, end);
    if (op.extends_step) work_end_ = std::max(work_end_, end);
    outstanding_.push(end);
    if (counts_) stretches_.push_back({begin, end});
  }

  // What is produced beside the loop: the next one comes `every_ns` after the one before.
  void take(const HostTask& task, double& now) {
    double& ready = ready_[task.producer];
    ready = ready == kNotYet ? now : ready + task.every_ns;
    now = std::max(now, ready);
  }

  double end_of_awaited(const HostTask& task) const {
    switch (task.wait) {
      case WaitKind::none:
        return kNotYet;
      case WaitKind::own_ops: {
        double last = kNotYet;
        for (std::uint32_t i = 0; i < task.op_count; ++i)
          last = std::max(last, op_end_[task.first_op + i]);
        return last;
      }
      case WaitKind::stream:
        return stream_end_[task.wait_on];
      case WaitKind::device:
        return device_end_;
      case WaitKind::op:
        return op_end_[task.wait_on];
    }
    return kNotYet;
  }

  double busy() {
    std::sort(stretches_.begin(), stretches_.end(),
              [](const Stretch& a, const Stretch& b) { return a.begin < b.begin; });
    double sum = 0;
    double until = kNotYet;
    for (const Stretch& s : stretches_) {
      if (s.end <= until) continue;
      sum += s.end - std::max(s.begin, until);
      until = s.end;
    }
    return sum;
  }

  const TaskGraph& graph_;
  std::vector<double> clock_;       // a thread: where it is
  std::vector<double> stream_end_;  // a stream: end of all that it holds
  std::vector<double> ready_;       // a producer: when its last thing was ready
  std::vector<double> op_end_;      // a device task: of the last time that it ran
  std::priority_queue<double, std::vector<double>, std::greater<>> outstanding_;
  std::vector<Stretch> stretches_;
  std::map<SiteId, double> waited_;
  double device_end_ = kNotYet;
  double work_end_ = kNotYet;
  double step_end_ = 0;
  bool counts_ = false;
  bool beside_ = false;
};

}  // namespace

double Replayed::ns() const {
  return std::accumulate(step_ns.begin(), step_ns.end(), 0.0);
}

Replayed replay(const TaskGraph& graph) {
  return Replay(graph).run();
}

}  // namespace stepscope
