// SPDX-License-Identifier: Apache-2.0
#include "collectors/recorder/process_state.hpp"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <mutex>

#include "collectors/recorder/capture/capture.hpp"
#include "collectors/recorder/clock.hpp"
#include "collectors/recorder/draining/writer_thread.hpp"
#include "collectors/recorder/live_files/liveness.hpp"
#include "collectors/recorder/live_files/ring.hpp"

namespace stepscope::recorder {

constinit ProcessState process;
thread_local constinit RingHeader* thread_ring __attribute__((tls_model("initial-exec"))) = nullptr;

namespace {

constexpr std::uint32_t kWatchedSlots = 256;  // slots of a ring that stays empty

thread_local constinit bool thread_ended __attribute__((tls_model("initial-exec"))) = false;
pthread_key_t thread_end_key;

void on_thread_end(void* /*ring*/) {
  RingHeader* ring = thread_ring;
  thread_ended = true;
  thread_ring = nullptr;
  if (ring != nullptr) ring->finished.store(1, std::memory_order_release);
}

void before_fork() {
  process.lock.lock();
  process.dictionary.lock().lock();
}

void after_fork_in_parent() {
  process.dictionary.lock().unlock();
  process.lock.unlock();
}

void keep_sources_that_outlive_a_fork() {
  std::size_t kept = 0;
  for (auto& place : process.sources) {
    RowSource* source = place.exchange(nullptr);
    if (source != nullptr && source->outlives_fork()) process.sources[kept++] = source;
  }
}

// Only the forking thread is here. The parent's rings and file stay the parent's.
void after_fork_in_child() {
  const bool was_recording = is_armed();
  const bool good = process.dictionary.unshare();
  for (std::uint32_t i = 0; i < process.ring_count; ++i) {
    RingHeader* ring = process.rings[i].exchange(nullptr, std::memory_order_relaxed);
    if (ring != nullptr) close_ring(ring);
  }
  process.watched = nullptr;
  process.ring_taken.reset();
  process.ring_count = process.wake = process.stop = process.done = 0;
  keep_sources_that_outlive_a_fork();
  process.sources_stop = process.sources_done = 0;
  thread_ring = nullptr;
  process.began_ns = clock_ns(CLOCK_MONOTONIC);
  restart_capture();
  process.phase = was_recording && good ? Phase::armed : Phase::closed;
  process.dictionary.lock().unlock();
  process.lock.unlock();
}

void set_stem() noexcept {
  char host[256] = "host";
  gethostname(host, sizeof(host) - 1);
  std::snprintf(process.stem.data(), process.stem.size(), "%s-%d-%llx", host, getpid(),
                static_cast<unsigned long long>(clock_ns(CLOCK_REALTIME)));
}

// With process.lock held.
bool open_session() noexcept {
  if (process.phase.load() == Phase::open) return true;
  if (process.phase.load() != Phase::armed) return false;
  if (process.on_open != nullptr) process.on_open();
  set_stem();
  SessionHeader& header = process.dictionary.view().header();
  header.pid = getpid();
  header.ticks_are_ns = process.ticks_are_ns ? 1 : 0;
  header.home = process_home();
  header.mapping_holds_lock = 0;
  header.lost_threads = 0;
  process.dictionary.add_collected(static_cast<std::uint32_t>(Collector::thread_cpu));
  header.first_clock = header.last_clock = sample_clocks(process.ticks_are_ns);
  const bool good =
      process.dictionary.share(session_path(".session").data()) && start_writer_thread();
  process.phase = good ? Phase::open : Phase::closed;
  return good;
}

// With process.lock held. kMaxRings: none is free.
std::uint32_t reserve_ring() noexcept {
  std::uint32_t index = 0;
  while (index < kMaxRings && process.ring_taken[index]) ++index;
  if (index < kMaxRings) process.ring_taken[index] = true;
  return index;
}

// With process.lock held.
bool publish_ring(std::uint32_t index, RingHeader* ring) noexcept {
  if (ring == nullptr || process.phase.load() != Phase::open) {
    process.ring_taken[index] = false;
    return false;
  }
  process.rings[index].store(ring, std::memory_order_release);
  if (index >= process.ring_count.load())
    process.ring_count.store(index + 1, std::memory_order_release);
  return true;
}

// The file is made between the two locks: on some file systems that takes a round trip a block, and
// other threads and a fork would wait.
RingHeader* make_ring(std::int64_t tid, std::uint32_t slots) noexcept {
  std::uint32_t index = kMaxRings;
  PathText path{};
  {
    const std::scoped_lock hold(process.lock);
    if (open_session()) index = reserve_ring();
    if (index == kMaxRings) return nullptr;
    path = ring_path(index);
  }
  RingHeader* ring = create_ring(path.data(), tid, slots);
  const std::scoped_lock hold(process.lock);
  if (publish_ring(index, ring)) return ring;
  if (ring != nullptr) {
    unlink(path.data());
    close_ring(ring);
  }
  return nullptr;
}

// Ends the watch of a thread: once it has a ring of its own, its samples would be taken twice.
void end_watch(std::int64_t tid) noexcept {
  RingHeader* watched = process.watched.load(std::memory_order_acquire);
  if (watched == nullptr || static_cast<std::int64_t>(watched->tid) != tid) return;
  if (process.watched.compare_exchange_strong(watched, nullptr))
    watched->finished.store(1, std::memory_order_release);
}

void label_thread(std::int64_t tid) noexcept {
  char name[17] = {};
  if (prctl(PR_GET_NAME, name) != 0) return;
  label(LabelKind::thread, static_cast<std::uint64_t>(tid), intern_name(name, std::strlen(name)));
}

}  // namespace

bool start(const Settings& settings) noexcept {
  const std::scoped_lock hold(process.lock);
  if (process.phase.load() != Phase::off) return true;
  if (std::strlen(settings.folder) + 600 > process.folder.size()) return false;
  std::strcpy(process.folder.data(), settings.folder);
  process.ring_slots = settings.ring_slots;
  process.flush_ms = settings.flush_ms;
  process.on_open = settings.on_open;
  process.ticks_are_ns = !tsc_is_invariant();
  process.began_ns = clock_ns(CLOCK_MONOTONIC);
  if (!process.dictionary.open() || pthread_key_create(&thread_end_key, on_thread_end) != 0)
    return false;
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
  process.phase.store(Phase::armed, std::memory_order_release);
  return true;
}

std::int64_t process_life_ns() noexcept {
  return clock_ns(CLOCK_MONOTONIC) - process.began_ns;
}

RingHeader* attach_thread() noexcept {
  if (!is_armed() || thread_ended) return nullptr;
  const int saved_errno = errno;
  const auto tid = static_cast<std::int64_t>(syscall(SYS_gettid));
  RingHeader* ring = make_ring(tid, process.ring_slots);
  end_watch(tid);
  if (ring != nullptr) {
    thread_ring = ring;
    pthread_setspecific(thread_end_key, ring);
    wake_writer();  // which maps the ring's pages
    label_thread(tid);
  } else {
    thread_ended = true;  // one try: a full disk must not cost a system call an event
    process.dictionary.view().header().lost_threads.fetch_add(1, std::memory_order_relaxed);
  }
  errno = saved_errno;
  return ring;
}

bool watch_thread(std::int64_t tid) noexcept {
  RingHeader* ring = is_armed() ? make_ring(tid, kWatchedSlots) : nullptr;
  if (ring == nullptr) return false;
  process.watched.store(ring, std::memory_order_release);
  wake_writer();
  return true;
}

void wake_writer() noexcept {
  process.wake.fetch_add(1, std::memory_order_release);
  syscall(SYS_futex, &process.wake, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

static void wait_for(std::atomic<std::uint32_t>& done, int seconds) noexcept {
  const std::int64_t deadline = clock_ns(CLOCK_MONOTONIC) + seconds * 1'000'000'000LL;
  while (done.load(std::memory_order_acquire) == 0 && clock_ns(CLOCK_MONOTONIC) < deadline) {
    const timespec slice{0, 100'000'000};
    syscall(SYS_futex, &done, FUTEX_WAIT_PRIVATE, 0, &slice, nullptr, 0);
  }
}

void finish(ExitReason reason, std::int32_t status) noexcept {
  if (process.phase.exchange(Phase::closed) != Phase::open) return;
  process.exit_reason = reason;
  process.exit_status = status;
  process.stop.store(1, std::memory_order_release);
  wake_writer();
  wait_for(process.done, kFinishSeconds);
}

bool add_row_source(RowSource* source) noexcept {
  for (auto& place : process.sources) {
    RowSource* none = nullptr;
    if (place.compare_exchange_strong(none, source, std::memory_order_release)) return true;
  }
  return false;
}

void stop_row_sources(int seconds) noexcept {
  if (process.sources[0].load() == nullptr || process.phase.load() != Phase::open) return;
  process.sources_stop.store(1, std::memory_order_release);
  wake_writer();
  wait_for(process.sources_done, seconds);
}

PathText live_path(const char* name) noexcept {
  PathText path{};
  std::snprintf(path.data(), path.size(), "%s/live/%s", process.folder.data(), name);
  return path;
}

PathText session_path(const char* suffix) noexcept {
  PathText path{};
  std::snprintf(path.data(), path.size(), "%s/live/%s%s", process.folder.data(),
                process.stem.data(), suffix);
  return path;
}

PathText ring_path(std::uint32_t index) noexcept {
  char suffix[32];
  std::snprintf(suffix, sizeof(suffix), ".%u.ring", index);
  return session_path(suffix);
}

PathText store_path() noexcept {
  PathText path{};
  std::snprintf(path.data(), path.size(), "%s/%s.sst", process.folder.data(), process.stem.data());
  return path;
}

}  // namespace stepscope::recorder
