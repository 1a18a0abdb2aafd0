// SPDX-License-Identifier: Apache-2.0
#include "tests/collectors/nvml/fake_nvml.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstring>

namespace stepscope::nvml::fake_nvml {
namespace {

std::array<char, 8> places;

Status init() {
  return state().init_status;
}

Status device_by_uuid(const char* uuid, Handle* device) {
  state().searches += 1;
  if (std::strncmp(uuid, "GPU-", 4) != 0 || uuid[4] < '0' || uuid[4] > '7') return kNotFound;
  *device = reinterpret_cast<Handle>(&places[static_cast<std::size_t>(uuid[4] - '0')]);
  return kSuccess;
}

Status index_of(Handle device, unsigned* index) {
  *index = static_cast<unsigned>(reinterpret_cast<char*>(device) - places.data());
  return kSuccess;
}

const char* error_text(Status status) {
  return status == kNotSupported ? "Not Supported" : "Some Error";
}

Status driver_version(char* text, unsigned bytes) {
  std::snprintf(text, bytes, "580.1");
  return kSuccess;
}

Status clock(Handle /*device*/, unsigned which, unsigned* mhz) {
  state().clock_calls += 1;
  if (state().hang_ms > 0) usleep(static_cast<useconds_t>(state().hang_ms) * 1000);
  *mhz = which == kClockSm ? state().sm_mhz : state().memory_mhz;
  return state().clock_status;
}

Status power(Handle /*device*/, unsigned* milliwatts) {
  *milliwatts = state().mean_mw;
  return kSuccess;
}

Status clock_reasons(Handle /*device*/, unsigned long long* bits) {
  *bits = state().reasons;
  return kSuccess;
}

Status temperature(Handle /*device*/, unsigned /*sensor*/, unsigned* celsius) {
  *celsius = state().celsius;
  return kSuccess;
}

Status memory(Handle /*device*/, Memory* to) {
  *to = state().memory;
  return kSuccess;
}

Status power_limit(Handle /*device*/, unsigned* milliwatts) {
  *milliwatts = state().limit_mw;
  return kSuccess;
}

Status default_power_limit(Handle /*device*/, unsigned* milliwatts) {
  *milliwatts = state().default_limit_mw;
  return kSuccess;
}

Status processes(Handle /*device*/, unsigned* count, ProcessInfo* list) {
  list[0] = {1, 1, 0, 0};
  list[1] = {state().listed_pid, state().listed_bytes, 0, 0};
  *count = 2;
  return state().processes_status;
}

Status fields(Handle /*device*/, int count, FieldValue* values) {
  for (int i = 0; i < count; ++i) {
    FieldValue& value = values[i];
    if (value.field == kFieldPowerInstant) {
      value.type = ValueType::unsigned_int;
      value.value.unsigned_int = state().instant_mw;
      value.status = state().power_field;
    } else {
      value.type = ValueType::unsigned_long_long;
      value.value.unsigned_long_long =
          value.field == kFieldNvlinkSent ? state().sent_kib : state().received_kib;
      value.status = value.scope == kScopeAllLinks ? state().nvlink_field : kNotFound;
    }
  }
  return state().field_status;
}

}  // namespace

State& state() {
  static State one;
  return one;
}

Library library() {
  Library made{init,  device_by_uuid, index_of,    error_text, driver_version, clock,
               power, clock_reasons,  temperature, memory,     processes,      fields};
  made.power_limit = power_limit;
  made.default_power_limit = default_power_limit;
  return made;
}

FoundLibrary find() noexcept {
  state().searches += 1;
  FoundLibrary found;
  found.usable = true;
  found.functions = library();
  return found;
}

FoundLibrary find_none() noexcept {
  state().searches += 1;
  FoundLibrary found;
  std::snprintf(found.why_not.data(), found.why_not.size(), "no library here");
  return found;
}

}  // namespace stepscope::nvml::fake_nvml
