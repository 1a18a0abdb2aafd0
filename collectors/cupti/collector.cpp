// SPDX-License-Identifier: Apache-2.0
#include "collectors/cupti/collector.hpp"

#include <array>
#include <cstdio>
#include <new>

#include "collectors/cupti/buffers.hpp"
#include "collectors/cupti/device_facts.hpp"
#include "collectors/cupti/device_records.hpp"
#include "collectors/cupti/heartbeat.hpp"
#include "collectors/cupti/kinds.hpp"
#include "collectors/cupti/sharing.hpp"
#include "collectors/recorder/clock.hpp"
#include "collectors/recorder/row_source.hpp"

namespace stepscope::cupti {
namespace {

constexpr std::size_t kRowsOfOneBatch = 16384;

constinit Buffers buffers{};

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

// For a bare collector: records are thrown away where they come.
void on_complete_bare(void*, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t) {
  if (buffer != nullptr) buffers.recycle(buffer);
}

class ActivitySource final : public recorder::RowSource {
 public:
  ActivitySource(const Library& library, const Options& options)
      : library_(library),
        flush_ns_(std::int64_t{options.flush_ms} * 1'000'000),
        on_device_(options.on_device),
        layers_(options.layers) {}

  bool due(std::int64_t now_ns) noexcept override {
    return buffers.any_completed() || now_ns - last_flush_ns_ >= flush_ns_;
  }

  bool collect(EventBatch& batch, StoreWriter& store, bool last) noexcept override {
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
      count_dropped(full);
      buffers.recycle(full.data);
    }
    return true;
  }

  double take(bool on) noexcept override {
    if (stopped_ || has_failed()) return on ? 1 : 0;
    on_ = on;
    idle_flushes_ = 0;
    if (!on || !layers_) {
      switch_ours(on, switch_hooks);
      return on ? 1 : 0;
    }
    turn_ = turn_ % 3 + 1;
    constexpr void (*kHooks[])(bool) = {
        switch_hooks, [](bool) {}, [](bool wanted) { switch_hooks(wanted, Level::light, false); }};
    switch_ours(true, kHooks[turn_ - 1]);
    return turn_;
  }

  Totals totals() const noexcept override { return {dropped_, records_.zero_timestamps()}; }

 private:
  bool flush_when_due() noexcept {
    const std::int64_t now = recorder::clock_ns(CLOCK_MONOTONIC);
    if (now - last_flush_ns_ < flush_ns_ || idle_flushes_ >= kIdleFlushes) return false;
    last_flush_ns_ = now;
    if (!on_) ++idle_flushes_;
    if (!has_failed()) (void)library_.flush_all(kFlushCompleted);
    return true;
  }

  // From where no records came, nothing is to be concluded: as where the plan switched them off.
  void look_for_records(EventBatch& batch, StoreWriter& store) noexcept {
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
  void stop() noexcept {
    stopped_ = true;
    if (!buffers.any_given() || has_failed()) return;
    disable_kinds(library_);
    (void)library_.flush_all(kFlushAll);
  }

  void describe_devices(StoreWriter& store) noexcept {
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

  void count_dropped(const Buffers::Completed& full) noexcept {
    std::size_t dropped = 0;
    if (library_.dropped_records(full.context, full.stream, &dropped) == kSuccess)
      dropped_ += dropped;
  }

  // Switched off there is nothing to flush once the last records are in.
  static constexpr int kIdleFlushes = 3;

  Library library_;
  std::int64_t flush_ns_;
  void (*on_device_)(const Device& device) noexcept;
  std::int64_t last_flush_ns_ = recorder::clock_ns(CLOCK_MONOTONIC);
  DeviceRecords records_;
  Heartbeat heartbeat_;
  std::uint64_t dropped_ = 0;
  bool layers_;
  int turn_ = 0;  // of layers: 1 the whole, 2 kinds alone, 3 light
  bool on_ = true;
  int idle_flushes_ = 0;         // since it was switched off
  std::uint64_t described_ = 0;  // devices, a bit each
  bool stopped_ = false;
};

void note_failure(const Library& library, const char* what, Status status) noexcept {
  const char* text = nullptr;
  (void)library.result_text(status, &text);
  const char* remedy = "";
  if (status == kMultipleSubscribers)
    remedy = "; another tool (nsys, ncu, cuda-gdb, compute-sanitizer) traces this process";
  if (status == kNotInitialized)
    remedy = "; this libcupti is newer than the driver: use the one of the driver's CUDA version";
  if (status == kInsufficientPrivileges || status == kVirtualizedNoPrivileges)
    remedy = "; the driver restricts profiling to administrators";
  std::array<char, 512> sentence{};
  std::snprintf(sentence.data(), sentence.size(),
                "no device work is recorded: %s failed with %d %s%s", what, status,
                text == nullptr ? "" : text, remedy);
  recorder::note(sentence.data());
}

// Nobody would empty the buffers of kinds that stayed on.
bool give_up(const Library& library, Subscriber subscriber) noexcept {
  disable_kinds(library);
  (void)library.unsubscribe(subscriber);
  return false;
}

void record_facts(const Library& library, const char* path) noexcept {
  std::uint32_t version = 0;
  (void)library.get_version(&version);
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%u", version);
  recorder::fact("cupti", text.data());
  if (path[0] != '\0') recorder::fact("cupti.library", path);
}

}  // namespace

bool start_collector(const Library& library, const Options& options) noexcept {
  Subscriber subscriber = nullptr;
  // Before all that changes CUPTI's state: the only call that tells of another tool.
  if (const Status status = library.subscribe(&subscriber, on_callback, nullptr);
      status != kSuccess) {
    note_failure(library, "cuptiSubscribe", status);
    return false;
  }
  (void)library.set_thread_id_type(kThreadIdSystem);
  buffers.fill_up();
  if (const Status status = library.register_buffers(
          on_request, options.bare != Bare::no ? on_complete_bare : on_complete);
      status != kSuccess) {
    note_failure(library, "cuptiActivityRegisterCallbacks", status);
    return give_up(library, subscriber);
  }
  if (options.bare == Bare::subscription) return false;
  if (const Status status = enable_kinds(library, options.hooks.level, options.bare != Bare::no);
      status != kSuccess) {
    note_failure(library, "cuptiActivityEnable", status);
    return give_up(library, subscriber);
  }
  if (options.bare == Bare::switched_off) disable_kinds(library);
  // No rows: nothing to stop, and nothing is said to be collected.
  if (options.bare != Bare::no) return false;
  (void)enable_hooks(library, subscriber, options.hooks);
  // Leaked: callbacks and the writer thread use it until the last instruction.
  auto* source = new (std::nothrow) ActivitySource(library, options);
  if (source == nullptr) return false;
  if (!recorder::add_row_source(source)) return false;
  serve_guests(library, subscriber, our_kinds());
  recorder::collecting(recorder::Collector::device_ops);
  recorder::collecting(recorder::Collector::api_calls);
  if (options.hooks.level != Level::light) recorder::collecting(recorder::Collector::api_arguments);
  return true;
}

bool start_collector(const Options& options) noexcept {
  const FoundLibrary found = find_library();
  if (!found.usable) {
    recorder::note(found.why_not.data());
    return false;
  }
  record_facts(found.functions, found.path.data());
  return start_collector(found.functions, options);
}

}  // namespace stepscope::cupti
