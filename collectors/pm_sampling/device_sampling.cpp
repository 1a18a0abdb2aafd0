// SPDX-License-Identifier: Apache-2.0
#include "collectors/pm_sampling/device_sampling.hpp"

namespace stepscope::pm {
namespace {

constexpr Status kTooManyPasses = -1;

template <class Parameters>
Outcome call(Status (*function)(Parameters*), const char* name, Parameters& parameters) noexcept {
  const Status status = function(&parameters);
  return status == kSuccess ? Outcome{} : Outcome{name, status};
}

}  // namespace

Outcome DeviceSampling::open(std::uint64_t interval_ns) noexcept {
  Initialize initialize;
  Outcome out = call(library_.initialize, "cuptiProfilerInitialize", initialize);
  if (out.ok()) out = make_host();
  if (out.ok()) out = make_config();
  Enable enable;
  enable.device = device_;
  if (out.ok()) out = call(library_.enable, "cuptiPmSamplingEnable", enable);
  sampling_ = enable.sampling;
  SetConfig config;
  config.sampling = sampling_;
  config.config_bytes = config_.size();
  config.config = config_.data();
  config.hardware_buffer_bytes = kHardwareBufferBytes;
  config.interval = interval_ns;
  if (out.ok()) out = call(library_.set_config, "cuptiPmSamplingSetConfig", config);
  if (out.ok()) out = make_data();
  if (!out.ok()) close();
  return out;
}

Outcome DeviceSampling::make_host() noexcept {
  GetChipName chip;
  chip.device = device_;
  Outcome out = call(library_.chip_name, "cuptiDeviceGetChipName", chip);
  GetCounterAvailability availability;
  availability.device = device_;
  constexpr const char* kAvailability = "cuptiPmSamplingGetCounterAvailability";
  if (out.ok()) out = call(library_.availability, kAvailability, availability);
  if (!out.ok()) return out;
  availability_.resize(availability.image_bytes);
  availability.image = availability_.data();
  out = call(library_.availability, kAvailability, availability);
  HostInitialize host;
  host.chip = chip.name;
  host.availability = availability_.data();
  if (out.ok()) out = call(library_.host_initialize, "cuptiProfilerHostInitialize", host);
  host_ = host.host;
  return out;
}

Outcome DeviceSampling::make_config() noexcept {
  AddMetrics metrics;
  metrics.host = host_;
  metrics.metrics = kMetrics.data();
  metrics.count = kMetrics.size();
  Outcome out = call(library_.add_metrics, "cuptiProfilerHostConfigAddMetrics", metrics);
  GetConfigSize size;
  size.host = host_;
  if (out.ok()) out = call(library_.config_size, "cuptiProfilerHostGetConfigImageSize", size);
  if (!out.ok()) return out;
  config_.resize(size.config_bytes);
  GetConfig config;
  config.host = host_;
  config.config_bytes = config_.size();
  config.config = config_.data();
  out = call(library_.config, "cuptiProfilerHostGetConfigImage", config);
  GetPasses passes;
  passes.config_bytes = config_.size();
  passes.config = config_.data();
  if (out.ok()) out = call(library_.passes, "cuptiProfilerHostGetNumOfPasses", passes);
  if (out.ok() && passes.passes != 1) out = {"cuptiProfilerHostGetNumOfPasses", kTooManyPasses};
  return out;
}

Outcome DeviceSampling::make_data() noexcept {
  GetDataSize size;
  size.sampling = sampling_;
  size.metrics = kMetrics.data();
  size.count = kMetrics.size();
  size.most_samples = kMostSamples;
  const Outcome out = call(library_.data_size, "cuptiPmSamplingGetCounterDataSize", size);
  if (!out.ok()) return out;
  data_.resize(size.data_bytes);
  return reset_data();
}

Outcome DeviceSampling::reset_data() noexcept {
  InitializeData data;
  data.sampling = sampling_;
  data.data_bytes = data_.size();
  data.data = data_.data();
  return call(library_.initialize_data, "cuptiPmSamplingCounterDataImageInitialize", data);
}

Outcome DeviceSampling::start() noexcept {
  OfSampling start;
  start.sampling = sampling_;
  first_ = true;
  return call(library_.start, "cuptiPmSamplingStart", start);
}

Outcome DeviceSampling::stop() noexcept {
  OfSampling stop;
  stop.sampling = sampling_;
  return call(library_.stop, "cuptiPmSamplingStop", stop);
}

// cuptiProfilerDeInitialize is not called: it does not count, and a guest may use the profiler.
void DeviceSampling::close() noexcept {
  OfSampling disable;
  disable.sampling = sampling_;
  if (sampling_ != nullptr) (void)library_.disable(&disable);
  HostDeinitialize host;
  host.host = host_;
  if (host_ != nullptr) (void)library_.host_deinitialize(&host);
  sampling_ = host_ = nullptr;
}

Outcome DeviceSampling::read(std::vector<Sample>& samples) noexcept {
  constexpr int kMostRounds = 64;
  overflowed_ = false;
  bool full = true;
  Outcome out;
  for (int round = 0; full && out.ok() && round < kMostRounds; ++round) {
    DecodeData decode;
    decode.sampling = sampling_;
    decode.data = data_.data();
    decode.data_bytes = data_.size();
    out = call(library_.decode, "cuptiPmSamplingDecodeData", decode);
    full = decode.stop_reason == kImageFull;
    overflowed_ = overflowed_ || decode.overflow != 0;
    if (out.ok()) out = take_samples(samples);
    if (out.ok()) out = reset_data();
  }
  return out;
}

Outcome DeviceSampling::take_samples(std::vector<Sample>& samples) noexcept {
  GetDataInfo info;
  info.data = data_.data();
  info.data_bytes = data_.size();
  Outcome out = call(library_.data_info, "cuptiPmSamplingGetCounterDataInfo", info);
  for (std::size_t i = 0; out.ok() && i < info.completed; ++i) {
    GetSampleInfo times;
    times.sampling = sampling_;
    times.data = data_.data();
    times.data_bytes = data_.size();
    times.sample = i;
    out = call(library_.sample_info, "cuptiPmSamplingCounterDataGetSampleInfo", times);
    Sample sample{times.begin, times.end, {}};
    Evaluate evaluate;
    evaluate.host = host_;
    evaluate.data = data_.data();
    evaluate.data_bytes = data_.size();
    evaluate.sample = i;
    evaluate.metrics = kMetrics.data();
    evaluate.count = kMetrics.size();
    evaluate.values = sample.values.data();
    if (out.ok()) out = call(library_.evaluate, "cuptiProfilerHostEvaluateToGpuValues", evaluate);
    if (out.ok() && !first_) samples.push_back(sample);
    first_ = false;
  }
  return out;
}

}  // namespace stepscope::pm
