// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/kernels/session.hpp"

#include <cstdio>
#include <cstdlib>

#include "tests/kernels/support/gpu_found.hpp"

namespace stepscope::kernels {
namespace {

constexpr int kSkipped = 77;  // to ctest

// Returns whether this device can run the kernel. Without a device it may: its tests are skipped.
bool may_run(const ReadOnlyKernel& kernel) {
  DeviceLimits device;
  return !gpu_found() || DeviceLimits::of_current(&device) != cudaSuccess || kernel.runs_on(device);
}

void require_gpu() {
  if (gpu_found()) return;
  std::puts("no GPU");
  std::exit(kSkipped);
}

}  // namespace

void Session::register_benchmarks() {
  for (const BenchCase& c : program_.cases) {
    if (!flags_.wants(c.name)) continue;
    if (program_.yardstick == Yardstick::best_read && !flags_.once) add_reads(c);
    for (const Way& way : c.ways) {
      if (flags_.once && way.peer) continue;
      add_way(c, way, false);
      if (way.graph && !flags_.once) add_way(c, way, true);
    }
  }
}

void Session::add(const BenchCase& c, const std::string& name, const Body& body) {
  const auto run = [this, &c, body](benchmark::State& state) {
    try {
      begin(c);
      body(state);
    } catch (const std::exception& error) {
      fail(state, error.what());
    }
  };
  benchmark::RegisterBenchmark((c.name + "/" + name).c_str(), run)
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond)
      ->Iterations(flags_.once ? 1 : static_cast<benchmark::IterationCount>(flags_.repetitions));
}

void Session::add_reads(const BenchCase& c) {
  const std::vector<ReadOnlyKernel> kernels = read_only_kernels();
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (!may_run(kernels[i])) continue;
    add(c, "read: " + kernels[i].name, [this, i](benchmark::State& state) {
      const std::vector<double> times = reads_->times_us(i);
      report(state, times, reads_->bytes(), reads_->best_timed_us());
    });
  }
}

void Session::add_way(const BenchCase& c, const Way& way, bool graph) {
  class StateTurn final : public Turn {
   public:
    StateTurn(Session& session, benchmark::State& state, bool graph)
        : session_(session), state_(state), graph_(graph) {}
    void take(const Work& work) override { session_.take(state_, work, graph_); }

   private:
    Session& session_;
    benchmark::State& state_;
    const bool graph_;
  };
  add(c, way.name + (graph ? ", graph" : ""), [this, &way, graph](benchmark::State& state) {
    if (reads_) reads_->best_us();  // ahead of the judgement
    StateTurn turn(*this, state, graph);
    way.run(*memory_, turn);
  });
}

void Session::begin(const BenchCase& c) {
  if (current_ == &c) return;
  require_gpu();
  current_ = nullptr;
  reads_.reset();
  memory_.reset();
  if (!stream_) stream_.emplace();
  const bool copies = program_.yardstick == Yardstick::copy_rate;
  if (copies && !flags_.once && copy_terabytes_ == 0) copy_terabytes_ = copy_terabytes(timer());
  if (!flags_.once) timer();  // whose memory then lies the same, whatever runs
  memory_ = c.make(stream_->get());
  if (!copies && !flags_.once) reads_.emplace(timer(), memory_->readable());
  notes_[c.name] = note();
  current_ = &c;
}

std::string Session::note() const {
  if (copy_terabytes_ == 0) return memory_->note();
  char line[64];
  std::snprintf(line, sizeof line, "copy of 2 GB: %.3f TB/s\n", copy_terabytes_);
  return line + memory_->note();
}

ColdTimer& Session::timer() {
  if (!timer_) timer_.emplace(*stream_, flags_.repetitions);
  return *timer_;
}

void Session::take(benchmark::State& state, const Work& work, bool graph) {
  std::optional<Replay> replay;
  if (graph) {
    work.enqueue(stream_->get());  // what a first launch loads is not loaded in the capture
    replay.emplace(work.enqueue, stream_->get());
  }
  const Enqueue enqueue = graph ? Enqueue(std::cref(*replay)) : work.enqueue;
  call(work, enqueue);
  const Judgement judgement = work.judge ? work.judge() : Judgement{};
  const std::string said = (judgement.sound ? "sound" : "WRONG") + judgement.note;
  if (!judgement.sound) return fail(state, said);
  if (flags_.once) {
    for (auto _ : state) state.SetIterationTime(0);
  } else {
    report(state, timer().times_us(enqueue, work.before, work.cold), work.bytes,
           reads_ && work.cold ? reads_->best_us() : 0);
  }
  if (work.judge) state.SetLabel(said);
}

void Session::call(const Work& work, const Enqueue& enqueue) {
  for (int i = 1; i <= work.calls; ++i) {
    if (i == work.calls && work.spoil) {
      stream_->synchronize();
      work.spoil();
    }
    work.before(stream_->get());
    enqueue(stream_->get());
  }
  stream_->synchronize();
}

void Session::report(benchmark::State& state, const std::vector<double>& times_us, double bytes,
                     double best_read_us) {
  // Google Benchmark's own warm-up has more turns than there are times.
  std::size_t i = 0;
  for (auto _ : state) state.SetIterationTime(times_us[i++ % times_us.size()] * 1e-6);
  const Timing timing = timing_of(times_us);
  const double terabytes = bytes / timing.median_us * 1e-6;
  state.counters["median_us"] = timing.median_us;
  state.counters["p99_us"] = timing.p99_us;
  state.counters["least_us"] = timing.least_us;
  state.counters["GB"] = bytes * 1e-9;
  state.counters["TB/s"] = terabytes;
  if (best_read_us > 0) state.counters["to_read"] = timing.median_us / best_read_us;
  if (copy_terabytes_ > 0) state.counters["of_copy"] = terabytes / copy_terabytes_;
}

void Session::fail(benchmark::State& state, const std::string& message) {
  sound_ = false;
  state.SkipWithError(message.c_str());
}

}  // namespace stepscope::kernels
