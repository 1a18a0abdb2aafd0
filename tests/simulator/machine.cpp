// SPDX-License-Identifier: Apache-2.0
#include "tests/simulator/machine.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "tests/simulator/random.hpp"

namespace stepscope::simulator {
namespace {

constexpr std::size_t kStreams = 6;
// A copy of more bytes is staged by its call piece by piece.
constexpr std::uint64_t kStagedBytes = 4 << 20;

class Machine {
 public:
  Machine(const Program& program, std::uint64_t seed) : program_(program), random_(seed) {
    run_.recording = program.recording;
    last_.fill(kNone);
    events_.fill(kNone);
  }

  Run execute() {
    const std::uint32_t extra =
        program_.ends_with_run ? 1 : 2;  // a warm-up step, and one that follows
    for (std::uint32_t i = 0; i < program_.steps + extra; ++i) step(i);
    finish();
    set_windows();
    return std::move(run_);
  }

 private:
  // ---- steps ----------------------------------------------------------------------------------
  void step(std::uint32_t number) {
    thread_ = kLoop;
    const std::int64_t begin = now();
    step_end_ = begin;
    for (const Action& action : program_.step) {
      catch_up_side();
      act(action);
    }
    if (now() == begin) run_for(1 * us, gap_cause());
    record(HostKind::user_scope, "ProfilerStep#" + std::to_string(number), begin);
    if (program_.recording.python) record(HostKind::python_function, "train.py(10): step", begin);
    run_.step_host.push_back({begin, now()});
    work_ends_.push_back(std::max(step_end_, now()));
  }

  // A run ends as real ones do: with a synchronise. What the side thread has open ends with it.
  void finish() {
    thread_ = kLoop;
    synchronize("cudaDeviceSynchronize", last_of_device(), {.host_ns = 1 * us});
    run_.step_host.back().end = now();
    work_ends_.back() = std::max(work_ends_.back(), now());
    thread_ = kSide;
    while (!open_[kSide].empty()) close(HostKind::op, "aten::addmm");
  }

  // The side thread runs until it is level with the loop's, so that all issue in time order.
  void catch_up_side() {
    if (program_.side.empty()) return;
    const std::uint32_t loop_thread = thread_;
    const std::int64_t until = now();
    const std::int64_t step_end = step_end_;
    thread_ = kSide;
    while (now() < until) {
      act(program_.side[side_at_]);
      side_at_ = (side_at_ + 1) % program_.side.size();
    }
    thread_ = loop_thread;
    step_end_ = step_end;
  }

  void set_windows() {
    run_.first_counted = 1;
    std::int64_t end = work_ends_[0];
    for (std::uint32_t i = 1; i <= program_.steps; ++i) {
      const std::int64_t begin = end;
      end = std::max(end, work_ends_[i]);
      run_.windows.push_back({begin, end});
    }
  }

  // ---- the host -------------------------------------------------------------------------------
  std::int64_t now() const { return time_[thread_]; }

  std::int64_t vary(std::int64_t ns) {
    return std::max<std::int64_t>(
        1, static_cast<std::int64_t>(static_cast<double>(ns) *
                                     (1 + random_.deviation(program_.noise))));
  }

  void run_until(std::int64_t end, Cause cause) {
    if (end <= now()) return;
    run_.pieces[thread_].push_back({{now(), end}, cause, kNone, kNone});
    time_[thread_] = end;
  }
  void run_for(std::int64_t ns, Cause cause) { run_until(now() + ns, cause); }

  void block_until(std::int64_t end, std::uint32_t on_thread, std::uint32_t on_op) {
    if (end <= now()) return;
    run_.pieces[thread_].push_back({{now(), end}, Cause::unknown, on_thread, on_op});
    time_[thread_] = end;
  }

  void record(HostKind kind, std::string name, std::int64_t begin, std::uint32_t correlation = 0,
              std::uint32_t stream = kNone, std::uint32_t event = 0) {
    run_.ranges.push_back(
        {kind, std::move(name), thread_, {begin, now()}, correlation, stream, event, line_});
  }

  // Causes are distinguished only as far as they are recorded.
  Cause gap_cause() const {
    const bool frames = program_.recording.python && thread_ == kLoop;
    return frames ? Cause::host_python : Cause::host_between_calls;
  }
  Cause framework_cause() const {
    return program_.recording.ops || thread_ == kWorker ? Cause::host_framework : gap_cause();
  }

  // The engine's entry and exit on the caller, which show as its frame.
  Cause engine_cause() const {
    return program_.recording.python ? Cause::host_framework : Cause::host_between_calls;
  }

  // ---- the device -----------------------------------------------------------------------------
  // The queue of launches is full: wait until enough of them have ended.
  void wait_for_slot() {
    outstanding_.erase(outstanding_.begin(), outstanding_.upper_bound({now(), kNone}));
    if (outstanding_.size() < kQueueLimit) return;
    auto freed = outstanding_.begin();
    std::advance(freed, outstanding_.size() - kQueueLimit);
    block_until(freed->first, kNone, freed->second);
    run_for(1 * us, Cause::host_queue_full);
  }

  // All that the op waits for is known by now, so its times are too.
  std::uint32_t issue(SimulatedOp op, std::int64_t submit, std::int64_t latency,
                      std::int64_t device_ns) {
    op.thread = thread_;
    op.submit = submit;
    op.arrival = submit + latency;
    op.begin = op.arrival;
    const auto after = [&](std::uint32_t before, std::int64_t gap) {
      if (before == kNone || run_.ops[before].end + gap <= op.begin) return;
      op.begin = run_.ops[before].end + gap;
      op.bound_by_launch = false;
    };
    after(last_[op.stream], kDispatch);
    for (const std::uint32_t awaited : awaited_[op.stream]) after(awaited, kDispatch);
    awaited_[op.stream].clear();
    op.end = op.begin + device_ns;
    step_end_ = std::max(step_end_, op.end);
    const auto at = static_cast<std::uint32_t>(run_.ops.size());
    last_[op.stream] = at;
    outstanding_.insert({op.end, at});
    run_.ops.push_back(std::move(op));
    return at;
  }

  void issue_async(SimulatedOp op, std::string_view api, const Action& action) {
    const std::int64_t begin = now();
    wait_for_slot();
    if (now() == begin) run_for(vary(action.host_ns), Cause::host_launch_api);
    op.stream = action.stream;
    op.correlation = ++correlation_;
    issue(std::move(op), now(), kLatency, vary(action.device_ns));
    record(HostKind::runtime_call, std::string(api), begin, correlation_, action.stream);
  }

  static SimulatedOp kernel(std::string name, Cause cause) {
    return {.kind = DeviceOpKind::kernel, .name = std::move(name), .cause = cause};
  }
  static SimulatedOp copy(CopyKind kind, MemoryKind from, MemoryKind to, Cause cause) {
    SimulatedOp op{.kind = DeviceOpKind::memcpy, .name = "Memcpy", .cause = cause};
    op.copy = kind;
    op.from = from;
    op.to = to;
    return op;
  }

  void launch_graph(const Action& action) {
    const std::int64_t begin = now();
    wait_for_slot();
    if (now() == begin) run_for(vary(action.host_ns), Cause::host_launch_api);
    ++correlation_;
    ++graph_;
    for (std::uint32_t i = 0; i < action.count; ++i) {
      SimulatedOp node = kernel("ampere_sgemm_128x64_nn", Cause::gpu_gemm);
      node.stream = action.stream;
      node.correlation = correlation_;
      node.graph = graph_;
      if (i > 0) node.ready_cause = Cause::graph_gap;
      issue(std::move(node), now(), kLatency, vary(action.device_ns));
    }
    record(HostKind::runtime_call, "cudaGraphLaunch", begin, correlation_, action.stream);
  }

  // Issued early in the call, which then waits for the copy's end.
  void copy_blocking(SimulatedOp op, std::string_view api, const Action& action) {
    const std::int64_t begin = now();
    op.stream = action.stream;
    op.correlation = ++correlation_;
    run_for(vary(action.host_ns), Cause::host_launch_api);
    const std::uint32_t at = issue(std::move(op), now(), kLatency, vary(action.device_ns));
    block_until(run_.ops[at].end, kNone, at);
    run_for(vary(6 * us), Cause::host_sync_return);
    record(HostKind::runtime_call, std::string(api), begin, correlation_, action.stream);
  }

  // Staged by the call, which returns before the record ends; the stream is its own.
  void copy_staged(const Action& action) {
    const std::int64_t begin = now();
    const std::uint32_t before = last_[action.stream];
    if (before != kNone) block_until(run_.ops[before].end, kNone, before);
    run_for(vary(action.host_ns), Cause::host_launch_api);
    SimulatedOp op = copy(CopyKind::host_to_device, MemoryKind::pageable, MemoryKind::device,
                          Cause::copy_h2d_pageable);
    op.stream = action.stream;
    op.bytes = kStagedBytes;
    op.correlation = ++correlation_;
    const std::uint32_t at = issue(std::move(op), now(), 0, vary(action.device_ns));
    run_until(run_.ops[at].end - kStagingTail, Cause::host_launch_api);
    record(HostKind::runtime_call, "cudaMemcpyAsync", begin, correlation_, action.stream);
  }

  // ---- waits ----------------------------------------------------------------------------------
  std::uint32_t last_of_device() const {
    std::uint32_t last = kNone;
    for (const std::uint32_t op : last_) {
      if (op != kNone && (last == kNone || run_.ops[op].end > run_.ops[last].end)) last = op;
    }
    return last;
  }

  void synchronize(std::string_view api, std::uint32_t op, const Action& action) {
    const std::int64_t begin = now();
    run_for(vary(action.host_ns), Cause::host_sync_return);
    if (op != kNone && run_.ops[op].end > now()) {
      block_until(run_.ops[op].end, kNone, op);
      run_for(vary(7 * us), Cause::host_sync_return);
    }
    const bool event = api == "cudaEventSynchronize";
    const bool stream = api == "cudaStreamSynchronize";
    record(HostKind::runtime_call, std::string(api), begin, 0, stream ? action.stream : kNone,
           event ? action.event : 0);
  }

  void api_call(std::string_view api, Cause cause, const Action& action, bool names_event = false) {
    const std::int64_t begin = now();
    run_for(vary(action.host_ns), cause);
    record(HostKind::runtime_call, std::string(api), begin, 0, names_event ? action.stream : kNone,
           names_event ? action.event : 0);
  }

  void wait_for_data(const Action& action) {
    const std::int64_t begin = now();
    batch_ready_ += vary(action.device_ns);
    run_until(std::max(now() + 1 * us, batch_ready_), Cause::host_data_wait);
    record(HostKind::user_scope, "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__",
           begin);
  }

  void load_here(const Action& action) {
    const std::int64_t begin = now();
    run_for(vary(action.host_ns), Cause::host_data_wait);
    record(HostKind::user_scope, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
           begin);
  }

  // ---- autograd -------------------------------------------------------------------------------
  void hand_off(const Action& action) {
    handed_off_at_ = now();
    run_for(vary(action.host_ns), engine_cause());
    const std::int64_t begin = now();
    thread_ = kWorker;
    block_until(begin, kLoop, kNone);
  }

  void hand_back(const Action& action) {
    const std::int64_t end = now();
    thread_ = kLoop;
    block_until(end, kWorker, kNone);
    run_for(vary(action.host_ns), engine_cause());
    if (!program_.recording.python) return;
    record(HostKind::python_function, "torch/autograd/graph.py(823): _engine_run_backward",
           handed_off_at_);
    record(HostKind::python_function,
           "<built-in method run_backward of torch._C._EngineBase object at 0x7f0000000000>",
           handed_off_at_);
  }

  void open() { open_[thread_].push_back(now()); }
  void close(HostKind kind, std::string_view name) {
    record(kind, std::string(name), open_[thread_].back());
    open_[thread_].pop_back();
  }

  void compute_on_cpu(const Action& action) {
    const std::int64_t begin = now();
    const bool ops = program_.recording.ops;
    run_for(vary(action.host_ns), ops ? Cause::host_compute_select : gap_cause());
    if (ops) record(HostKind::op, "aten::topk", begin);
  }

  void act(const Action& action) {
    line_ = action.line;
    switch (action.act) {
      case Act::python:
        return run_for(vary(action.host_ns), gap_cause());
      case Act::framework:
        return run_for(vary(action.host_ns), framework_cause());
      case Act::op_begin:
        return open();
      case Act::op_end:
        if (program_.recording.ops) return close(HostKind::op, "aten::addmm");
        return open_[thread_].pop_back();
      case Act::cpu_op:
        return compute_on_cpu(action);
      case Act::launch:
        return issue_async(kernel("ampere_sgemm_128x64_nn", Cause::gpu_gemm), "cudaLaunchKernel",
                           action);
      case Act::collective:
        return issue_async(kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", Cause::comm_transfer),
                           "cudaLaunchKernelExC", action);
      case Act::graph:
        return launch_graph(action);
      case Act::copy_pinned_h2d:
        return issue_async(copy(CopyKind::host_to_device, MemoryKind::pinned, MemoryKind::device,
                                Cause::copy_h2d_pinned),
                           "cudaMemcpyAsync", action);
      case Act::copy_pinned_d2h:
        return issue_async(
            copy(CopyKind::device_to_host, MemoryKind::device, MemoryKind::pinned, Cause::copy_d2h),
            "cudaMemcpyAsync", action);
      case Act::set:
        return issue_async(
            {.kind = DeviceOpKind::memset, .name = "Memset (Device)", .cause = Cause::copy_set},
            "cudaMemsetAsync", action);
      case Act::copy_pageable_h2d:
        return copy_staged(action);
      case Act::copy_pageable_d2h:
        return copy_blocking(copy(CopyKind::device_to_host, MemoryKind::device,
                                  MemoryKind::pageable, Cause::copy_d2h),
                             "cudaMemcpyAsync", action);
      case Act::memcpy_blocking:
        return copy_blocking(copy(CopyKind::host_to_device, MemoryKind::pinned, MemoryKind::device,
                                  Cause::copy_h2d_pinned),
                             "cudaMemcpy", action);
      case Act::event_record:
        events_[action.event] = last_[action.stream];
        return api_call("cudaEventRecord", Cause::host_launch_api, action, true);
      case Act::stream_wait_event:
        awaited_[action.stream].push_back(events_[action.event]);
        return api_call("cudaStreamWaitEvent", Cause::host_launch_api, action, true);
      case Act::sync_stream:
        return synchronize("cudaStreamSynchronize", last_[action.stream], action);
      case Act::sync_event:
        return synchronize("cudaEventSynchronize", events_[action.event], action);
      case Act::sync_device:
        return synchronize("cudaDeviceSynchronize", last_of_device(), action);
      case Act::alloc:
        return api_call("cudaMalloc", Cause::host_alloc, action);
      case Act::query:
        return api_call("cudaEventQuery", Cause::host_framework, action);
      case Act::data_wait:
        return wait_for_data(action);
      case Act::load_here:
        return load_here(action);
      case Act::hand_off:
        return hand_off(action);
      case Act::node_begin:
        return open();
      case Act::node_end:
        return close(HostKind::backward_node,
                     "autograd::engine::evaluate_function: AddmmBackward0");
      case Act::hand_back:
        return hand_back(action);
    }
  }

  const Program& program_;
  Random random_;
  Run run_;
  std::uint32_t thread_ = kLoop;
  std::array<std::int64_t, kThreads> time_{};
  std::array<std::uint32_t, kStreams> last_{};                    // op of each stream
  std::array<std::vector<std::uint32_t>, kStreams> awaited_;      // ops that its next one waits for
  std::array<std::uint32_t, 4> events_{};                         // op behind which it was recorded
  std::set<std::pair<std::int64_t, std::uint32_t>> outstanding_;  // by end
  std::array<std::vector<std::int64_t>, kThreads> open_;          // begins of open ranges
  std::vector<std::int64_t> work_ends_;
  std::int64_t step_end_ = 0;
  std::int64_t batch_ready_ = 0;
  std::int64_t handed_off_at_ = 0;
  std::size_t side_at_ = 0;
  std::uint32_t correlation_ = 0;
  std::uint32_t graph_ = 0;
  std::uint32_t line_ = 0;  // line of the current action
};

}  // namespace

Run execute(const Program& program, std::uint64_t noise_seed) {
  return Machine(program, noise_seed).execute();
}

}  // namespace stepscope::simulator
