// SPDX-License-Identifier: Apache-2.0
#include "collectors/pm_sampling/pm_source.hpp"

#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "collectors/cupti/calls/call_hooks.hpp"
#include "collectors/recorder/clock.hpp"
#include "collectors/recorder/draining/writer_thread.hpp"
#include "core/model/device_counter.hpp"

namespace stepscope::pm {
namespace {

// Counters in the order of kMetrics.
constexpr std::array kCounters = {
    DeviceCounter::sm_active_percent, DeviceCounter::tensor_active_percent,
    DeviceCounter::dram_read_bytes_per_second, DeviceCounter::dram_write_bytes_per_second};
static_assert(kCounters.size() == kMetrics.size());

// The process's source; there is one.
constinit PmSource* source_to_end = nullptr;
constinit std::atomic<pid_t> pid_of_ending{0};

void note_failure(std::uint32_t device, const Outcome& outcome) noexcept {
  const char* remedy = "";
  if (outcome.status == kInsufficientPrivileges || outcome.status == kVirtualizedNoPrivileges)
    remedy =
        "; the driver restricts counters to administrators: CAP_SYS_ADMIN, or the driver's option "
        "NVreg_RestrictProfilingToAdminUsers=0";
  std::array<char, 320> sentence{};
  std::snprintf(sentence.data(), sentence.size(),
                "no hardware counters of GPU %u from here on: %s failed with %d%s", device,
                outcome.failed, outcome.status, remedy);
  recorder::note(sentence.data());
}

}  // namespace

void PmSource::add_device(std::uint32_t device) noexcept {
  const std::lock_guard lock(mutex_);
  wanted_.push_back(device);
  changed_.notify_all();
  if (!runs_) runs_ = recorder::start_background_thread(thread_main, this);
}

bool PmSource::due(std::int64_t /*now_ns*/) noexcept {
  const std::lock_guard lock(mutex_);
  return !ready_.empty();
}

bool PmSource::collect(EventBatch& batch, StoreWriter& store, bool last) noexcept {
  if (last) end_sampling();
  std::unique_lock lock(mutex_);
  const std::vector<Taken> taken = std::exchange(ready_, {});
  lock.unlock();
  Counters& rows = batch.counters;
  for (const Taken& one : taken) {
    for (std::size_t i = 0; i < kCounters.size(); ++i) {
      rows.time.push_back(static_cast<std::int64_t>(one.sample.begin_ns));
      rows.track.push_back(store.intern(device_track(one.device, kCounters[i])));
      rows.process.push_back(0);
      rows.value.push_back(one.sample.values[i]);
    }
  }
  return false;
}

void PmSource::end_sampling() noexcept {
  std::unique_lock lock(mutex_);
  stop_ = true;
  changed_.notify_all();
  changed_.wait_for(lock, std::chrono::milliseconds(options_.stop_ms), [this] { return !runs_; });
}

// A child of fork has no such thread.
void PmSource::end_before_libraries() noexcept {
  if (pid_of_ending == getpid()) source_to_end->end_sampling();
}

// CUPTI's part on the host lives in libnvperf_host, which is loaded when a device is opened: what
// exit() destroys of it goes before what was registered earlier, and ours must go before that.
// Called again once values were evaluated, for what the library makes then.
void PmSource::end_before_what_was_loaded() noexcept {
  source_to_end = this;
  pid_of_ending = getpid();
  std::atexit([] { end_before_libraries(); });
}

double PmSource::set_capturing(bool on) noexcept {
  const std::lock_guard lock(mutex_);
  on_ = on;
  changed_.notify_all();
  return on ? 1 : 0;
}

void* PmSource::thread_main(void* source) {
  recorder::become_background_thread("stepscope-pm");
  cupti::leave_out_this_thread();
  auto* self = static_cast<PmSource*>(source);
  do {
    self->run();
  } while (!self->ends());
  return nullptr;
}

// Unless a device came while the thread was about to end.
bool PmSource::ends() noexcept {
  const std::lock_guard lock(mutex_);
  runs_ = !stop_ && !wanted_.empty();
  changed_.notify_all();
  return !runs_;
}

// Samples until the end, or until no device is left.
void PmSource::run() noexcept {
  sampling_ = false;
  for (bool done = false; !done;) {
    const Orders orders = wait_for_orders();
    for (const std::uint32_t device : orders.new_devices) open(device);
    const bool rest = sampling_;
    switch_devices(orders.on && !orders.stop);
    if (rest || sampling_) read_all();
    done = orders.stop || devices_.empty();
  }
  for (DeviceSampling& device : devices_) device.close();
}

PmSource::Orders PmSource::wait_for_orders() noexcept {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::milliseconds(options_.read_ms),
                    [this] { return stop_ || on_ != sampling_ || !wanted_.empty(); });
  return {std::exchange(wanted_, {}), on_, stop_};
}

void PmSource::open(std::uint32_t device) noexcept {
  DeviceSampling& opened = devices_.emplace_back(library_, device);
  const Outcome outcome = opened.open(std::uint64_t{options_.interval_us} * 1000);
  if (devices_.size() == 1) end_before_what_was_loaded();
  if (outcome.ok() && (!sampling_ || start(opened))) return;
  if (!outcome.ok()) note_failure(device, outcome);
  opened.close();
  devices_.pop_back();
}

void PmSource::switch_devices(bool on) noexcept {
  if (on == sampling_) return;
  sampling_ = on;
  devices_.remove_if([&](DeviceSampling& device) {
    if (on ? start(device) : device.stop().ok()) return false;
    device.close();
    return true;
  });
}

bool PmSource::start(DeviceSampling& device) noexcept {
  const Outcome outcome = device.start();
  if (outcome.ok())
    note_once(noted_start_,
              "hardware counters were sampled: the GPU's clocks are held meanwhile, so that times "
              "may differ from those of a run without --pm-sampling");
  if (!outcome.ok()) note_failure(device.device(), outcome);
  return outcome.ok();
}

void PmSource::read_all() noexcept {
  devices_.remove_if([this](DeviceSampling& device) {
    samples_.clear();
    const Outcome outcome = device.read(samples_);
    if (!samples_.empty() && !std::exchange(evaluated_, true)) end_before_what_was_loaded();
    hand_over(device.device(), device.overflowed());
    if (outcome.ok()) return false;
    note_failure(device.device(), outcome);
    device.close();
    return true;
  });
}

void PmSource::hand_over(std::uint32_t device, bool overflowed) noexcept {
  if (overflowed)
    note_once(noted_overflow_, "the hardware's buffer of counters was full: samples are missing");
  const std::lock_guard lock(mutex_);
  for (const Sample& sample : samples_) {
    if (!is_plausible(sample)) continue;
    if (ready_.size() < kMostWaiting) {
      ready_.push_back({device, sample});
    } else {
      ++dropped_;
    }
  }
}

// Whether the sample's time is on the clock of all other records, as CUPTI's other times are.
bool PmSource::is_plausible(const Sample& sample) noexcept {
  constexpr std::int64_t kLongAgo_ns = 600'000'000'000, kAhead_ns = 1'000'000'000;
  const std::int64_t age =
      recorder::clock_ns(CLOCK_REALTIME) - static_cast<std::int64_t>(sample.begin_ns);
  const bool plausible = age < kLongAgo_ns && age > -kAhead_ns;
  if (!plausible)
    note_once(noted_times_, "hardware counters with times that are not the host's were left out");
  return plausible;
}

void PmSource::note_once(bool& noted, const char* sentence) noexcept {
  if (!std::exchange(noted, true)) recorder::note(sentence);
}

}  // namespace stepscope::pm
