// SPDX-License-Identifier: Apache-2.0
#include "collectors/recorder/draining/writer_thread.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "collectors/recorder/capture/capture.hpp"
#include "collectors/recorder/clock.hpp"
#include "collectors/recorder/draining/drain.hpp"
#include "collectors/recorder/draining/salvage.hpp"
#include "collectors/recorder/live_files/ring.hpp"
#include "collectors/recorder/process_state.hpp"
#include "core/model/losses.hpp"

namespace stepscope::recorder {
namespace {

// After so many looks at the rings, what is in them is written, however little it is.
constexpr std::int64_t kLooksAFlush = 10;
constexpr std::int64_t kLongestCall_ns = 20'000'000;
// Less than what the thread that closes the gate waits for (capture.cpp).
constexpr std::int64_t kLongestWork_ns = 150'000'000;

class Writer {
 public:
  Writer() : clock_(process.ticks_are_ns) { clock_.add(session_.header().first_clock); }

  void run() {
    while (process.stop.load(std::memory_order_acquire) == 0 && !gave_up_) {
      wait();
      touch_new_rings();
      if (process.sources_stop.load(std::memory_order_acquire) != 0) stop_sources();
      follow_plan(false);
      if (due()) flush();
    }
    if (!gave_up_) {
      follow_plan(true);
      note_unmet_plan();
    }
    stop_sources();
    flush();
    report_own_cost();
    flush();
    retire_rings();
    close_store();
    for (std::uint32_t i = 0; i < process.ring_count; ++i) unlink(ring_path(i).data());
    if (!gave_up_) unlink(session_path(kLastSpaceSuffix.data()).data());
    unlink(session_path(".session").data());
  }

 private:
  void wait() {
    const std::uint32_t seen = process.wake.load(std::memory_order_acquire);
    if (seen != woken_ || process.stop.load(std::memory_order_acquire) != 0) {
      woken_ = seen;
      return;
    }
    const timespec interval{process.flush_ms / 1000,
                            static_cast<long>(process.flush_ms % 1000) * 1'000'000};
    syscall(SYS_futex, &process.wake, FUTEX_WAIT_PRIVATE, seen, &interval, nullptr, 0);
  }

  // The device goes off behind the gate and on before it.
  void follow_plan(bool ends) {
    const CaptureChange change = next_capture_change(ends);
    if (change.put_off) return;
    if ((change.close || change.open) && !open_store()) return;
    if (change.close && !change.open && !ends) {
      wait_for_calls();
      wait_for_records();
    }
    switch_sources(gate_state() != Gate::closed || change.open);
    if (change.close || change.open) (void)read_clocks();
    if (change.close) {
      capture_is_closed();
      take_rings(Drain::BegunCall::taken);
      drain_->capture_closed(clock_.to_ns(change.close_ticks), change.open ? 0 : state_);
    }
    if (change.open) {
      drain_->capture_opened(clock_.to_ns(read_ticks(process.ticks_are_ns)), state_);
      capture_is_open();
    }
    // A program that ends without a word leaves its rings, which do not hold the change.
    if (change.close || change.open) write_rows();
  }

  bool any_call_is_open() const {
    for (std::uint32_t i = 0; i < process.ring_count.load(std::memory_order_acquire); ++i) {
      RingHeader* ring = process.rings[i].load(std::memory_order_acquire);
      if (ring == nullptr || ring->finished.load(std::memory_order_acquire) != 0) continue;
      const std::atomic_ref depth(ring->lanes[kLaneCall].depth);
      if (depth.load(std::memory_order_relaxed) != 0) return true;
    }
    return false;
  }

  // Waits for the calls of all threads but the one that waits for the change: capture.hpp says why.
  void wait_for_calls() {
    const std::int64_t deadline = clock_ns(CLOCK_MONOTONIC) + kLongestCall_ns;
    while (any_call_is_open()) {
      if (clock_ns(CLOCK_MONOTONIC) >= deadline) {
        if (!std::exchange(switched_in_a_call_, true))
          note(
              "recording was switched off while a thread was in a long CUDA call: work that it "
              "launched later may be without its launch");
        return;
      }
      usleep(50);
    }
  }

  // Collects until every source has what later work would change, or for kLongestWork_ns.
  void wait_for_records() {
    const std::int64_t deadline = clock_ns(CLOCK_MONOTONIC) + kLongestWork_ns;
    for (const auto& place : process.sources) {
      RowSource* source = place.load(std::memory_order_acquire);
      while (source != nullptr && !source->has_what_later_work_changes()) {
        collect(*source, false);
        if (clock_ns(CLOCK_MONOTONIC) >= deadline) return note_late_graphs();
        usleep(500);
      }
    }
  }

  void note_late_graphs() {
    if (std::exchange(noted_late_graphs_, true)) return;
    note(
        "recording was switched off while launches of CUDA graphs were queued for more than 150 "
        "ms: "
        "kernels of the last launches may seem to end too late");
  }

  // Adds a note, also when the recorder takes no notes any more.
  static void note_at_end(std::string_view text) {
    process.dictionary.log({LogKind::note, 0, 0, 0, intern_name(text.data(), text.size())});
  }

  static void note_unmet_plan() {
    if (const char* unmet = unmet_plan()) note_at_end(unmet);
  }

  // Reports the thread's CPU time beside the program: all of it, and the reading of rings and
  // sources alone; and how long the process has lived by then, since it loaded the recorder.
  void report_own_cost() {
    if (!open_store()) return;
    store_->fact("writer.cpu_ns", std::to_string(clock_ns(CLOCK_THREAD_CPUTIME_ID)));
    store_->fact("writer.decode_ns", std::to_string(decode_ns_));
    store_->fact("process.life_ns", std::to_string(process_life_ns()));
  }

  void write_rows() {
    (void)drain_->flush();
    if (drain_->problem().empty()) {
      written_until_ns_ = clock_ns(CLOCK_REALTIME);
    } else if (!gave_up_) {
      give_up(drain_->problem());
    }
  }

  // Ends the recording: the file takes no more. With a gap in it, it would look whole, so it ends
  // here and says so.
  void give_up(const std::string& why) {
    gave_up_ = true;
    process.phase = Phase::closed;
    std::array<char, 96> when{};
    std::snprintf(when.data(), when.size(), "%s%.1f s after the process began",
                  kRecordingEnded.data(), static_cast<double>(process_life_ns()) / 1e9);
    const std::string text = why + when.data();
    give_up_last_space(session_path(kLastSpaceSuffix.data()).data(), text);
    note_at_end(text + ": steps that were over by then are here, what came later is not");
    const std::int64_t now = clock_ns(CLOCK_REALTIME);
    store_->fact("lost.stretches", std::to_string(written_until_ns_) + " " + std::to_string(now));
  }

  void close_store() {
    if (!store_) return;
    const bool goes_on = gave_up_ && process.stop.load(std::memory_order_acquire) == 0;
    (void)store_->close(goes_on ? ExitReason::still_running : process.exit_reason,
                        process.exit_status);
  }

  // The state of a source that has one of its own becomes the state of all.
  void switch_sources(bool on) {
    const double usual = on ? 1 : 0;
    if ((state_ > 0) != on) state_ = usual;
    for (std::size_t i = 0; i < process.sources.size(); ++i) {
      RowSource* source = process.sources[i].load(std::memory_order_acquire);
      if (source == nullptr) continue;
      if (!std::exchange(sources_seen_[i], true)) sources_on_[i] = source->is_on();
      if (std::exchange(sources_on_[i], on) == on) continue;
      const double state = source->set_capturing(on);
      if (state != usual) state_ = state;
    }
  }

  void take_rings(Drain::BegunCall last) {
    const std::int64_t begin = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    for (std::uint32_t i = 0; i < process.ring_count.load(std::memory_order_acquire); ++i) {
      RingHeader* ring = process.rings[i].load(std::memory_order_acquire);
      if (ring == nullptr) continue;
      const bool goes_on = ring->finished.load(std::memory_order_acquire) == 0;
      drain_->take(*ring, goes_on ? last : Drain::BegunCall::taken);
    }
    decode_ns_ += clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
  }

  void touch_new_rings() {
    for (std::uint32_t i = 0; i < process.ring_count.load(std::memory_order_acquire); ++i) {
      RingHeader* ring = process.rings[i].load(std::memory_order_acquire);
      if (ring != nullptr) touch_pages(ring);
    }
  }

  static std::int64_t longest_wait_ns() { return kLooksAFlush * process.flush_ms * 1'000'000; }

  bool due() const {
    if (clock_ns(CLOCK_MONOTONIC) - last_flush_ns_ >= longest_wait_ns()) return true;
    if (any_source_is_due()) return true;
    for (std::uint32_t i = 0; i < process.ring_count.load(std::memory_order_acquire); ++i) {
      const RingHeader* ring = process.rings[i].load(std::memory_order_acquire);
      if (ring == nullptr) continue;
      if (ring->finished.load(std::memory_order_relaxed) != 0) return true;
      if (ring->head.load(std::memory_order_relaxed) - ring->tail.load(std::memory_order_relaxed) >
          ring->slots / 4) {
        return true;
      }
    }
    return false;
  }

  // Records made after this clock pair are converted with the slope before it.
  void flush() {
    last_flush_ns_ = clock_ns(CLOCK_MONOTONIC);
    if (!open_store()) return;
    const ClockPair now = read_clocks();
    if (!anything_new() && !any_source_is_due()) return;
    store_->clock({0, now.realtime_ns, now.monotonic_raw_ns, now.ticks, now.error_ns});
    const bool ends = process.stop.load(std::memory_order_acquire) != 0;
    if (!gave_up_) take_rings(ends ? Drain::BegunCall::taken : Drain::BegunCall::left);
    write_rows();
    collect_due_sources();
    retire_rings();
  }

  ClockPair read_clocks() {
    const ClockPair now = sample_clocks(process.ticks_are_ns);
    if (!clock_.add(now)) note("the system clock was set during the run: times jump there");
    publish_clock(now);
    return now;
  }

  bool is_due(const std::atomic<RowSource*>& place) const {
    RowSource* source = place.load(std::memory_order_acquire);
    return source != nullptr && !sources_stopped_ && source->due(clock_ns(CLOCK_MONOTONIC));
  }

  bool any_source_is_due() const {
    return std::any_of(process.sources.begin(), process.sources.end(),
                       [this](const auto& place) { return is_due(place); });
  }

  void collect_due_sources() {
    for (const auto& place : process.sources) {
      if (is_due(place)) collect(*place.load(std::memory_order_acquire), false);
    }
  }

  void collect(RowSource& source, bool last) {
    if (!open_store()) return;
    for (bool more = true; more;) {
      const std::int64_t begin = reading_ns(source);
      more = drain_->take(source, last);
      decode_ns_ += reading_ns(source) - begin;
      write_rows();
    }
  }

  static std::int64_t reading_ns(const RowSource& source) {
    return clock_ns(CLOCK_THREAD_CPUTIME_ID) - source.totals().vendor_ns;
  }

  void stop_sources() {
    for (const auto& place : process.sources) {
      RowSource* source = place.load(std::memory_order_acquire);
      if (source != nullptr && !sources_stopped_) collect(*source, true);
    }
    sources_stopped_ = true;
    if (process.sources_done.exchange(1, std::memory_order_release) == 0)
      syscall(SYS_futex, &process.sources_done, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  }

  bool anything_new() const {
    if (process.stop.load(std::memory_order_relaxed) != 0) return true;
    for (std::uint32_t i = 0; i < process.ring_count.load(std::memory_order_acquire); ++i) {
      const RingHeader* ring = process.rings[i].load(std::memory_order_acquire);
      if (ring != nullptr && ring->head.load(std::memory_order_relaxed) !=
                                 ring->tail.load(std::memory_order_relaxed)) {
        return true;
      }
    }
    return false;
  }

  bool open_store() {
    if (store_) return true;
    if (failed_) return false;
    Result<StoreWriter> made = StoreWriter::create(store_path().data());
    if (!made) {
      failed_ = true;
      process.phase = Phase::closed;
      give_up_last_space(session_path(kLastSpaceSuffix.data()).data(), made.error().message);
      return false;
    }
    (void)keep_last_space(session_path(kLastSpaceSuffix.data()).data());
    store_.emplace(std::move(*made));
    drain_.emplace(session_, *store_, clock_);
    const ClockPair& first = session_.header().first_clock;
    store_->clock({0, first.realtime_ns, first.monotonic_raw_ns, first.ticks, first.error_ns});
    return true;
  }

  void publish_clock(const ClockPair& now) {
    SessionHeader& header = session_.header();
    header.clock_version.fetch_add(1, std::memory_order_acq_rel);
    header.last_clock = now;
    header.clock_version.fetch_add(1, std::memory_order_acq_rel);
  }

  void retire_rings() {
    for (std::uint32_t i = 0; i < process.ring_count.load(std::memory_order_acquire); ++i) {
      RingHeader* ring = process.rings[i].load(std::memory_order_acquire);
      if (ring == nullptr || !drain_ || ring->finished.load(std::memory_order_acquire) == 0)
        continue;
      if (ring->head.load(std::memory_order_acquire) != ring->tail.load(std::memory_order_relaxed))
        continue;
      const std::scoped_lock hold(process.lock);
      drain_->forget(*ring);
      process.rings[i].store(nullptr, std::memory_order_release);
      process.ring_taken[i] = false;
      unlink(ring_path(i).data());
      close_ring(ring);
    }
  }

  SessionView session_ = process.dictionary.view();
  TickConverter clock_;
  std::optional<StoreWriter> store_;
  std::optional<Drain> drain_;
  std::int64_t last_flush_ns_ = clock_ns(CLOCK_MONOTONIC);
  std::int64_t decode_ns_ = 0;  // CPU time that the thread spent on decoding
  std::uint32_t woken_ = 0;
  std::int64_t written_until_ns_ = clock_ns(CLOCK_REALTIME);
  bool failed_ = false;
  bool gave_up_ = false;  // the file could not be written any more
  bool sources_stopped_ = false;
  bool switched_in_a_call_ = false;
  bool noted_late_graphs_ = false;
  std::array<bool, kMaxRowSources> sources_seen_{}, sources_on_{};
  double state_ = 1;  // last value of the capture's counter
};

void* writer_main(void* /*unused*/) {
  become_background_thread("stepscope");
  auto* writer = new Writer;  // leaked: a fork elsewhere must not find it half destroyed
  writer->run();
  process.done.store(1, std::memory_order_release);
  syscall(SYS_futex, &process.done, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  return nullptr;
}

}  // namespace

bool start_writer_thread() noexcept {
  return start_background_thread(writer_main, nullptr);
}

}  // namespace stepscope::recorder
