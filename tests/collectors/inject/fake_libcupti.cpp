// SPDX-License-Identifier: Apache-2.0
// A libcupti.so.13 that remembers which activity kinds and callbacks are on and how often it was
// asked for records, and names the caller.
// For the injected library as a whole: it finds and opens CUPTI by itself.
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace {

constexpr std::uint32_t kKinds = 64, kDomains = 8, kIds = 1024;
std::atomic<bool> kinds[kKinds];
std::atomic<bool> callbacks[kDomains][kIds];
std::atomic<int> flushes;

}  // namespace

#define FAKE extern "C" __attribute__((visibility("default"))) int

FAKE fake_kind_is_on(std::uint32_t kind) {
  return kinds[kind] ? 1 : 0;
}
FAKE fake_callback_is_on(std::uint32_t domain, std::uint32_t id) {
  return callbacks[domain][id] ? 1 : 0;
}
FAKE fake_flushes() {
  return flushes;
}

FAKE cuptiGetVersion(std::uint32_t* version) {
  *version = 130001;
  return 0;
}
FAKE cuptiSubscribe(void** subscriber, void*, void*) {
  *subscriber = kinds;
  return 0;
}
FAKE cuptiUnsubscribe(void*) {
  return 0;
}
FAKE cuptiEnableCallback(std::uint32_t enable, void*, std::uint32_t domain, std::uint32_t id) {
  callbacks[domain][id] = enable != 0;
  return 0;
}
FAKE cuptiEnableDomain(std::uint32_t, void*, std::uint32_t) {
  return 0;
}
FAKE cuptiActivityRegisterCallbacks(void*, void*) {
  return 0;
}
FAKE cuptiActivityEnable(std::uint32_t kind) {
  kinds[kind] = true;
  return 0;
}
FAKE cuptiActivityDisable(std::uint32_t kind) {
  kinds[kind] = false;
  return 0;
}
FAKE cuptiActivityFlushAll(std::uint32_t) {
  ++flushes;
  return 0;
}
FAKE cuptiActivityGetNextRecord(std::uint8_t*, std::size_t, void**) {
  return 12;  // no more records
}
FAKE cuptiActivityGetNumDroppedRecords(void*, std::uint32_t, std::size_t* dropped) {
  *dropped = 0;
  return 0;
}
FAKE cuptiSetThreadIdType(std::uint32_t) {
  return 0;
}
FAKE cuptiGetStreamIdEx(void*, void*, std::uint8_t, std::uint32_t* id) {
  *id = 7;
  return 0;
}
FAKE cuptiGetDeviceId(void*, std::uint32_t* device) {
  *device = 0;
  return 0;
}
FAKE cuptiGetResultString(int, const char** text) {
  *text = "CUPTI_ERROR_OF_A_TEST";
  return 0;
}
FAKE cuptiGetGraphNodeId(void*, std::uint64_t* id) {
  *id = 1;
  return 0;
}
