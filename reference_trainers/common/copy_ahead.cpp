// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/common/copy_ahead.hpp"

#include <ATen/ops/record_stream.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

namespace stepscope::trainers {

CopyAhead::CopyAhead(at::Device device) : device_(device) {
  if (device.is_cuda())
    stream_ = c10::impl::VirtualGuardImpl(device.type()).getStreamFromGlobalPool(device);
}

CopyAhead::Copy CopyAhead::begin(const at::Tensor& host) const {
  if (!stream_) return {host.to(device_), std::nullopt};
  const c10::StreamGuard on_it(*stream_);
  Copy copy{host.to(device_, /*non_blocking=*/true), c10::Event(device_.type())};
  copy.done->record(*stream_);
  return copy;
}

// The memory belongs to the stream of the copy, which must not use it again while this one does.
at::Tensor CopyAhead::end(const Copy& copy) const {
  if (!copy.done) return copy.tensor;
  const c10::Stream current = c10::impl::VirtualGuardImpl(device_.type()).getStream(device_);
  copy.done->block(current);
  copy.tensor.record_stream(current);
  return copy.tensor;
}

}  // namespace stepscope::trainers
