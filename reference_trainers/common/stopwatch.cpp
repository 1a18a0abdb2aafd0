// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/common/stopwatch.hpp"

#include <c10/core/impl/VirtualGuardImpl.h>

#include "reference_trainers/common/device.hpp"

namespace stepscope::trainers {
namespace {

void record_now(c10::Event& event, c10::Device device) {
  event.record(c10::impl::VirtualGuardImpl(device.type()).getStream(device));
}

}  // namespace

void Stopwatch::begin() {
  ++count_;
  if (!device_.is_cuda()) {
    begin_ = std::chrono::steady_clock::now();
    return;
  }
  const auto timed = [&] { return c10::Event(device_.type(), c10::EventFlag::BACKEND_DEFAULT); };
  on_device_.push_back({timed(), timed()});
  record_now(on_device_.back().begin, device_);
}

void Stopwatch::end() {
  if (device_.is_cuda())
    record_now(on_device_.back().end, device_);
  else
    on_host_ += std::chrono::steady_clock::now() - begin_;
}

double Stopwatch::mean_ms() const {
  if (count_ == 0) return 0;
  double sum = std::chrono::duration<double, std::milli>(on_host_).count();
  if (device_.is_cuda()) synchronize(device_);
  for (const Times& times : on_device_) sum += times.begin.elapsedTime(times.end);
  return sum / count_;
}

}  // namespace stepscope::trainers
