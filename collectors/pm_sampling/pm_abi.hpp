// SPDX-License-Identifier: Apache-2.0
// The part of CUPTI's PM sampling and profiler host interfaces that is used (CUDA 12.6 and later),
// declared by us from its documentation; tests/collectors/pm_sampling compares every number here
// with the real headers. Each function takes one struct, whose first field is the bytes up to the
// end of its last field; the second is reserved.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stepscope::pm {

using Status = int;  // CUptiResult
inline constexpr Status kSuccess = 0;
inline constexpr Status kInsufficientPrivileges = 35;
inline constexpr Status kVirtualizedNoPrivileges = 40;

inline constexpr std::uint32_t kProfilerPmSampling = 1;
inline constexpr std::uint32_t kTriggerByTime = 1;  // the interval is in nanoseconds
inline constexpr std::uint32_t kKeepOldest = 0;
inline constexpr std::uint32_t kImageFull = 1;  // why decoding stopped

struct Initialize {
  std::size_t bytes = sizeof(Initialize);
  void* reserved = nullptr;
};

struct GetChipName {
  std::size_t bytes = sizeof(GetChipName);
  void* reserved = nullptr;
  std::size_t device = 0;
  const char* name = nullptr;
};

struct GetCounterAvailability {
  std::size_t bytes = sizeof(GetCounterAvailability);
  void* reserved = nullptr;
  std::size_t device = 0;
  std::size_t image_bytes = 0;
  std::uint8_t* image = nullptr;  // null: only the size is asked for
};

struct HostInitialize {
  std::size_t bytes = sizeof(HostInitialize);
  void* reserved = nullptr;
  std::uint32_t profiler = kProfilerPmSampling;
  const char* chip = nullptr;
  const std::uint8_t* availability = nullptr;
  void* host = nullptr;
};

struct HostDeinitialize {
  std::size_t bytes = sizeof(HostDeinitialize);
  void* reserved = nullptr;
  void* host = nullptr;
};

struct AddMetrics {
  std::size_t bytes = sizeof(AddMetrics);
  void* reserved = nullptr;
  void* host = nullptr;
  const char* const* metrics = nullptr;
  std::size_t count = 0;
};

struct GetConfigSize {
  std::size_t bytes = sizeof(GetConfigSize);
  void* reserved = nullptr;
  void* host = nullptr;
  std::size_t config_bytes = 0;
};

struct GetConfig {
  std::size_t bytes = sizeof(GetConfig);
  void* reserved = nullptr;
  void* host = nullptr;
  std::size_t config_bytes = 0;
  std::uint8_t* config = nullptr;
};

struct GetPasses {
  std::size_t bytes = sizeof(GetPasses);
  void* reserved = nullptr;
  std::size_t config_bytes = 0;
  std::uint8_t* config = nullptr;
  std::size_t passes = 0;
};

struct Evaluate {
  std::size_t bytes = sizeof(Evaluate);
  void* reserved = nullptr;
  void* host = nullptr;
  const std::uint8_t* data = nullptr;
  std::size_t data_bytes = 0;
  std::size_t sample = 0;
  const char* const* metrics = nullptr;
  std::size_t count = 0;
  double* values = nullptr;
};

struct Enable {
  std::size_t bytes = sizeof(Enable);
  void* reserved = nullptr;
  std::size_t device = 0;
  void* sampling = nullptr;
};

struct OfSampling {  // start, stop, disable
  std::size_t bytes = sizeof(OfSampling);
  void* reserved = nullptr;
  void* sampling = nullptr;
};

struct SetConfig {
  std::size_t bytes = sizeof(SetConfig);
  void* reserved = nullptr;
  void* sampling = nullptr;
  std::size_t config_bytes = 0;
  const std::uint8_t* config = nullptr;
  std::size_t hardware_buffer_bytes = 0;
  std::uint64_t interval = 0;
  std::uint32_t trigger = kTriggerByTime;
  std::uint32_t append_mode = kKeepOldest;
};

struct GetDataSize {
  std::size_t bytes = sizeof(GetDataSize);
  void* reserved = nullptr;
  void* sampling = nullptr;
  const char* const* metrics = nullptr;
  std::size_t count = 0;
  std::uint32_t most_samples = 0;
  std::size_t data_bytes = 0;
};

struct InitializeData {
  std::size_t bytes = sizeof(InitializeData);
  void* reserved = nullptr;
  void* sampling = nullptr;
  std::size_t data_bytes = 0;
  std::uint8_t* data = nullptr;
};

struct DecodeData {
  std::size_t bytes = offsetof(DecodeData, overflow) + sizeof(overflow);
  void* reserved = nullptr;
  void* sampling = nullptr;
  std::uint8_t* data = nullptr;
  std::size_t data_bytes = 0;
  std::uint32_t stop_reason = 0;
  std::uint8_t overflow = 0;
};

struct GetDataInfo {
  std::size_t bytes = sizeof(GetDataInfo);
  void* reserved = nullptr;
  const std::uint8_t* data = nullptr;
  std::size_t data_bytes = 0;
  std::size_t total = 0;
  std::size_t populated = 0;
  std::size_t completed = 0;
};

struct GetSampleInfo {
  std::size_t bytes = sizeof(GetSampleInfo);
  void* reserved = nullptr;
  void* sampling = nullptr;
  const std::uint8_t* data = nullptr;
  std::size_t data_bytes = 0;
  std::size_t sample = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

}  // namespace stepscope::pm
