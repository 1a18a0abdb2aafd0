// SPDX-License-Identifier: Apache-2.0
// The functions of libcuda, NVML and CUPTI that doctor calls, each in a library of its own. The
// environment says what becomes of the first call: FAKE_CUDA=recurse, hang, abort or exit; with
// anything else it answers.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace {

// The compiler must not see that the two call each other without an end, as in CUPTI 13.2.86.
int first(int depth);
int second(int depth);
int (*volatile other_of_first)(int) = second;
int (*volatile other_of_second)(int) = first;
int first(int depth) {
  volatile char frame[256]{};
  frame[0] = static_cast<char>(depth);
  return other_of_first(depth + 1) + frame[0];
}
int second(int depth) {
  volatile char frame[256]{};
  frame[0] = static_cast<char>(depth);
  return other_of_second(depth + 1) + frame[0];
}

int behave(const char* variable) {
  const char* text = std::getenv(variable);
  const char* way = text == nullptr ? "" : text;
  if (std::strcmp(way, "recurse") == 0) return first(0);
  if (std::strcmp(way, "abort") == 0) std::abort();
  if (std::strcmp(way, "exit") == 0) std::exit(0);
  while (std::strcmp(way, "hang") == 0) pause();
  return 0;
}

}  // namespace

#define FUNCTION extern "C" __attribute__((visibility("default")))

#ifdef FAKE_CUDA
FUNCTION int cuDriverGetVersion(int* version) {
  *version = 13000;
  return behave("FAKE_CUDA");
}
#endif

#ifdef FAKE_NVML
FUNCTION int nvmlInit_v2() {
  return behave("FAKE_NVML");
}
FUNCTION int nvmlDeviceGetHandleByUUID(const char*, void**) {
  return 6;
}
FUNCTION int nvmlDeviceGetIndex(void*, unsigned*) {
  return 6;
}
#endif

#ifdef FAKE_CUPTI
FUNCTION int cuptiGetVersion(std::uint32_t* version) {
  *version = 130000;
  return behave("FAKE_CUPTI");
}
#define NEVER_CALLED(name) \
  FUNCTION int name() {    \
    return 1;              \
  }
NEVER_CALLED(cuptiSubscribe)
NEVER_CALLED(cuptiUnsubscribe)
NEVER_CALLED(cuptiEnableCallback)
NEVER_CALLED(cuptiEnableDomain)
NEVER_CALLED(cuptiActivityRegisterCallbacks)
NEVER_CALLED(cuptiActivityEnable)
NEVER_CALLED(cuptiActivityDisable)
NEVER_CALLED(cuptiActivityFlushAll)
NEVER_CALLED(cuptiActivityGetNextRecord)
NEVER_CALLED(cuptiActivityGetNumDroppedRecords)
NEVER_CALLED(cuptiSetThreadIdType)
NEVER_CALLED(cuptiGetStreamIdEx)
NEVER_CALLED(cuptiGetDeviceId)
NEVER_CALLED(cuptiGetResultString)
#endif
