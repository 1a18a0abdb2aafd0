// SPDX-License-Identifier: Apache-2.0
// The part of NVML that is used, in own declarations: numbers and layouts of its stable C
// interface, which a test compares with the real header where one is found.
#pragma once

#include <cstdint>

namespace stepscope::nvml {

using Status = int;
inline constexpr Status kSuccess = 0, kNotSupported = 3, kNoPermission = 4, kNotFound = 6,
                        kInsufficientSize = 7, kFunctionNotFound = 13;

using Handle = struct HandleTag*;  // a device

inline constexpr unsigned kClockSm = 1, kClockMemory = 2;
inline constexpr unsigned kSensorGpu = 0;

struct Memory {
  unsigned long long total, free, used;
};

struct ProcessInfo {
  unsigned pid;
  unsigned long long used_bytes;
  unsigned gpu_instance, compute_instance;
};
// A process whose memory the driver does not report.
inline constexpr unsigned long long kNotAvailable = ~0ULL;

inline constexpr unsigned kFieldNvlinkSent = 138, kFieldNvlinkReceived = 139;  // KiB
inline constexpr unsigned kFieldPowerInstant = 186;                            // mW
inline constexpr unsigned kScopeGpu = 0, kScopeAllLinks = ~0U;

enum class ValueType : unsigned {
  real = 0,
  unsigned_int = 1,
  unsigned_long = 2,
  unsigned_long_long = 3,
  signed_long_long = 4,
  signed_int = 5,
};

struct FieldValue {
  unsigned field;
  unsigned scope;
  long long time_us;
  long long latency_us;
  ValueType type;
  Status status;
  union {
    double real;
    int signed_int;
    unsigned unsigned_int;
    unsigned long unsigned_long;
    unsigned long long unsigned_long_long;
    long long signed_long_long;
  } value;
};

}  // namespace stepscope::nvml
