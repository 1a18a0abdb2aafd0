// SPDX-License-Identifier: Apache-2.0
// Our declarations against the real header of NVML.
#include "collectors/nvml/nvml_abi.hpp"

#include <gtest/gtest.h>
#define NVML_NO_UNVERSIONED_FUNC_DEFS
#include <nvml.h>

#include <type_traits>

#include "collectors/nvml/nvml_library.hpp"
#include "core/model/device_counter.hpp"

namespace stepscope::nvml {
namespace {

#define EXPECT_FIELD(Ours, ours, Theirs, theirs)             \
  EXPECT_EQ(offsetof(Ours, ours), offsetof(Theirs, theirs)); \
  EXPECT_EQ(sizeof(Ours::ours), sizeof(std::declval<Theirs>().theirs))

TEST(NvmlAbi, StructsHaveTheirFields) {
  EXPECT_FIELD(Memory, total, nvmlMemory_t, total);
  EXPECT_FIELD(Memory, free, nvmlMemory_t, free);
  EXPECT_FIELD(Memory, used, nvmlMemory_t, used);
  EXPECT_EQ(sizeof(Memory), sizeof(nvmlMemory_t));
  EXPECT_FIELD(ProcessInfo, pid, nvmlProcessInfo_t, pid);
  EXPECT_FIELD(ProcessInfo, used_bytes, nvmlProcessInfo_t, usedGpuMemory);
  EXPECT_EQ(sizeof(ProcessInfo), sizeof(nvmlProcessInfo_t));
  EXPECT_FIELD(FieldValue, field, nvmlFieldValue_t, fieldId);
  EXPECT_FIELD(FieldValue, scope, nvmlFieldValue_t, scopeId);
  EXPECT_FIELD(FieldValue, time_us, nvmlFieldValue_t, timestamp);
  EXPECT_FIELD(FieldValue, type, nvmlFieldValue_t, valueType);
  EXPECT_FIELD(FieldValue, status, nvmlFieldValue_t, nvmlReturn);
  EXPECT_FIELD(FieldValue, value, nvmlFieldValue_t, value);
  EXPECT_EQ(sizeof(FieldValue), sizeof(nvmlFieldValue_t));
}

TEST(NvmlAbi, NumbersAreTheirs) {
  EXPECT_EQ(kSuccess, NVML_SUCCESS);
  EXPECT_EQ(kNotSupported, NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(kNoPermission, NVML_ERROR_NO_PERMISSION);
  EXPECT_EQ(kNotFound, NVML_ERROR_NOT_FOUND);
  EXPECT_EQ(kInsufficientSize, NVML_ERROR_INSUFFICIENT_SIZE);
  EXPECT_EQ(kFunctionNotFound, NVML_ERROR_FUNCTION_NOT_FOUND);
  EXPECT_EQ(kClockSm, static_cast<unsigned>(NVML_CLOCK_SM));
  EXPECT_EQ(kClockMemory, static_cast<unsigned>(NVML_CLOCK_MEM));
  EXPECT_EQ(kSensorGpu, static_cast<unsigned>(NVML_TEMPERATURE_GPU));
  EXPECT_EQ(kFieldNvlinkSent, static_cast<unsigned>(NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_TX));
  EXPECT_EQ(kFieldNvlinkReceived, static_cast<unsigned>(NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_RX));
  EXPECT_EQ(kFieldPowerInstant, static_cast<unsigned>(NVML_FI_DEV_POWER_INSTANT));
  EXPECT_EQ(kScopeGpu, NVML_POWER_SCOPE_GPU);
  EXPECT_EQ(kNotAvailable, static_cast<unsigned long long>(NVML_VALUE_NOT_AVAILABLE));
}

TEST(NvmlAbi, ValueTypesAreTheirs) {
  const auto is = [](ValueType ours, nvmlValueType_t theirs) {
    return static_cast<unsigned>(ours) == static_cast<unsigned>(theirs);
  };
  EXPECT_TRUE(is(ValueType::real, NVML_VALUE_TYPE_DOUBLE));
  EXPECT_TRUE(is(ValueType::unsigned_int, NVML_VALUE_TYPE_UNSIGNED_INT));
  EXPECT_TRUE(is(ValueType::unsigned_long, NVML_VALUE_TYPE_UNSIGNED_LONG));
  EXPECT_TRUE(is(ValueType::unsigned_long_long, NVML_VALUE_TYPE_UNSIGNED_LONG_LONG));
  EXPECT_TRUE(is(ValueType::signed_long_long, NVML_VALUE_TYPE_SIGNED_LONG_LONG));
  EXPECT_TRUE(is(ValueType::signed_int, NVML_VALUE_TYPE_SIGNED_INT));
}

TEST(NvmlAbi, ClockReasonsAreTheirs) {
  const std::uint64_t theirs[] = {nvmlClocksEventReasonGpuIdle,
                                  nvmlClocksEventReasonApplicationsClocksSetting,
                                  nvmlClocksEventReasonSwPowerCap,
                                  nvmlClocksThrottleReasonHwSlowdown,
                                  nvmlClocksEventReasonSyncBoost,
                                  nvmlClocksEventReasonSwThermalSlowdown,
                                  nvmlClocksThrottleReasonHwThermalSlowdown,
                                  nvmlClocksThrottleReasonHwPowerBrakeSlowdown,
                                  nvmlClocksEventReasonDisplayClockSetting};
  ASSERT_EQ(std::size(theirs), kClockReasons.size());
  for (std::size_t i = 0; i < kClockReasons.size(); ++i)
    EXPECT_EQ(kClockReasons[i].bit, theirs[i]) << kClockReasons[i].id;
}

// The parameters that our pointers pass: types that differ only in name have one layout.
TEST(NvmlAbi, FunctionsTakeWhatIsPassed) {
  static_assert(std::is_invocable_v<decltype(nvmlDeviceGetClockInfo), nvmlDevice_t, nvmlClockType_t,
                                    unsigned*>);
  static_assert(std::is_invocable_v<decltype(nvmlDeviceGetComputeRunningProcesses_v3), nvmlDevice_t,
                                    unsigned*, nvmlProcessInfo_t*>);
  static_assert(std::is_invocable_v<decltype(nvmlDeviceGetFieldValues), nvmlDevice_t, int,
                                    nvmlFieldValue_t*>);
  static_assert(std::is_invocable_v<decltype(nvmlDeviceGetTemperature), nvmlDevice_t,
                                    nvmlTemperatureSensors_t, unsigned*>);
  static_assert(std::is_invocable_v<decltype(nvmlDeviceGetCurrentClocksEventReasons), nvmlDevice_t,
                                    unsigned long long*>);
  static_assert(
      std::is_invocable_v<decltype(nvmlDeviceGetHandleByIndex_v2), unsigned, nvmlDevice_t*>);
  static_assert(
      std::is_invocable_v<decltype(nvmlDeviceGetEnforcedPowerLimit), nvmlDevice_t, unsigned*>);
  static_assert(std::is_invocable_v<decltype(nvmlDeviceGetPowerManagementDefaultLimit),
                                    nvmlDevice_t, unsigned*>);
  static_assert(std::is_invocable_v<decltype(nvmlDeviceGetName), nvmlDevice_t, char*, unsigned>);
  static_assert(
      std::is_invocable_v<decltype(nvmlDeviceGetMigMode), nvmlDevice_t, unsigned*, unsigned*>);
  static_assert(sizeof(Handle) == sizeof(nvmlDevice_t));
}

}  // namespace
}  // namespace stepscope::nvml
