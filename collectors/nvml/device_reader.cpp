// SPDX-License-Identifier: Apache-2.0
#include "collectors/nvml/device_reader.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "collectors/recorder/clock.hpp"
#include "collectors/recorder/recorder.hpp"

namespace stepscope::nvml {
namespace {

constexpr double kKiB = 1024;

// Calls a function that may be missing.
template <class Function, class... Arguments>
Status call(Function function, Arguments... arguments) noexcept {
  return function == nullptr ? kFunctionNotFound : function(arguments...);
}

bool is_final(Status status) noexcept {
  return status == kNotSupported || status == kNoPermission || status == kNotFound ||
         status == kFunctionNotFound;
}

double number_of(const FieldValue& value) noexcept {
  switch (value.type) {
    case ValueType::real:
      return value.value.real;
    case ValueType::unsigned_int:
      return value.value.unsigned_int;
    case ValueType::unsigned_long:
      return static_cast<double>(value.value.unsigned_long);
    case ValueType::unsigned_long_long:
      return static_cast<double>(value.value.unsigned_long_long);
    case ValueType::signed_long_long:
      return static_cast<double>(value.value.signed_long_long);
    case ValueType::signed_int:
      break;
  }
  return value.value.signed_int;
}

// A device without NVLink, or without limits on its power, lacks nothing.
bool is_missed(DeviceCounter counter) noexcept {
  return counter != DeviceCounter::nvlink_sent_bytes &&
         counter != DeviceCounter::nvlink_received_bytes &&
         counter != DeviceCounter::power_limit_mw &&
         counter != DeviceCounter::default_power_limit_mw;
}

}  // namespace

Reading DeviceReader::read() noexcept {
  Reading reading;
  reading.time = recorder::clock_ns(CLOCK_REALTIME);
  reading.device = device_;
  read_clocks(reading);
  read_power(reading);
  read_memory(reading);
  if (readings_ % kSeldom == 0) {
    read_processes(reading);
    read_power_limits(reading);
  }
  read_nvlink(reading);
  ++readings_;
  return reading;
}

void DeviceReader::read_clocks(Reading& to) noexcept {
  read_number(to, DeviceCounter::sm_clock_mhz, library_.clock, kClockSm);
  read_number(to, DeviceCounter::memory_clock_mhz, library_.clock, kClockMemory);
  read_number(to, DeviceCounter::temperature_celsius, library_.temperature, kSensorGpu);
  if (!is_on(DeviceCounter::throttle_reasons)) return;
  unsigned long long bits = 0;
  const Status status = call(library_.clock_reasons, handle_, &bits);
  take(to, DeviceCounter::throttle_reasons, status, static_cast<double>(bits));
}

void DeviceReader::read_number(Reading& to, DeviceCounter counter,
                               Status (*function)(Handle, unsigned, unsigned*),
                               unsigned which) noexcept {
  if (!is_on(counter)) return;
  unsigned value = 0;
  const Status status = call(function, handle_, which, &value);
  take(to, counter, status, value);
}

// Reads the present power where the driver gives it, else its own mean (over a second on most).
void DeviceReader::read_power(Reading& to) noexcept {
  if (!is_on(DeviceCounter::power_mw)) return;
  Status status = kSuccess;
  double value = 0;
  if (instant_power_ && !field(kFieldPowerInstant, kScopeGpu, value, status))
    instant_power_ = !is_final(status);
  if (!instant_power_) {
    unsigned milliwatts = 0;
    status = call(library_.power, handle_, &milliwatts);
    value = milliwatts;
  }
  take(to, DeviceCounter::power_mw, status, value);
}

void DeviceReader::read_power_limits(Reading& to) noexcept {
  for (const auto& [counter, function] :
       {std::pair(DeviceCounter::power_limit_mw, library_.power_limit),
        std::pair(DeviceCounter::default_power_limit_mw, library_.default_power_limit)}) {
    if (!is_on(counter)) continue;
    unsigned milliwatts = 0;
    const Status status = call(function, handle_, &milliwatts);
    take(to, counter, status, milliwatts);
  }
}

void DeviceReader::read_memory(Reading& to) noexcept {
  if (!is_on(DeviceCounter::memory_used_bytes)) return;
  Memory memory{};
  const Status status = call(library_.memory, handle_, &memory);
  take(to, DeviceCounter::memory_used_bytes, status, static_cast<double>(memory.used));
}

// NVML numbers processes as the host does: in a container with its own numbers none is ours, and
// yet ours, which holds a context, is among them.
void DeviceReader::read_processes(Reading& to) noexcept {
  if (!is_on(DeviceCounter::process_memory_bytes) && !is_on(DeviceCounter::other_processes)) return;
  std::array<ProcessInfo, 64> list{};
  auto count = static_cast<unsigned>(list.size());
  const Status status = call(library_.processes, handle_, &count, list.data());
  if (status != kSuccess) {
    if (is_on(DeviceCounter::process_memory_bytes))
      take(to, DeviceCounter::process_memory_bytes, status, 0);
    return;
  }
  const auto last = list.begin() + std::min<std::ptrdiff_t>(count, list.size());
  const auto own = std::find_if(list.begin(), last, [](const ProcessInfo& info) {
    return info.pid == static_cast<unsigned>(getpid());
  });
  take(to, DeviceCounter::other_processes, kSuccess, count == 0 ? 0 : count - 1);
  take_process_memory(to, own == last ? nullptr : &*own);
}

void DeviceReader::take_process_memory(Reading& to, const ProcessInfo* own) noexcept {
  if (!is_on(DeviceCounter::process_memory_bytes)) return;
  if (own != nullptr && own->used_bytes != kNotAvailable)
    return take(to, DeviceCounter::process_memory_bytes, kSuccess,
                static_cast<double>(own->used_bytes));
  switch_off(DeviceCounter::process_memory_bytes,
             "NVML does not list this process (a container numbers it otherwise)", true);
}

void DeviceReader::read_nvlink(Reading& to) noexcept {
  for (const auto& [counter, id] :
       {std::pair(DeviceCounter::nvlink_sent_bytes, kFieldNvlinkSent),
        std::pair(DeviceCounter::nvlink_received_bytes, kFieldNvlinkReceived)}) {
    if (!is_on(counter)) continue;
    Status status = kSuccess;
    double kibibytes = 0;
    (void)field(id, kScopeAllLinks, kibibytes, status);
    take(to, counter, status, kibibytes * kKiB);
  }
}

bool DeviceReader::field(unsigned id, unsigned scope, double& value, Status& status) noexcept {
  FieldValue asked{};
  asked.field = id;
  asked.scope = scope;
  status = call(library_.fields, handle_, 1, &asked);
  if (status == kSuccess) status = asked.status;
  if (status == kSuccess) value = number_of(asked);
  return status == kSuccess;
}

bool DeviceReader::is_on(DeviceCounter counter) const noexcept {
  return (off_ >> static_cast<unsigned>(counter) & 1U) == 0;
}

void DeviceReader::take(Reading& to, DeviceCounter counter, Status status, double value) noexcept {
  const auto place = static_cast<std::size_t>(counter);
  if (status == kSuccess) {
    failures_[place] = 0;
    to.known |= 1U << place;
    to.values[place] = value;
  } else if (++failures_[place] >= kMostFailures || is_final(status)) {
    switch_off(counter, text_of(library_, status).data(), is_missed(counter));
  }
}

void DeviceReader::switch_off(DeviceCounter counter, const char* why, bool note) noexcept {
  off_ |= 1U << static_cast<unsigned>(counter);
  if (!note) return;
  std::array<char, 256> sentence{};
  const std::string_view name = name_of(counter);
  std::snprintf(sentence.data(), sentence.size(), "GPU %u: %.*s is not sampled: %s", device_,
                static_cast<int>(name.size()), name.data(), why);
  recorder::note(sentence.data());
}

}  // namespace stepscope::nvml
