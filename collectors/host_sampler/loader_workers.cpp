// SPDX-License-Identifier: Apache-2.0
#include "collectors/host_sampler/loader_workers.hpp"

#include <algorithm>
#include <array>
#include <cerrno>

#include "collectors/host_sampler/child_processes.hpp"
#include "collectors/host_sampler/thread_clock.hpp"
#include "collectors/recorder/clock.hpp"
#include "core/model/events.hpp"

namespace stepscope::host_sampler {
namespace {

constexpr std::int64_t kListEvery_ns = 100'000'000;
constexpr std::uint8_t kMostMisses = 50;

}  // namespace

void LoaderWorkers::wait_begins(pid_t tid, std::int64_t now_ns, SampleQueue& queue) noexcept {
  // A thread without children (one that pins memory waits in the loader, too) does not use up the
  // time of the one that has them.
  if (count_ == 0 || now_ns - listed_at_ns_ >= kListEvery_ns) list(tid, now_ns, queue);
  for (std::size_t i = 0; i < count_; ++i) workers_[i].cpu = 0;
}

void LoaderWorkers::wait_goes_on(pid_t tid, std::int64_t now_ns, SampleQueue& queue) noexcept {
  if (now_ns - std::max(listed_at_ns_, asked_at_ns_) < kListEvery_ns) return;
  asked_at_ns_ = now_ns;
  list(tid, now_ns, queue);
}

void LoaderWorkers::list(pid_t tid, std::int64_t now_ns, SampleQueue& queue) noexcept {
  if (!list_children(tid)) return;
  listed_at_ns_ = now_ns;
  drop_ended(queue);
}

bool LoaderWorkers::list_children(pid_t tid) noexcept {
  std::array<pid_t, kMostWorkers> pids{};
  const std::size_t count = children_of(tid, pids).value_or(0);
  if (count == 0) return false;
  for (std::size_t i = 0; i < count_; ++i) workers_[i].listed = false;
  for (std::size_t i = 0; i < count; ++i) add(pids[i]);
  return true;
}

void LoaderWorkers::drop_ended(SampleQueue& queue) noexcept {
  for (std::size_t i = 0; i < count_; ++i) {
    if (!workers_[i].listed && process_cpu_ns(workers_[i].pid) == 0) tell_end(workers_[i], queue);
  }
  const auto gone = std::remove_if(workers_.begin(), workers_.begin() + count_,
                                   [](const Worker& worker) { return !worker.listed; });
  count_ = static_cast<std::size_t>(gone - workers_.begin());
}

void LoaderWorkers::tell_end(Worker& worker, SampleQueue& queue) noexcept {
  if (!worker.was_seen) return;
  worker.was_seen = false;
  queue.put({.time = recorder::clock_ns(CLOCK_REALTIME),
             .tid = worker.pid,
             .flags = kSampleWorker | kSampleEnded});
}

void LoaderWorkers::add(pid_t pid) noexcept {
  for (std::size_t i = 0; i < count_; ++i) {
    if (workers_[i].pid == pid) {
      workers_[i].listed = true;
      return;
    }
  }
  if (count_ < kMostWorkers) workers_[count_++] = {.pid = pid, .listed = true};
}

void LoaderWorkers::sample(PythonState& python, CodeTable& codes, SampleQueue& queue) noexcept {
  const std::size_t wanted = std::min(count_, kAtOnce);
  for (std::size_t i = 0; i < wanted; ++i) {
    next_ = (next_ + 1) % count_;
    sample_one(workers_[next_], python, codes, queue);
  }
}

void LoaderWorkers::sample_one(Worker& worker, PythonState& python, CodeTable& codes,
                               SampleQueue& queue) noexcept {
  if (worker.is_other) return;
  const std::uint64_t cpu = process_cpu_ns(worker.pid);
  if (cpu == 0) return tell_end(worker, queue);
  if (worker.cpu != 0 && cpu - worker.cpu < kMoved_ns) return;
  ProcessMemory memory(worker.pid);
  errno = 0;
  if (worker.thread == 0) worker.thread = python.thread_in_fork(memory, worker.pid);
  if (worker.thread == 0) {
    const bool is_refused = errno == EPERM;
    if (is_refused) refused_.store(true, std::memory_order_relaxed);
    worker.is_other = is_refused || ++worker.misses >= kMostMisses;
    return;
  }
  Place place;
  switch (read_place(memory, python.interpreter().layout, codes, worker.thread, Whose::maybe_worker,
                     place)) {
    case Reading::torn:
      torn_.fetch_add(1, std::memory_order_relaxed);
      return;
    case Reading::nothing:
      return;
    case Reading::place:
      break;
  }
  worker.cpu = cpu;
  if ((place.flags & kSampleWorker) == 0) return;  // not yet in its loop, or no worker
  worker.was_seen = true;
  queue.put({.time = recorder::clock_ns(CLOCK_REALTIME),
             .tid = worker.pid,
             .site = place.site,
             .called = place.called,
             .innermost = place.innermost,
             .flags = place.flags});
}

}  // namespace stepscope::host_sampler
