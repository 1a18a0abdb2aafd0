// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/comm/slow_link.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "reference_trainers/common/run_time.hpp"

namespace stepscope::trainers {
namespace {

// Smaller messages go through any link at once.
constexpr std::int64_t kLeastBytes = 64 << 10;
constexpr std::int64_t kChunks = 8;
constexpr std::int64_t kHostBytes = 32 << 20;

bool is_large(const at::Tensor& tensor) {
  return static_cast<std::int64_t>(tensor.nbytes()) >= kLeastBytes;
}

template <class Send>
void in_chunks(const at::Tensor& tensor, Send send) {
  if (!is_large(tensor)) return send(tensor);
  const at::NoGradGuard no_grad;
  for (const at::Tensor& chunk : tensor.view({-1}).chunk(kChunks)) send(chunk);
}

}  // namespace

SlowLink::SlowLink(std::unique_ptr<Comm> group, at::Device device, double ms)
    : group_(std::move(group)), device_(device), ms_(ms) {
  if (ms_ == 0 || !device_.is_cuda()) return;
  host_ = at::empty({kHostBytes}, at::TensorOptions(at::kByte).pinned_memory(true));
  const at::Tensor data = at::empty({kHostBytes}, at::TensorOptions(device_).dtype(at::kByte));
  const auto round = [&] {
    host_.copy_(data, true);
    data.copy_(host_, true);
  };
  round_bytes_a_ms_ = static_cast<double>(kHostBytes) / ms_a_run(device_, round);
}

void SlowLink::begin_step() {
  bytes_a_step_ = std::exchange(bytes_in_step_, 0);
}

// The pause is a rank's own; the count of bytes is the same on all.
void SlowLink::hold_up(const at::Tensor& data) {
  if (!is_large(data)) return;
  const auto bytes = static_cast<double>(data.nbytes());
  bytes_in_step_ += bytes;
  if (ms_ == 0 || bytes_a_step_ == 0) return;
  const double ms = ms_ * bytes / bytes_a_step_;
  group_->begin_beside([this, data, ms] { send_round(data, ms); });
}

void SlowLink::send_round(const at::Tensor& data, double ms) {
  if (!device_.is_cuda())
    return std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(ms));
  const at::NoGradGuard no_grad;
  const at::Tensor bytes = data.view({-1}).view(at::kByte);
  const at::Tensor part = bytes.narrow(0, 0, std::min(bytes.numel(), kHostBytes));
  const at::Tensor host = host_.narrow(0, 0, part.numel());
  for (double left = ms * round_bytes_a_ms_; left > 0; left -= static_cast<double>(part.numel())) {
    host.copy_(part, true);
    part.copy_(host, true);
  }
}

void SlowLink::all_reduce(const at::Tensor& tensor, Reduction reduction) {
  begin_all_reduce(tensor, reduction);
  group_->end_begun();
}

void SlowLink::begin_all_reduce(const at::Tensor& tensor, Reduction reduction) {
  if (!is_large(tensor)) return group_->begin_all_reduce(tensor, reduction);
  in_chunks(tensor, [&](const at::Tensor& chunk) {
    hold_up(chunk);
    group_->begin_all_reduce(chunk, reduction);
  });
}

at::Tensor SlowLink::all_gather(const at::Tensor& own) {
  hold_up(own);
  return group_->all_gather(own);
}
at::Tensor SlowLink::begin_all_gather(const at::Tensor& own) {
  hold_up(own);
  return group_->begin_all_gather(own);
}
void SlowLink::reduce_scatter(const at::Tensor& own, const at::Tensor& all) {
  hold_up(all);
  group_->reduce_scatter(own, all);
}
void SlowLink::begin_reduce_scatter(const at::Tensor& own, const at::Tensor& all) {
  hold_up(all);
  group_->begin_reduce_scatter(own, all);
}

}  // namespace stepscope::trainers
