// SPDX-License-Identifier: Apache-2.0
#include "collectors/cupti/records/activity_source.hpp"

#include <atomic>
#include <utility>

#include "collectors/cupti/guests/sharing.hpp"
#include "collectors/cupti/library/cupti_library.hpp"
#include "collectors/cupti/records/buffers.hpp"
#include "collectors/cupti/records/kinds.hpp"
#include "collectors/recorder/clock.hpp"

namespace stepscope::cupti {
namespace {

constexpr std::size_t kRowsOfOneBatch = 16384;

// Switched off there is nothing to flush once the last records are in.
constexpr int kIdleFlushes = 3;

constinit Buffers buffers{};
constinit std::atomic<bool> asks_for_records{true};

void on_request(std::uint8_t** buffer, std::size_t* size, std::size_t* max_records) {
  *buffer = buffers.give();
  *size = *buffer == nullptr ? 0 : Buffers::kBytes;
  *max_records = 0;  // as many as fit
}

void on_complete(void* context, std::uint32_t stream, std::uint8_t* buffer, std::size_t /*size*/,
                 std::size_t valid_size) {
  if (buffer == nullptr) return;
  copy_to_guest(context, stream, buffer, valid_size);
  buffers.take_back(buffer, valid_size, context, stream);
}

// Used by a bare collector: records are thrown away where they come.
void on_complete_bare(void*, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t) {
  if (buffer != nullptr) buffers.recycle(buffer);
}

}  // namespace

void stop_asking_for_records() noexcept {
  asks_for_records.store(false, std::memory_order_relaxed);
}

Status register_buffers(const Library& library, bool bare) noexcept {
  buffers.fill_up();
  return library.register_buffers(on_request, bare ? on_complete_bare : on_complete);
}

ActivitySource::ActivitySource(const Library& library, const Options& options)
    : library_(library),
      flush_ns_(std::int64_t{options.flush_ms} * 1'000'000),
      on_device_(options.on_device),
      last_flush_ns_(recorder::clock_ns(CLOCK_MONOTONIC)),
      layers_(options.layers),
      flushes_(options.flushes && options.hooks.parts.flush) {}

bool ActivitySource::due(std::int64_t now_ns) noexcept {
  return buffers.any_completed() || (may_flush() && now_ns - last_flush_ns_ >= flush_ns_);
}

bool ActivitySource::collect(EventBatch& batch, StoreWriter& store, bool last) noexcept {
  leave_out_this_thread();
  if (last && !stopped_) stop();
  const bool flushed = !last && flush_when_due();
  while (batch.device_ops.size() < kRowsOfOneBatch) {
    const Buffers::Completed full = buffers.next_completed();
    if (full.data == nullptr) {
      buffers.fill_up();
      if (flushed) look_for_records(batch, store);
      return false;
    }
    records_.decode(library_, full.data, full.valid_bytes, batch, store);
    describe_devices(store);
    count_dropped(full.context, full.stream);
    buffers.recycle(full.data);
  }
  return true;
}

double ActivitySource::set_capturing(bool on) noexcept {
  if (stopped_ || has_failed()) return on ? 1 : 0;
  on_ = on;
  idle_flushes_ = 0;
  if (!on || !layers_) {
    note_own_refusal(switch_ours(on, switch_hooks));
    return on ? 1 : 0;
  }
  turn_ = turn_ % 5 + 1;
  constexpr void (*kHooks[])(bool) = {
      switch_hooks, [](bool) {},
      [](bool wanted) { switch_hooks(wanted, Level::light, Answer::without_sites); },
      [](bool wanted) { switch_hooks(wanted, Level::light, Answer::nothing); },
      [](bool wanted) { switch_hooks(wanted, Level::deep, Answer::whole); }};
  note_own_refusal(switch_ours(true, kHooks[turn_ - 1]));
  return turn_;
}

// CUPTI 13.0 takes the end of a graph's node over when the graph is launched again or when it is
// asked for its records, and launches that are not recorded move that end on. So it is asked until
// the device has done the last recorded launch.
bool ActivitySource::has_what_later_work_changes() noexcept {
  const std::uint32_t launch = last_graph_launch();
  if (launch <= records_.last_graph_launch() || !may_flush() || stopped_ || has_failed())
    return true;
  flush(kFlushCompleted);
  return false;
}

// Kinds that are first switched on here are first refused here.
void ActivitySource::note_own_refusal(Status refusal) noexcept {
  if (refusal == kSuccess || std::exchange(noted_refusal_, true)) return;
  note_refusal(library_, "cuptiActivityEnable", refusal);
}

bool ActivitySource::may_flush() const noexcept {
  return flushes_ && asks_for_records.load(std::memory_order_relaxed);
}

bool ActivitySource::flush_when_due() noexcept {
  if (!may_flush()) return false;
  const std::int64_t now = recorder::clock_ns(CLOCK_MONOTONIC);
  if (now - last_flush_ns_ < flush_ns_ || idle_flushes_ >= kIdleFlushes) return false;
  last_flush_ns_ = now;
  if (!on_) ++idle_flushes_;
  if (!has_failed()) flush(kFlushCompleted);
  return true;
}

// Marks the stretches in which no records came: nothing is concluded from them, as if the plan had
// switched them off.
void ActivitySource::look_for_records(EventBatch& batch, StoreWriter& store) noexcept {
  const Heartbeat::Change change = heartbeat_.look(on_ ? take_launch() : 0, records_.records());
  if (change == Heartbeat::Change::none) return;
  const bool stopped = change == Heartbeat::Change::stopped;
  if (stopped)
    recorder::note(
        "device records stopped coming while work was launched: something else in the "
        "program took CUPTI's buffers; what follows is not judged");
  Counters& rows = batch.counters;
  const bool since_last = stopped && records_.last_end() != 0;
  rows.time.push_back(since_last ? records_.last_end() : recorder::clock_ns(CLOCK_REALTIME));
  rows.track.push_back(store.intern(kCaptureTrack));
  rows.process.push_back(0);
  rows.value.push_back(stopped ? 0 : 1);
}

// Flushing where nothing was ever recorded can hang CUPTI.
void ActivitySource::stop() noexcept {
  stopped_ = true;
  if (!buffers.any_given() || has_failed()) return;
  disable_kinds(library_);
  flush(kFlushAll);
}

void ActivitySource::flush(std::uint32_t flag) noexcept {
  const std::int64_t begin = recorder::clock_ns(CLOCK_THREAD_CPUTIME_ID);
  (void)library_.flush_all(flag);
  vendor_ns_ += recorder::clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
}

void ActivitySource::describe_devices(StoreWriter& store) noexcept {
  const std::uint64_t fresh = records_.devices() & ~described_;
  for (std::uint32_t index = 0; index < 64 && fresh >> index != 0; ++index) {
    if ((fresh >> index & 1U) == 0) continue;
    described_ |= std::uint64_t{1} << index;
    const std::optional<Device> device = device_facts(index);
    if (!device) continue;
    store.device(*device);
    if (on_device_ != nullptr) on_device_(*device);
  }
}

void ActivitySource::count_dropped(void* context, std::uint32_t stream) noexcept {
  std::size_t dropped = 0;
  if (library_.dropped_records(context, stream, &dropped) == kSuccess) dropped_ += dropped;
}

}  // namespace stepscope::cupti
