// SPDX-License-Identifier: Apache-2.0
#include "core/simulate/replay.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>

namespace stepscope {
namespace {

constexpr std::size_t kWarmUpRounds = 2;
constexpr double kNotYet = -std::numeric_limits<double>::infinity();

class Replay {
 public:
  explicit Replay(const TaskGraph& graph)
      : graph_(graph),
        clock_(graph.threads, 0),
        stream_end_(graph.streams, kNotYet),
        op_end_(graph.device.size(), kNotYet) {
    for (const Producer& producer : graph.producers) {
      making_.push_back({std::vector<double>(producer.workers, 0),
                         std::vector<double>(std::max(1U, producer.depth), 0)});
      most_ahead_ = std::max<std::size_t>({most_ahead_, producer.depth, producer.workers});
    }
  }

  Replayed run() {
    Replayed out;
    out.step_ns.assign(graph_.steps.size(), 0);
    const std::size_t warm_up =
        kWarmUpRounds + most_ahead_ / std::max<std::size_t>(1, graph_.steps.size());
    const std::size_t counted = rounds_that_count();
    for (std::size_t round = 0; round < warm_up + counted; ++round) {
      counts_ = round >= warm_up;
      std::size_t task = 0;
      for (std::size_t i = 0; i < graph_.steps.size(); ++i) {
        const double before = step_end_;
        for (; task < graph_.steps[i].end_task; ++task) execute(graph_.host[task]);
        step_end_ = std::max({step_end_, work_end_, clock_[0]});
        if (counts_) out.step_ns[i] += (step_end_ - before) / static_cast<double>(counted);
      }
    }
    for (std::size_t i = 0; i < graph_.steps.size(); ++i)
      out.step_ns[i] *= graph_.steps[i].stands_for;
    wait_for_cores(out.step_ns);
    out.busy_ns = busy() / static_cast<double>(counted);
    for (auto& [site, ns] : waited_) ns /= static_cast<double>(counted);
    out.waited_ns = std::move(waited_);
    out.input_ns = input_ns_ / static_cast<double>(counted);
    return out;
  }

 private:
  struct Stretch {
    double begin, end, weight;
  };
  struct Making {
    std::vector<double> ready;  // a worker: when what it made last was ready
    std::vector<double> asked;  // things in turn: when one was asked for
    std::size_t taken = 0;
  };

  // Workers of a loader deliver in turn, often several at once: each is as often first.
  std::size_t rounds_that_count() const {
    std::vector<std::size_t> takes(graph_.producers.size(), 0);
    for (const HostTask& task : graph_.host)
      if (task.producer != kNone) ++takes[task.producer];
    std::size_t rounds = 1;
    for (std::size_t p = 0; p < takes.size(); ++p) {
      const std::size_t workers = graph_.producers[p].workers;
      rounds = std::max(rounds, workers / std::gcd(workers, std::max<std::size_t>(1, takes[p])));
    }
    return rounds;
  }

  // All steps become longer by as much as they compute more than the cores can.
  void wait_for_cores(std::vector<double>& step_ns) const {
    double by_workers = 0, by_loop = 0;
    for (const HostTask& task : graph_.host) {
      if (task.producer != kNone && !task.restarts)
        by_workers += task.making_ns * graph_.producers[task.producer].computes * weight_of(task);
      if (!is_asleep(task.cause)) by_loop += task.ns * graph_.on_core * weight_of(task);
    }
    if (graph_.cores == 0 || by_workers == 0) return;
    const double all = std::accumulate(step_ns.begin(), step_ns.end(), 0.0);
    const double longer = (by_workers + by_loop) / graph_.cores / all;
    for (double& ns : step_ns) ns *= std::max(1.0, longer);
  }

  double weight_of(const HostTask& task) const { return graph_.steps[task.step].stands_for; }

  static bool is_asleep(Cause cause) {
    return cause == Cause::host_off_cpu || cause == Cause::host_core_wait ||
           cause == Cause::host_wait_thread || cause == Cause::comm_wait || cause == Cause::host_io;
  }

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
    for (std::uint32_t i = 0; i < task.op_count; ++i)
      issue(task.first_op + i, begin, weight_of(task));
    if (task.producer != kNone) {
      take(task, now);
    } else {
      now = begin + task.ns;
    }
    const double awaited = end_of_awaited(task);
    if (awaited <= begin) return;
    const double returned = std::max(now, awaited + task.return_ns);
    if (counts_ && task.thread == 0) waited_[task.site] += (returned - now) * weight_of(task);
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

  void issue(std::uint32_t row, double call_begin, double weight) {
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
    if (counts_) stretches_.push_back({begin, end, weight});
  }

  // Takes a thing that is made beside the loop: its worker begins with it once it is asked for and
  // the worker is done with the one before. Taking one asks for the next.
  void take(const HostTask& task, double& now) {
    const Producer& producer = graph_.producers[task.producer];
    Making& making = making_[task.producer];
    double& asked = making.asked[making.taken % making.asked.size()];
    double& ready = making.ready[making.taken % making.ready.size()];
    if (task.restarts) {
      now += task.ns;
      std::fill(making.asked.begin(), making.asked.end(), now - producer.making_ns);
      std::fill(making.ready.begin(), making.ready.end(), now - producer.making_ns);
      ready = now;
    } else {
      ready = std::max(producer.depth > 0 ? asked : 0, ready) + task.making_ns;
      if (counts_) input_ns_ += std::max(0.0, ready - now) * weight_of(task);
      now = std::max(now, ready) + task.ns;
      asked = now;
    }
    ++making.taken;
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
      sum += (s.end - std::max(s.begin, until)) * s.weight;
      until = s.end;
    }
    return sum;
  }

  const TaskGraph& graph_;
  std::vector<double> clock_;       // a thread: where it is
  std::vector<double> stream_end_;  // a stream: end of all that it holds
  std::vector<Making> making_;      // a producer
  std::vector<double> op_end_;      // a device task: of the last time that it ran
  std::priority_queue<double, std::vector<double>, std::greater<>> outstanding_;
  std::vector<Stretch> stretches_;
  std::map<SiteId, double> waited_;
  double input_ns_ = 0;
  double device_end_ = kNotYet;
  double work_end_ = kNotYet;
  double step_end_ = 0;
  std::size_t most_ahead_ = 0;  // things that any producer makes before they are taken
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
