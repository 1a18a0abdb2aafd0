// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/host/host_cause.hpp"

#include "core/attribution/device/operation_class.hpp"
#include "core/model/events.hpp"
#include "core/model/row_order.hpp"

namespace stepscope {
namespace {

// Two recorded calls belong to one burst where the thread took no longer than this between them, or
// where one user range holds both. A longer silence needs evidence, for the thread may have slept:
// its CPU clock, of which samples lie up to some milliseconds before the silence.
constexpr std::int64_t kBurstGapNs = 10'000'000;
constexpr double kAwake = 0.75, kAsleep = 0.75;
// While the loop takes a batch of tensors, it takes no longer than this from the one to the next. From
// this length on, it may have put a batch away and wait for the one whose turn it is.
constexpr std::int64_t kTensorGapNs = 1'000'000;

enum NameKind : std::uint16_t {
  kPlain = 0,
  kLoader = 1,     // DataLoader iteration
  kLock = 2,       // a Python-level wait for another thread or process
  kFile = 4,       // file input and output
  kEngine = 8,     // the autograd engine's C++ entry
  kProfiler = 16,  // torch.profiler's own Python
  kCollect = 64,   // gc.collect
  kWaits = 32,     // a sampled function that waits for a thread or a process
  kNode = 128,     // an autograd node
  kSleeps = 256,   // time.sleep
  kTake = 512,     // taking a batch from a DataLoader's worker
  kInherited = kLoader | kTake | kProfiler | kNode,
};

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Functions of the standard library as samples name them.
bool waits_for_others(std::string_view function) {
  for (const char* module : {"threading.", "queue.", "queues.", "selectors.", "connection.",
                             "synchronize.", "popen_fork.", "_base.Future."}) {
    if (function.starts_with(module)) return true;
  }
  return false;
}

// Another program makes no input for the loop, though the loop waits for it.
bool runs_a_program(std::string_view function) {
  return function.starts_with("subprocess.");
}

std::uint16_t kind_of_name(std::string_view name) {
  unsigned kind = kPlain;
  if (name.starts_with("enumerate(DataLoader)") || has(name, "torch/utils/data/dataloader.py"))
    kind |= kLoader;
  if (name.starts_with("enumerate(DataLoader)#_MultiProcessing")) kind |= kTake;
  if (has(name, "acquire of _thread.") || has(name, "'acquire' of '_thread.") ||
      has(name, "get of _queue.SimpleQueue") || has(name, "'get' of '_queue.SimpleQueue'") ||
      has(name, "built-in function select") || has(name, "poll of select.") ||
      has(name, "'poll' of 'select.") || has(name, "built-in function wait") ||
      has(name, "'__enter__' of '_thread.lock'")) {
    kind |= kLock;
  }
  if (has(name, " of _io.") || has(name, " of '_io.") || name == "<built-in function open>" ||
      name == "<built-in function fsync>")
    kind |= kFile;
  if (has(name, "run_backward")) kind |= kEngine;
  if (name.starts_with("torch/profiler/")) kind |= kProfiler;
  if (waits_for_others(name)) kind |= kWaits;
  if (name == "<built-in function collect>") kind |= kCollect;
  if (name == "<built-in function sleep>") kind |= kSleeps;
  return static_cast<std::uint16_t>(kind);
}

// A silence before a thread's first record, or behind its last, has no length of its own.
bool is_between_ranges(const HostTimeline& work, Interval time) {
  return work.previous_range(time.begin).innermost != kNone &&
         work.next_range(time.end).innermost != kNone;
}

}  // namespace

Cause cause_of_api(ApiKind api) {
  switch (api) {
    case ApiKind::alloc_device:
    case ApiKind::alloc_async:
    case ApiKind::free_device:
    case ApiKind::alloc_host:
      return Cause::host_alloc;
    case ApiKind::module_load:
      return Cause::host_module_load;
    case ApiKind::other:
    case ApiKind::event_query:
    case ApiKind::graph_build:
      return Cause::host_framework;
    default:
      return Cause::host_launch_api;
  }
}

// Returns the cause of an overhead, by the names that PyTorch's profiler and our collector give
// CUPTI's kinds.
Cause cause_of_overhead(std::string_view name) {
  if (has(name, "Loading") || has(name, "loading") || name == "Driver Compiler" ||
      name.starts_with("JIT "))
    return Cause::host_module_load;
  if (has(name, "Command Buffer Full")) return Cause::host_queue_full;
  return Cause::profiler;
}

HostCauses::HostCauses(const Trace& trace, const Threads& threads, const ThreadCpu& cpu,
                       const OptimizerWork& optimizer)
    : trace_(trace), threads_(threads), cpu_(cpu), optimizer_(optimizer) {
  for (ThreadId t = 0; t < trace.data().threads.size(); ++t) {
    annotations_.emplace_back(trace, t, TimelineOf::annotations);
  }
  for (StringId id = 0; id < trace.data().strings.size(); ++id) {
    op_class_.push_back(classify_cpu_op(trace.text(id)));
    name_kind_.push_back(kind_of_name(trace.text(id)));
  }
  inherit_kinds();
  find_api_calls();
}

Cause HostCauses::of(ThreadId thread, const Piece& piece) const {
  const RangeId range = piece.innermost;
  if (range == kNone) return of_gap(thread, piece);
  if (inside(kProfiler, range)) return Cause::profiler;
  switch (trace_.host_ranges().kind[range]) {
    case HostKind::runtime_call:
    case HostKind::driver_call:
      return cause_of_api(trace_.calls().api[trace_.call_of(range)]);
    case HostKind::garbage_collection:
      return Cause::host_gc;
    case HostKind::off_cpu:
      return Cause::host_off_cpu;
    case HostKind::io:
      return Cause::host_io;
    case HostKind::overhead:
      return cause_of_overhead(trace_.text(trace_.host_ranges().name[range]));
    default:
      break;
  }
  if (inside(kLoader, range)) return in_loader(piece);
  switch (trace_.host_ranges().kind[range]) {
    case HostKind::python_function:
      return of_python(range);
    case HostKind::op:
    case HostKind::backward_node:
      return of_op(range);
    default:
      return Cause::host_other;
  }
}

// Operations that a loader with workers runs in the loop's thread are no waiting, and neither is the way
// from one of them to the next.
Cause HostCauses::in_loader(const Piece& piece) const {
  const HostRanges& h = trace_.host_ranges();
  const RangeId range = piece.innermost;
  if (!inside(kTake, range)) return Cause::host_data_wait;
  const bool is_take = (name_kind_[h.name[range]] & kLoader) != 0;
  if (!is_take) return is_operation(range) ? Cause::host_data_take : Cause::host_data_wait;
  const bool between = piece.time.begin > h.begin[range] && piece.time.end < h.end[range];
  return between && piece.time.length() <= kTensorGapNs ? Cause::host_data_take
                                                        : Cause::host_data_wait;
}

bool HostCauses::is_operation(RangeId range) const {
  return family_of(trace_.host_ranges().kind[range]) == HostFamily::op;
}

bool HostCauses::is_lock(RangeId range) const {
  return (name_kind_[trace_.host_ranges().name[range]] & kLock) != 0;
}

Cause HostCauses::of_python(RangeId frame) const {
  const std::uint16_t kind = name_kind_[trace_.host_ranges().name[frame]];
  if (kind & kLock) return Cause::host_wait_thread;
  if (kind & kFile) return Cause::host_io;
  if (kind & kEngine) return Cause::host_framework;
  if (kind & kCollect) return Cause::host_gc;
  if (kind & kSleeps) return Cause::host_off_cpu;
  return Cause::host_python;
}

// An op that calls the CUDA API prepares device work, which is the framework's time. An op that
// does not is itself the work, unless it only makes views or allocates. Where a device was used and
// its calls were not recorded, the two cannot be distinguished.
Cause HostCauses::of_op(RangeId op) const {
  const bool calls_unseen = trace_.used_device() && !trace_.collected().api_calls;
  if (calls_unseen || trace_.host_ranges().kind[op] == HostKind::backward_node ||
      holds_api_call_[op])
    return Cause::host_framework;
  const Cause by_name = op_class_[trace_.host_ranges().name[op]];
  if (by_name == Cause::host_framework) return by_name;
  return optimizer_.holds(op) ? Cause::host_compute_optimizer : by_name;
}

// Rows of a thread are sorted by begin, so the first call that an op can hold is the next one.
void HostCauses::find_api_calls() {
  const HostRanges& h = trace_.host_ranges();
  holds_api_call_.resize(h.size());
  RangeId next = kNone;
  for (RangeId r = static_cast<RangeId>(h.size()); r-- > 0;) {
    holds_api_call_[r] = next != kNone && h.thread[next] == h.thread[r] && h.begin[next] < h.end[r];
    if (family_of(h.kind[r]) == HostFamily::api) next = r;
  }
}

// Parents stand before their children, so one pass in row order hands everything down.
void HostCauses::inherit_kinds() {
  const HostRanges& h = trace_.host_ranges();
  const std::vector<RangeId> enclosing = enclosing_ranges(h);
  enclosing_.resize(h.size());
  for (RangeId r = 0; r < h.size(); ++r) {
    const RangeId outer = enclosing[r];
    const std::uint16_t around = outer == kNone ? std::uint16_t{kPlain} : enclosing_[outer];
    const unsigned node = h.kind[r] == HostKind::backward_node ? kNode : kPlain;
    enclosing_[r] =
        static_cast<std::uint16_t>(name_kind_[h.name[r]] | node | (around & kInherited));
  }
}

// No op, call or frame was active. Between two recorded calls of one burst the thread was on its
// way from the one to the other.
Cause HostCauses::of_gap(ThreadId thread, const Piece& piece) const {
  const RangeId annotation = annotations_[thread].at(piece.time.begin).innermost;
  if (annotation != kNone && inside(kLoader, annotation)) return Cause::host_data_wait;
  const HostTimeline& work = threads_.work(thread);
  if (!is_between_ranges(work, piece.time)) return Cause::host_other;
  if (trace_.collected().framework_ops &&
      inside(kNode, work.previous_range(piece.time.begin).innermost) &&
      inside(kNode, work.next_range(piece.time.end).innermost)) {
    return Cause::host_framework;  // the autograd engine, from one node to the next
  }
  if (piece.time.length() <= kBurstGapNs) return Cause::host_between_calls;
  const bool one_range =
      annotation != kNone && trace_.host_ranges().end[annotation] >= piece.time.end;
  return one_range ? Cause::host_between_calls : of_silence(thread, piece.time);
}

std::optional<ThreadCpu::Use> HostCauses::use_in(ThreadId thread, const Piece& piece) const {
  if (piece.innermost != kNone || !is_between_ranges(threads_.work(thread), piece.time))
    return std::nullopt;
  if (piece.time.length() <= kBurstGapNs) return std::nullopt;
  return cpu_.use(thread, piece.time);
}

Cause HostCauses::of_silence(ThreadId thread, Interval time) const {
  const std::optional<ThreadCpu::Use> use = cpu_.use(thread, time);
  if (!use) return Cause::host_other;
  const auto length = static_cast<double>(time.length());
  const auto share = [length](std::int64_t ns) { return static_cast<double>(ns) / length; };
  if (share(use->ran + use->waited) >= kAwake) return Cause::host_between_calls;
  return share(use->slept) >= kAsleep ? Cause::host_off_cpu : Cause::host_other;
}

// A sample says what records leave open. What has an owner by its records keeps it, unless the
// collector of garbage ran in it.
Cause HostCauses::sampled(Cause by_records, const Piece& piece, std::uint32_t sample,
                          ThreadState state) const {
  const Samples& s = trace_.data().samples;
  if ((s.flags[sample] & kSampleCollecting) != 0) return Cause::host_gc;
  if (by_records == Cause::host_data_wait && state == ThreadState::awake &&
      inside(kTake, piece.innermost))
    return Cause::host_data_take;
  const bool is_open = by_records == Cause::host_between_calls || by_records == Cause::host_other ||
                       by_records == Cause::host_off_cpu || by_records == Cause::host_python;
  if (!is_open) return by_records;
  if ((s.flags[sample] & kSampleInLoader) != 0) return Cause::host_data_wait;
  if (state == ThreadState::unknown) return by_records;
  if (state == ThreadState::awake)
    return s.site[sample] != kNone || by_records == Cause::host_python ? Cause::host_python
                                                                       : Cause::host_between_calls;
  const AsleepIn in = asleep_in(sample);
  if (in == AsleepIn::file || (s.flags[sample] & kSampleInFile) != 0) return Cause::host_io;
  if (in == AsleepIn::child) return Cause::host_off_cpu;
  const unsigned names = name_kind_[s.called[sample]] | name_kind_[s.innermost[sample]];
  return (names & kWaits) != 0 ? Cause::host_wait_thread : Cause::host_off_cpu;
}

// The library waits for another program by reading its pipes.
AsleepIn HostCauses::asleep_in(std::uint32_t sample) const {
  const Samples& s = trace_.data().samples;
  const AsleepIn in = s.asleep_in[sample];
  const bool by_name = in != AsleepIn::file && runs_a_program(trace_.text(s.called[sample]));
  return by_name ? AsleepIn::child : in;
}

}  // namespace stepscope
