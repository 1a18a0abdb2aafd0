// SPDX-License-Identifier: Apache-2.0
#include "core/simulate/graph/host_tasks.hpp"

#include <algorithm>

#include "core/attribution/host/threads.hpp"

namespace stepscope {
namespace {

// Below this a thing waited for was there already.
constexpr std::int64_t kRealWaitNs = 20'000;

bool is_api(const HostRanges& h, RangeId range) {
  return family_of(h.kind[range]) == HostFamily::api;
}

}  // namespace

HostTasks::HostTasks(const ProcessIndex& index, const LoaderTakes& takes,
                     const std::map<ThreadId, std::uint32_t>& numbers)
    : index_(index), takes_(takes), trace_(index.trace), numbers_(numbers) {
  for (const char* name : {"aten::item", "aten::_local_scalar_dense", "aten::is_nonzero"}) {
    const StringId id = trace_.data().strings.find(name);
    if (id != kNone) read_ops_.push_back(id);
  }
  // A range stands behind its parent. Once for all: a deep stack would be climbed for each piece.
  const HostRanges& h = trace_.host_ranges();
  outermost_call_.assign(h.size(), kNone);
  made_in_.assign(h.size(), kNone);
  for (RangeId r = 0; r < h.size(); ++r) {
    if (h.parent[r] != kNone) {
      outermost_call_[r] = outermost_call_[h.parent[r]];
      made_in_[r] = made_in_[h.parent[r]];
    }
    if (outermost_call_[r] == kNone && is_api(h, r)) outermost_call_[r] = r;
    const RangeId made_in = index.sites.made_in(r);
    if (made_in != kNone) made_in_[r] = made_in;
  }
}

void HostTasks::append(Interval time, std::uint32_t step, std::vector<HostTask>& out) {
  tasks_.clear();
  bursts_.clear();
  step_ = step;
  for (const auto& [thread, number] : numbers_) {
    if (thread != index_.threads.loop()) thread_tasks(thread, time);
  }
  std::erase_if(bursts_, [this](const Burst& burst) { return loop_calls_in(burst.time); });
  std::sort(bursts_.begin(), bursts_.end(),
            [](const Burst& a, const Burst& b) { return a.time.begin < b.time.begin; });
  thread_tasks(index_.threads.loop(), time);
  charge_gaps_to_next_call();
  std::stable_sort(tasks_.begin(), tasks_.end(),
                   [](const HostTask& a, const HostTask& b) { return a.begin < b.begin; });
  std::int64_t loop_until = time.begin;
  for (HostTask& task : tasks_) {
    if (task.thread == 0) loop_until = task.end;
    if (task.rejoins) task.follows_ns = static_cast<double>(task.begin - loop_until);
  }
  out.insert(out.end(), tasks_.begin(), tasks_.end());
}

void HostTasks::thread_tasks(ThreadId thread, Interval time) {
  const HostTimeline& work = index_.threads.work(thread);
  const bool is_loop = thread == index_.threads.loop();
  is_worker_ = index_.threads.is_worker(thread);
  resumes_ = !is_loop;
  std::int64_t t = time.begin;
  const RangeId open = call_around(work.at(t).innermost, t);
  if (open != kNone && trace_.host_ranges().begin[open] < t) t = trace_.host_ranges().end[open];
  while (t < time.end) {
    const Piece piece = work.at(t);
    const RangeId call = call_around(piece.innermost, t);
    if (call != kNone) {
      t = std::max(add_call(thread, call), t + 1);
      continue;
    }
    const Interval part{t, std::min(piece.time.end, time.end)};
    const bool begins = is_worker_ && piece.innermost == kNone &&
                        begins_burst(trace_, index_.threads, thread, piece);
    if (begins || (!is_loop && !is_worker_ && sleeps(thread, piece))) {
      resumes_ = true;
    } else if (is_loop) {
      add_loop_work(thread, piece, part);
    } else {
      add_work(thread, piece, part);
    }
    t = part.end;
  }
}

// The outermost call that holds this moment.
RangeId HostTasks::call_around(RangeId range, std::int64_t time) const {
  const RangeId call = range == kNone ? kNone : outermost_call_[range];
  return call != kNone && trace_.host_ranges().end[call] > time ? call : kNone;
}

bool HostTasks::loop_calls_in(Interval time) const {
  const HostRanges& h = trace_.host_ranges();
  const Rows rows = trace_.ranges_of(index_.threads.loop());
  const auto first =
      std::upper_bound(h.begin.begin() + rows.begin, h.begin.begin() + rows.end, time.begin);
  for (auto r = static_cast<RangeId>(first - h.begin.begin());
       r < rows.end && h.begin[r] < time.end; ++r) {
    if (is_api(h, r)) return true;
  }
  return false;
}

bool HostTasks::sleeps(ThreadId thread, const Piece& piece) const {
  return piece.innermost == kNone || index_.causes.of(thread, piece) == Cause::host_wait_thread;
}

HostTask HostTasks::task_at(ThreadId thread, Interval time, RangeId range) const {
  HostTask task;
  task.begin = time.begin;
  task.end = time.end;
  task.ns = static_cast<double>(time.length());
  task.thread = numbers_.at(thread);
  task.range = range;
  task.step = step_;
  task.takes = thread == index_.threads.loop() && takes_.at(time.begin) != nullptr;
  task.phase = index_.phases.at(thread, time.begin).phase;
  const CodeLine line = index_.sites.at(thread, time.begin, range);
  task.site = line.site;
  task.direction = line.direction;
  const RangeId made_in = range == kNone ? kNone : made_in_[range];
  if (made_in != kNone) {
    const HostRanges& h = trace_.host_ranges();
    task.forward_phase = index_.phases.at(h.thread[made_in], h.begin[made_in]).phase;
  }
  return task;
}

std::int64_t HostTasks::add_call(ThreadId thread, RangeId call) {
  const HostRanges& h = trace_.host_ranges();
  HostTask task = task_at(thread, {h.begin[call], h.end[call]}, call);
  task.call = trace_.call_of(call);
  task.api = trace_.calls().api[task.call];
  task.cause = cause_of_api(task.api);
  task.records = 1;
  for (RangeId r = call + 1; r < h.size() && h.thread[r] == thread && h.begin[r] < h.end[call]; ++r)
    task.records += 1;
  push(task);
  return h.end[call];
}

// One task for each phase and each line at which the thread was seen: a silence may hold several.
void HostTasks::add_work(ThreadId thread, const Piece& piece, Interval time) {
  if (time.empty()) return;
  const HostRanges& h = trace_.host_ranges();
  const Cause by_records = index_.threads.is_worker(thread) && piece.innermost == kNone
                               ? Cause::host_framework
                               : index_.causes.of(thread, piece);
  const bool is_op =
      piece.innermost != kNone && family_of(h.kind[piece.innermost]) == HostFamily::op;
  const bool waits = waits_for_producer(thread, piece, by_records);
  std::vector<HostTask> parts;
  for (std::int64_t end = time.end; end > time.begin; end = parts.back().begin) {
    Interval part{std::max(time.begin, index_.phases.at(thread, end - 1).since), end};
    if (waits) part.begin = time.begin;
    const SampledPieces::Part seen =
        waits ? SampledPieces::Part{part.begin, by_records}
              : index_.sampled.part_before(thread, piece, end, by_records);
    part.begin = std::max(part.begin, seen.since);
    HostTask task = task_at(thread, part, piece.innermost);
    task.cause = seen.cause;
    task.reads = is_read(piece.innermost);
    if (!is_op && seen.site != kNone) task.site = seen.site;
    if (!waits && !is_op) task.site = line_of(thread, piece, task);
    parts.push_back(task);
  }
  const bool begins = piece.innermost != kNone && h.begin[piece.innermost] == piece.time.begin;
  parts.back().records = begins ? 1 : 0;
  if (waits) parts.back().producer = producer_of(piece);
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) push(*part);
}

// Returns the line that the partition gives the piece; else a fix of a line would leave time that
// the report shows there.
SiteId HostTasks::line_of(ThreadId thread, const Piece& piece, const HostTask& task) const {
  if (task.site == kNone && task.cause == Cause::comm_wait) {
    const RangeId asked = index_.threads.work(thread).previous_range(task.begin).innermost;
    return index_.sites.at(thread, task.begin, asked).site;
  }
  const bool off_cpu = task.cause == Cause::host_off_cpu || task.cause == Cause::host_core_wait;
  const bool to_next =
      task.cause == Cause::host_between_calls || (off_cpu && piece.innermost == kNone);
  if (task.site != kNone || !to_next) return task.site;
  return index_.sites.at(thread, task.begin, on_its_way(index_.threads, thread, task.end)).site;
}

bool HostTasks::is_read(RangeId range) const {
  return range != kNone && std::find(read_ops_.begin(), read_ops_.end(),
                                     trace_.host_ranges().name[range]) != read_ops_.end();
}

bool HostTasks::waits_for_producer(ThreadId thread, const Piece& piece, Cause cause) const {
  if (piece.innermost == kNone) return false;
  const LoaderTake* take = thread == index_.threads.loop() ? takes_.at(piece.time.begin) : nullptr;
  if (take != nullptr) return piece.time.begin <= take->time.begin;
  if (piece.time.length() < kRealWaitNs) return false;
  return cause == Cause::host_wait_thread ||
         (cause == Cause::host_data_wait && index_.causes.is_lock(piece.innermost));
}

std::uint32_t HostTasks::producer_of(const Piece& piece) {
  if (const LoaderTake* take = takes_.at(piece.time.begin)) return take->loader;
  const StringId name = trace_.host_ranges().name[piece.innermost];
  const std::uint32_t next = producers();
  return locks_.try_emplace(name, next).first->second;
}

// Adds the loop's work without the stretches in which autograd nodes ran for it, unless it made
// calls meanwhile.
void HostTasks::add_loop_work(ThreadId thread, const Piece& piece, Interval time) {
  for (const Burst& burst : bursts_) {
    if (burst.time.end <= time.begin || burst.time.begin >= time.end) continue;
    add_work(thread, piece, {time.begin, burst.time.begin});
    if (burst.time.end > time.end) return;
    HostTask join = task_at(thread, {burst.time.end, burst.time.end}, piece.innermost);
    join.cause = Cause::host_framework;
    join.follows = burst.thread;
    push(join);
    time.begin = std::max(time.begin, burst.time.end);
  }
  add_work(thread, piece, time);
}

// Neighbours that differ in nothing that an edit asks for are one task.
void HostTasks::push(HostTask task) {
  const bool is_loop = task.thread == 0;
  if (resumes_ && !is_loop) {
    task.follows = 0;
    task.rejoins = !is_worker_;
    if (!task.rejoins) bursts_.push_back({task.thread, {task.begin, task.end}});
    resumes_ = false;
  } else if (!is_loop && !bursts_.empty() && bursts_.back().thread == task.thread) {
    bursts_.back().time.end = task.end;
  }
  const bool plain = task.call == kNone && task.producer == kNone && task.follows == kNone;
  if (plain && !tasks_.empty()) {
    HostTask& last = tasks_.back();
    if (last.thread == task.thread && last.call == kNone && last.producer == kNone &&
        last.end == task.begin && last.phase == task.phase && last.site == task.site &&
        last.forward_phase == task.forward_phase && last.cause == task.cause &&
        last.reads == task.reads && last.takes == task.takes && last.begin < last.end) {
      last.end = task.end;
      last.ns += task.ns;
      last.records += task.records;
      return;
    }
  }
  tasks_.push_back(task);
}

// Between two calls a thread is on its way to the later one.
void HostTasks::charge_gaps_to_next_call() {
  std::map<std::uint32_t, SiteId> next_site;
  for (auto task = tasks_.rbegin(); task != tasks_.rend(); ++task) {
    if (task->call != kNone) {
      next_site[task->thread] = task->site;
    } else if (task->site == kNone && next_site.contains(task->thread)) {
      task->site = next_site[task->thread];
    }
  }
}

}  // namespace stepscope
