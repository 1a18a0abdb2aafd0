// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/common/program/slow_work.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/sort.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <stepscope/annotate.hpp>
#include <utility>

#include "reference_trainers/common/device.hpp"
#include "reference_trainers/common/run_time.hpp"

namespace stepscope::trainers {
namespace {

constexpr std::int64_t kSortedNumbers = 1 << 14;
constexpr std::int64_t kWidthOnCpu = 128, kWidthOnGpu = 2048;

// How often the work fits into so many milliseconds, at least once.
int times_in(double ms, at::Device device, const std::function<void()>& work) {
  return std::max(1, static_cast<int>(std::lround(ms / ms_a_run(device, work))));
}

}  // namespace

SlowWork::SlowWork(const SlowRank& slow, int rank, at::Device device)
    : slow_(slow), is_here_(slow.rank == rank), device_(device) {
  const at::NoGradGuard no_grad;
  if (!is_here_ || slow.part == SlowPart::link) return;
  times_ = 1;
  if (slow.part == SlowPart::data) {
    numbers_ = at::rand({kSortedNumbers});
    times_ = times_in(slow.ms, at::kCPU, [this] { sort_batch(); });
  } else {
    const std::int64_t width = device.is_cuda() ? kWidthOnGpu : kWidthOnCpu;
    numbers_ = at::rand({width, width}, at::TensorOptions(device));
    times_ = times_in(slow.ms, device, [this] { multiply(); });
  }
}

std::unique_ptr<Comm> SlowWork::on_link_of(std::unique_ptr<Comm> group) {
  if (slow_.rank < 0 || slow_.part != SlowPart::link) return group;
  auto slow = std::make_unique<SlowLink>(std::move(group), device_, is_here_ ? slow_.ms : 0);
  link_ = slow.get();
  return slow;
}

void SlowWork::sort_batch() const {
  for (int i = 0; i < times_; ++i) (void)at::sort(numbers_);
}

void SlowWork::multiply() const {
  for (int i = 0; i < times_; ++i) (void)at::mm(numbers_, numbers_);
}

void SlowWork::in_step() const {
  if (link_ != nullptr) link_->begin_step();
  if (times_ == 0) return;
  const at::NoGradGuard no_grad;
  const bool data = slow_.part == SlowPart::data;
  const auto phase = stepscope::phase(data ? "data" : "forward");
  data ? sort_batch() : multiply();
}

}  // namespace stepscope::trainers
