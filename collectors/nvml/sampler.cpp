// SPDX-License-Identifier: Apache-2.0
#include "collectors/nvml/sampler.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "collectors/nvml/sampled_devices.hpp"
#include "collectors/recorder/clock.hpp"
#include "collectors/recorder/draining/writer_thread.hpp"
#include "collectors/recorder/process_state.hpp"
#include "collectors/recorder/recorder.hpp"

namespace stepscope::nvml {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000, kMillisecond = 1'000'000;
constexpr std::int64_t kRestPerWork = 9;

std::int64_t now_ns() noexcept {
  return recorder::clock_ns(CLOCK_MONOTONIC);
}

void wait_on(std::atomic<std::uint32_t>& word, std::int64_t ns) noexcept {
  const timespec limit{ns / kSecond, ns % kSecond};
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &limit, nullptr, 0);
}

void set_and_wake(std::atomic<std::uint32_t>& word) noexcept {
  word.store(1, std::memory_order_release);
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

recorder::PathText lock_path() noexcept {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  std::array<char, 280> name{};
  std::snprintf(name.data(), name.size(), "%s.gpus.lock", host.data());
  return recorder::live_path(name.data());
}

void record_driver(const Library& library) noexcept {
  std::array<char, 96> version{};
  if (library.driver_version != nullptr &&
      library.driver_version(version.data(), static_cast<unsigned>(version.size())) == kSuccess)
    recorder::fact("nvml", version.data());
}

bool note_failure(const char* why) noexcept {
  std::array<char, 384> sentence{};
  std::snprintf(sentence.data(), sentence.size(), "clocks, power and memory are not sampled: %s",
                why);
  recorder::note(sentence.data());
  return false;
}

// What the sampler itself took.
class Cost {
 public:
  void add(std::int64_t ns) noexcept {
    ++rounds_;
    sum_ns_ += ns;
    longest_ns_ = std::max(longest_ns_, ns);
  }
  void record() const noexcept {
    if (rounds_ == 0) return;
    std::array<char, 96> text{};
    std::snprintf(text.data(), text.size(), "%lld mean, %lld at most, %lld rounds",
                  static_cast<long long>(sum_ns_ / rounds_ / 1000),
                  static_cast<long long>(longest_ns_ / 1000), static_cast<long long>(rounds_));
    recorder::fact("nvml.round_us", text.data());
  }

 private:
  std::int64_t rounds_ = 0, sum_ns_ = 0, longest_ns_ = 0;
};

}  // namespace

void Sampler::add_device(const Device& device) noexcept {
  const std::uint32_t count = wanted_count_.load(std::memory_order_relaxed);
  if (count == kMostDevices || device.index >= kMostDevices || device.uuid.empty()) return;
  Wanted& wanted = wanted_[count];
  wanted.device = device.index;
  std::snprintf(wanted.uuid.data(), wanted.uuid.size(), "%s", device.uuid.c_str());
  wanted_count_.store(count + 1, std::memory_order_release);
  if (count > 0) return;
  running_in_ = getpid();
  gate_.install();
  if (stop_.load() != 0 || !recorder::start_background_thread(thread_main, this))
    set_and_wake(done_);
}

bool Sampler::stop(int milliseconds) noexcept {
  set_and_wake(stop_);
  if (running_in_ == 0 || running_in_ != getpid()) return true;
  const std::int64_t deadline = now_ns() + milliseconds * kMillisecond;
  for (std::int64_t left = deadline - now_ns(); done_.load() == 0 && left > 0;
       left = deadline - now_ns())
    wait_on(done_, left);
  return done_.load() != 0;
}

void* Sampler::thread_main(void* sampler) {
  recorder::become_background_thread("stepscope-nvml");
  auto* self = static_cast<Sampler*>(sampler);
  self->run();
  set_and_wake(self->done_);
  return nullptr;
}

void Sampler::run() noexcept {
  if (!enter_nvml()) return;
  Library library{};
  const bool good = start_library(library);
  gate_.leave();
  if (good) sample(library);
}

bool Sampler::start_library(Library& library) noexcept {
  const FoundLibrary found = options_.find();
  if (!found.usable) return note_failure(found.why_not.data());
  library = found.functions;
  if (const Status status = library.init(); status != kSuccess)
    return note_failure(text_of(library, status).data());
  record_driver(library);
  return true;
}

void Sampler::sample(const Library& library) noexcept {
  DeviceLocks locks;
  (void)locks.open(lock_path().data());
  SampledDevices devices(library, locks);
  const std::int64_t period = std::int64_t{options_.period_ms} * kMillisecond;
  std::int64_t next_take = 0;
  Cost cost;
  while (enter_nvml()) {
    const std::int64_t begin = now_ns();
    if (add_wanted(devices) || begin >= next_take) {
      devices.take_free();
      next_take = begin + kSecond;
    }
    devices.read_all(queue_);
    gate_.leave();
    const std::int64_t took = now_ns() - begin;
    cost.add(took);
    sleep(std::max(period - took, kRestPerWork * took));
  }
  cost.record();
}

bool Sampler::add_wanted(SampledDevices& devices) noexcept {
  const std::uint32_t wanted = wanted_count_.load(std::memory_order_acquire);
  if (known_ == wanted) return false;
  for (; known_ < wanted; ++known_)
    devices.add(wanted_[known_].device, wanted_[known_].uuid.data());
  return true;
}

bool Sampler::enter_nvml() noexcept {
  while (stop_.load() == 0) {
    if (gate_.enter()) return true;
    sleep(kMillisecond);
  }
  return false;
}

void Sampler::sleep(std::int64_t ns) noexcept {
  const std::int64_t until = now_ns() + ns;
  for (std::int64_t left = ns; stop_.load(std::memory_order_acquire) == 0 && left > 0;
       left = until - now_ns())
    wait_on(stop_, left);
}

bool Sampler::due(std::int64_t now) noexcept {
  return !queue_.empty() && now - last_collect_ns_ >= kSecond;
}

bool Sampler::collect(EventBatch& batch, StoreWriter& store, bool last) noexcept {
  if (last) set_and_wake(stop_);
  last_collect_ns_ = now_ns();
  Reading reading;
  while (queue_.take(reading)) {
    for (std::size_t counter = 0; counter < kDeviceCounters; ++counter) {
      if (!reading.has(static_cast<DeviceCounter>(counter))) continue;
      batch.counters.time.push_back(reading.time);
      batch.counters.track.push_back(track_of(reading.device, counter, store));
      batch.counters.process.push_back(0);
      batch.counters.value.push_back(reading.values[counter]);
    }
  }
  return false;
}

StringId Sampler::track_of(std::uint32_t device, std::size_t counter, StoreWriter& store) {
  StringId& track = tracks_[device][counter];
  if (track == 0) track = store.intern(device_track(device, static_cast<DeviceCounter>(counter)));
  return track;
}

}  // namespace stepscope::nvml
