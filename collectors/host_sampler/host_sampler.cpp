// SPDX-License-Identifier: Apache-2.0
#include "collectors/host_sampler/host_sampler.hpp"

#include <linux/futex.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <new>
#include <string>

#include "collectors/host_sampler/child_processes.hpp"
#include "collectors/host_sampler/rests.hpp"
#include "collectors/host_sampler/thread_clock.hpp"
#include "collectors/recorder/clock.hpp"
#include "collectors/recorder/draining/writer_thread.hpp"
#include "collectors/recorder/process_state.hpp"
#include "core/model/events.hpp"

namespace stepscope::host_sampler {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
// The system sums the clocks of all threads for each reading.
constexpr std::int64_t kBetweenProcessReadings = kSecond / 20;
// The system opens a file for each thread, and answers a call for each child.
constexpr std::int64_t kBetweenChildReadings = kSecond / 5;
constexpr timespec kAtMost{1, 0};
// Share of the time between two samples on a core from which on a thread cannot have waited for
// one.
constexpr double kAllTheTime = 0.98;

constinit std::atomic<std::uint32_t> switched_off{0};

}  // namespace

void switch_sampling(bool on) noexcept {
  switched_off.store(on ? 0 : 1, std::memory_order_release);
  if (on) syscall(SYS_futex, &switched_off, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

HostSampler::HostSampler(const Options& options) noexcept
    : options_(options), own_(getpid()), python_(own_) {}

bool HostSampler::start() noexcept {
  return recorder::start_background_thread(thread_main, this);
}

void* HostSampler::thread_main(void* sampler) {
  recorder::become_background_thread("stepscope-look");
  static_cast<HostSampler*>(sampler)->run();
  return nullptr;
}

void HostSampler::run() noexcept {
  works_ = options_.reads_frames && own_.works(reinterpret_cast<Address>(this));
  if (options_.reads_frames && !works_)
    recorder::note(
        "host samples have no Python lines: this system lets a process read neither its "
        "own memory by process_vm_readv nor /proc/self/mem");
  if (can_see_calls(gettid())) recorder::collecting(recorder::Collector::io);
  Rests rests;
  std::int64_t cpu = recorder::clock_ns(CLOCK_THREAD_CPUTIME_ID);
  while (stop_.load(std::memory_order_acquire) == 0 && recorder::is_armed()) {
    while (switched_off.load(std::memory_order_acquire) != 0 &&
           stop_.load(std::memory_order_acquire) == 0)
      syscall(SYS_futex, &switched_off, FUTEX_WAIT_PRIVATE, 1, &kAtMost, nullptr, 0);
    if (recorder::is_capturing()) look();
    const std::int64_t now = recorder::clock_ns(CLOCK_THREAD_CPUTIME_ID);
    sleep(uneven(std::max(std::int64_t{options_.period_us} * 1000, rests.after(now - cpu))));
    cpu = now;
    cpu_ns_.store(now, std::memory_order_relaxed);
  }
}

void HostSampler::look() noexcept {
  if (!copy_rings()) return;
  looks_.fetch_add(1, std::memory_order_relaxed);
  read_process_clock();
  read_children();
  bool loader_waits = false;
  for (Watched& watched : watched_) {
    if (watched.ring == nullptr) continue;
    sample(watched);
    if (!watched.in_loader()) continue;
    loader_waits = true;
    workers_.wait_goes_on(watched.tid, recorder::clock_ns(CLOCK_REALTIME), queue_);
  }
  if (loader_waits && works_ && python_.is_ready()) workers_.sample(python_, *codes_, queue_);
}

void HostSampler::read_process_clock() noexcept {
  const std::int64_t now = recorder::clock_ns(CLOCK_REALTIME);
  if (now - process_clock_read_at_ < kBetweenProcessReadings) return;
  process_clock_read_at_ = now;
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  const std::int64_t system = use.ru_stime.tv_sec * 1'000'000'000L + use.ru_stime.tv_usec * 1'000L;
  process_use_.put({now, recorder::clock_ns(CLOCK_PROCESS_CPUTIME_ID), system, use.ru_minflt});
}

// A process that another thread forked is not seen before that thread records.
void HostSampler::read_children() noexcept {
  const std::int64_t now = recorder::clock_ns(CLOCK_REALTIME);
  if (now - children_read_at_ < kBetweenChildReadings) return;
  children_read_at_ = now;
  const pid_t main_thread = getpid();
  read_child_clocks(main_thread, now, child_use_);
  for (const Watched& watched : watched_)
    if (watched.ring != nullptr && watched.tid != main_thread)
      read_child_clocks(watched.tid, now, child_use_);
}

// Copies the list of rings, by their place; another ring at a place begins anew.
bool HostSampler::copy_rings() noexcept {
  auto& process = recorder::process;
  if (!process.lock.try_lock()) return false;
  const std::uint32_t count = process.ring_count.load(std::memory_order_acquire);
  if (watched_.capacity() < count) {
    process.lock.unlock();
    watched_.reserve(std::max<std::size_t>(64, 2 * std::size_t{count}));
    return false;
  }
  watched_.resize(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const recorder::RingHeader* ring = process.rings[i].load(std::memory_order_acquire);
    Watched& watched = watched_[i];
    const bool lives = ring != nullptr && ring->finished.load(std::memory_order_relaxed) == 0;
    if (!lives) {
      watched = {};
      continue;
    }
    const auto tid = static_cast<pid_t>(ring->tid);
    if (watched.ring != ring || watched.tid != tid)
      watched = {.ring = ring, .tid = tid, .last = {}};
    watched.records = ring != process.watched.load(std::memory_order_acquire);
  }
  process.lock.unlock();
  return true;
}

bool HostSampler::Watched::in_loader() const noexcept {
  return (last.flags & kSampleInLoader) != 0;
}

bool HostSampler::Watched::sleeps() const noexcept {
  return (last.flags & kSampleStateMask) == kSampleSlept;
}

void HostSampler::sample(Watched& watched) noexcept {
  const std::uint64_t cpu = thread_cpu_ns(watched.tid);
  if (cpu == 0) return;
  if (watched.last.cpu != 0 && cpu - watched.last.cpu < kMoved_ns) {
    if (watched.sleeps()) watched.asleep_at = recorder::clock_ns(CLOCK_REALTIME);
    // A runnable thread may wait long for a core, and no clock shows the wait before it gets one.
    if (watched.sleeps() || is_runnable(watched.tid)) return;
  }
  Place place = place_of(watched);
  const std::uint64_t cpu_now = thread_cpu_ns(watched.tid);
  const std::int64_t now = recorder::clock_ns(CLOCK_REALTIME);
  const bool is_running = cpu_now != cpu;
  const bool is_ready = is_running || is_runnable(watched.tid);
  // Threads that wait for the one that collects sleep.
  if (!is_ready) place.flags &= static_cast<std::uint8_t>(~kSampleCollecting);
  const bool is_worker = (place.flags & kSampleWorker) != 0;
  const AsleepIn waits_for = is_ready || is_worker ? AsleepIn::unknown : asleep_in(watched.tid);
  place.flags |= is_running ? kSampleRan : is_ready ? kSampleWaits : kSampleSlept;
  const bool enters_loader = (place.flags & kSampleInLoader) != 0 && !watched.in_loader();
  put_asleep(watched);
  if (enters_loader) workers_.wait_begins(watched.tid, now, queue_);
  put(watched, {now, watched.tid, cpu_now, 0, place.site, place.called, place.innermost,
                place.flags, waits_for});
  if (!watched.records && watched.thread != 0) count_loops(watched, now);
}

void HostSampler::count_loops(const Watched& watched, std::int64_t time) noexcept {
  if (loops_ == nullptr) loops_.reset(new (std::nothrow) LoopCounts(python_.interpreter()));
  if (loops_ == nullptr) return;
  for (const LoopCount& count : loops_->read(own_, *codes_, watched.thread))
    loop_queue_.put({time, watched.tid, count});
}

// Returns the thread's place, without a line where the thread has no frame of Python, or ran on
// while it was read.
Place HostSampler::place_of(Watched& watched) noexcept {
  Place place;
  if (!works_ || !python_.is_ready()) return place;
  if (codes_ == nullptr) codes_.reset(new (std::nothrow) CodeTable(python_.interpreter()));
  watched.thread = codes_ == nullptr ? 0 : python_.thread_of(watched.tid, watched.thread);
  if (watched.thread == 0) return place;
  const Reading reading = read_place(own_, python_.interpreter().layout, *codes_, watched.thread,
                                     options_.whose, place);
  if (reading == Reading::torn) {
    torn_.fetch_add(1, std::memory_order_relaxed);
    place = {};
  }
  if (python_.is_collecting()) place.flags |= kSampleCollecting;
  return place;
}

void HostSampler::put_asleep(Watched& watched) noexcept {
  if (watched.asleep_at == 0) return;
  watched.last.time = watched.asleep_at;
  queue_.put(watched.last);
}

// A thread that has run all the time since its last sample waited for no core.
void HostSampler::put(Watched& watched, const Sample& sample) noexcept {
  const Sample last = watched.last;
  watched.last = sample;
  watched.asleep_at = 0;
  const auto passed = static_cast<double>(sample.time - last.time);
  const bool ran_all_time =
      last.waited != 0 && static_cast<double>(sample.cpu - last.cpu) >= kAllTheTime * passed;
  watched.last.waited = ran_all_time ? last.waited : thread_wait_ns(sample.tid);
  queue_.put(watched.last);
  taken_.fetch_add(1, std::memory_order_relaxed);
}

// Returns three to five quarters of the time, by a linear congruential generator.
std::int64_t HostSampler::uneven(std::int64_t ns) noexcept {
  random_ = random_ * 1664525U + 1013904223U;
  return ns / 4 * 3 + ns / 512 * static_cast<std::int64_t>(random_ >> 24U);
}

void HostSampler::sleep(std::int64_t ns) noexcept {
  const timespec limit{ns / kSecond, ns % kSecond};
  syscall(SYS_futex, &stop_, FUTEX_WAIT_PRIVATE, 0, &limit, nullptr, 0);
}

// A process that ends without its exit handlers, as forked workers do, loses what is not collected: at
// most an eighth of its life.
bool HostSampler::due(std::int64_t now) noexcept {
  if (first_asked_ns_ == 0) first_asked_ns_ = now;
  const std::int64_t between = std::clamp((now - first_asked_ns_) / 8, kSecond / 20, kSecond);
  return !queue_.empty() && now - last_collect_ns_ >= between;
}

bool HostSampler::collect(EventBatch& batch, StoreWriter& store, bool last) noexcept {
  if (last) {
    stop_.store(1, std::memory_order_release);
    syscall(SYS_futex, &stop_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
    write_totals(store);
  }
  last_collect_ns_ = recorder::clock_ns(CLOCK_MONOTONIC);
  Samples& rows = batch.samples;
  Sample sample;
  while (queue_.take(sample)) {
    rows.time.push_back(sample.time);
    rows.thread.push_back(thread(sample, store));
    rows.site.push_back(site(sample.site, store));
    rows.called.push_back(text(sample.called, store));
    rows.innermost.push_back(text(sample.innermost, store));
    rows.cpu.push_back(sample.cpu);
    rows.flags.push_back(sample.flags);
    rows.asleep_in.push_back(sample.asleep_in);
    if (sample.waited != 0) add_wait(sample, batch.counters, store);
  }
  ProcessUse use;
  while (process_use_.take(use)) {
    add_reading(use.time, kProcessCpuTrack, use.cpu, batch.counters, store);
    add_reading(use.time, kProcessSystemTrack, use.system, batch.counters, store);
    add_reading(use.time, kPageFaultsTrack, use.page_faults, batch.counters, store);
  }
  ChildUse child;
  while (child_use_.take(child))
    add_reading(child.time, kChildCpuTrack + std::to_string(child.pid), child.cpu, batch.counters,
                store);
  LoopSample loop;
  while (loop_queue_.take(loop)) add_loop(loop, batch.counters, store);
  return false;
}

void HostSampler::add_reading(std::int64_t time, const std::string& track, std::int64_t value,
                              Counters& counters, StoreWriter& store) {
  counters.time.push_back(time);
  counters.track.push_back(store.intern(track));
  counters.process.push_back(0);
  counters.value.push_back(static_cast<double>(value));
}

void HostSampler::add_loop(const LoopSample& sample, Counters& counters, StoreWriter& store) {
  const LoopCount& count = sample.count;
  const recorder::SessionView& view = recorder::process.dictionary.view();
  const std::string loop = std::to_string(sample.tid) + "." + std::to_string(count.slots) + "." +
                           std::string(view.known_name(count.function)) + "|" +
                           std::string(view.known_name(count.file)) +
                           (count.line == 0 ? "" : ":" + std::to_string(count.line));
  add_reading(sample.time, kLoopPositionTrack + loop, count.position, counters, store);
  if (count.end >= 0) add_reading(sample.time, kLoopEndTrack + loop, count.end, counters, store);
}

void HostSampler::add_wait(const Sample& sample, Counters& counters, StoreWriter& store) {
  add_reading(sample.time, kThreadWaitTrack + std::to_string(sample.tid),
              static_cast<std::int64_t>(sample.waited), counters, store);
}

// The thread may still be in its last look: a figure may lack that.
void HostSampler::write_totals(StoreWriter& store) const noexcept {
  const auto text_of = [](const auto& total) {
    return std::to_string(total.load(std::memory_order_relaxed));
  };
  const std::uint64_t torn = torn_.load(std::memory_order_relaxed) + workers_.torn();
  store.fact("host_samples", text_of(taken_));
  store.fact("host_samples.torn", std::to_string(torn));
  store.fact("host_samples.looks", text_of(looks_));
  store.fact("host_samples.cpu_ns", text_of(cpu_ns_));
  if (workers_.was_refused())
    store.fact("host_samples.workers", "the system forbids to read the memory of a child process");
}

StringId HostSampler::text(recorder::NameId name, StoreWriter& store) {
  return name == 0 ? 0 : store.intern(recorder::process.dictionary.view().known_name(name));
}

SiteId HostSampler::site(recorder::SiteRef site, StoreWriter& store) {
  if (site == 0) return kNone;
  const recorder::SiteEntry entry = recorder::process.dictionary.view().known_site(site);
  return store.site({text(entry.file, store), entry.line, text(entry.function, store)});
}

ThreadId HostSampler::thread(const Sample& sample, StoreWriter& store) {
  const ThreadId thread = store.thread(sample.tid);
  const bool is_worker = (sample.flags & kSampleWorker) != 0;
  if (is_worker && std::find(named_.begin(), named_.end(), sample.tid) == named_.end()) {
    named_.push_back(sample.tid);
    store.name_thread(thread, "DataLoader worker");
  }
  return thread;
}

}  // namespace stepscope::host_sampler
