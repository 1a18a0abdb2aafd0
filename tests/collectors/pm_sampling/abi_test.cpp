// SPDX-License-Identifier: Apache-2.0
// Our declarations against the real headers of CUPTI.
#include "collectors/pm_sampling/pm_abi.hpp"

#include <cupti_pmsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_result.h>
#include <cupti_target.h>
#include <gtest/gtest.h>

namespace stepscope::pm {
namespace {

#define EXPECT_FIELD(Ours, ours, Theirs, theirs)             \
  EXPECT_EQ(offsetof(Ours, ours), offsetof(Theirs, theirs)); \
  EXPECT_EQ(sizeof(Ours::ours), sizeof(Theirs::theirs))

#define EXPECT_BYTES(Ours, Theirs)                    \
  EXPECT_EQ(Ours{}.bytes, Theirs##_STRUCT_SIZE);      \
  EXPECT_EQ(sizeof(Ours), sizeof(Theirs));            \
  EXPECT_EQ(offsetof(Ours, reserved), sizeof(void*)); \
  EXPECT_EQ(Ours{}.reserved, nullptr)

TEST(PmAbi, StructsAreAsLongAsTheirs) {
  EXPECT_BYTES(Initialize, CUpti_Profiler_Initialize_Params);
  EXPECT_BYTES(GetChipName, CUpti_Device_GetChipName_Params);
  EXPECT_BYTES(GetCounterAvailability, CUpti_PmSampling_GetCounterAvailability_Params);
  EXPECT_BYTES(HostInitialize, CUpti_Profiler_Host_Initialize_Params);
  EXPECT_BYTES(HostDeinitialize, CUpti_Profiler_Host_Deinitialize_Params);
  EXPECT_BYTES(AddMetrics, CUpti_Profiler_Host_ConfigAddMetrics_Params);
  EXPECT_BYTES(GetConfigSize, CUpti_Profiler_Host_GetConfigImageSize_Params);
  EXPECT_BYTES(GetConfig, CUpti_Profiler_Host_GetConfigImage_Params);
  EXPECT_BYTES(GetPasses, CUpti_Profiler_Host_GetNumOfPasses_Params);
  EXPECT_BYTES(Evaluate, CUpti_Profiler_Host_EvaluateToGpuValues_Params);
  EXPECT_BYTES(Enable, CUpti_PmSampling_Enable_Params);
  EXPECT_BYTES(OfSampling, CUpti_PmSampling_Start_Params);
  EXPECT_BYTES(OfSampling, CUpti_PmSampling_Stop_Params);
  EXPECT_BYTES(OfSampling, CUpti_PmSampling_Disable_Params);
  EXPECT_BYTES(SetConfig, CUpti_PmSampling_SetConfig_Params);
  EXPECT_BYTES(GetDataSize, CUpti_PmSampling_GetCounterDataSize_Params);
  EXPECT_BYTES(InitializeData, CUpti_PmSampling_CounterDataImage_Initialize_Params);
  EXPECT_BYTES(DecodeData, CUpti_PmSampling_DecodeData_Params);
  EXPECT_BYTES(GetDataInfo, CUpti_PmSampling_GetCounterDataInfo_Params);
  EXPECT_BYTES(GetSampleInfo, CUpti_PmSampling_CounterData_GetSampleInfo_Params);
}

TEST(PmAbi, FieldsLieWhereTheirsDo) {
  EXPECT_FIELD(GetChipName, device, CUpti_Device_GetChipName_Params, deviceIndex);
  EXPECT_FIELD(GetChipName, name, CUpti_Device_GetChipName_Params, pChipName);
  using Availability = CUpti_PmSampling_GetCounterAvailability_Params;
  EXPECT_FIELD(GetCounterAvailability, device, Availability, deviceIndex);
  EXPECT_FIELD(GetCounterAvailability, image_bytes, Availability, counterAvailabilityImageSize);
  EXPECT_FIELD(GetCounterAvailability, image, Availability, pCounterAvailabilityImage);
  EXPECT_FIELD(HostInitialize, profiler, CUpti_Profiler_Host_Initialize_Params, profilerType);
  EXPECT_FIELD(HostInitialize, chip, CUpti_Profiler_Host_Initialize_Params, pChipName);
  EXPECT_FIELD(HostInitialize, availability, CUpti_Profiler_Host_Initialize_Params,
               pCounterAvailabilityImage);
  EXPECT_FIELD(HostInitialize, host, CUpti_Profiler_Host_Initialize_Params, pHostObject);
  EXPECT_FIELD(AddMetrics, metrics, CUpti_Profiler_Host_ConfigAddMetrics_Params, ppMetricNames);
  EXPECT_FIELD(AddMetrics, count, CUpti_Profiler_Host_ConfigAddMetrics_Params, numMetrics);
  EXPECT_FIELD(GetConfig, config, CUpti_Profiler_Host_GetConfigImage_Params, pConfigImage);
  EXPECT_FIELD(GetPasses, config, CUpti_Profiler_Host_GetNumOfPasses_Params, pConfigImage);
  EXPECT_FIELD(GetPasses, passes, CUpti_Profiler_Host_GetNumOfPasses_Params, numOfPasses);
}

TEST(PmAbi, FieldsOfSamplingLieWhereTheirsDo) {
  using Values = CUpti_Profiler_Host_EvaluateToGpuValues_Params;
  EXPECT_FIELD(Evaluate, data, Values, pCounterDataImage);
  EXPECT_FIELD(Evaluate, sample, Values, rangeIndex);
  EXPECT_FIELD(Evaluate, metrics, Values, ppMetricNames);
  EXPECT_FIELD(Evaluate, values, Values, pMetricValues);
  EXPECT_FIELD(Enable, device, CUpti_PmSampling_Enable_Params, deviceIndex);
  EXPECT_FIELD(Enable, sampling, CUpti_PmSampling_Enable_Params, pPmSamplingObject);
  using Config = CUpti_PmSampling_SetConfig_Params;
  EXPECT_FIELD(SetConfig, sampling, Config, pPmSamplingObject);
  EXPECT_FIELD(SetConfig, config, Config, pConfig);
  EXPECT_FIELD(SetConfig, hardware_buffer_bytes, Config, hardwareBufferSize);
  EXPECT_FIELD(SetConfig, interval, Config, samplingInterval);
  EXPECT_FIELD(SetConfig, trigger, Config, triggerMode);
  EXPECT_FIELD(SetConfig, append_mode, Config, hwBufferAppendMode);
  EXPECT_FIELD(GetDataSize, most_samples, CUpti_PmSampling_GetCounterDataSize_Params, maxSamples);
  EXPECT_FIELD(GetDataSize, data_bytes, CUpti_PmSampling_GetCounterDataSize_Params,
               counterDataSize);
  EXPECT_FIELD(DecodeData, stop_reason, CUpti_PmSampling_DecodeData_Params, decodeStopReason);
  EXPECT_FIELD(DecodeData, overflow, CUpti_PmSampling_DecodeData_Params, overflow);
  EXPECT_FIELD(GetDataInfo, completed, CUpti_PmSampling_GetCounterDataInfo_Params,
               numCompletedSamples);
  using Info = CUpti_PmSampling_CounterData_GetSampleInfo_Params;
  EXPECT_FIELD(GetSampleInfo, sample, Info, sampleIndex);
  EXPECT_FIELD(GetSampleInfo, begin, Info, startTimestamp);
  EXPECT_FIELD(GetSampleInfo, end, Info, endTimestamp);
}

TEST(PmAbi, NumbersAreTheirs) {
  EXPECT_EQ(kInsufficientPrivileges, CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
  EXPECT_EQ(kVirtualizedNoPrivileges, CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES);
  EXPECT_EQ(kProfilerPmSampling, static_cast<unsigned>(CUPTI_PROFILER_TYPE_PM_SAMPLING));
  EXPECT_EQ(kTriggerByTime,
            static_cast<unsigned>(CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL));
  EXPECT_EQ(kKeepOldest,
            static_cast<unsigned>(CUPTI_PM_SAMPLING_HARDWARE_BUFFER_APPEND_MODE_KEEP_OLDEST));
  EXPECT_EQ(kImageFull,
            static_cast<unsigned>(CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL));
}

}  // namespace
}  // namespace stepscope::pm
