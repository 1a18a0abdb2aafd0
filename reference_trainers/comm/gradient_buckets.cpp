// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/comm/gradient_buckets.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <functional>
#include <memory>
#include <stepscope/annotate.hpp>
#include <utility>

namespace stepscope::trainers {
namespace {

std::int64_t rounded_up(std::int64_t number, std::int64_t multiple) {
  return (number + multiple - 1) / multiple * multiple;
}

struct WhenAdded final : torch::autograd::PostAccumulateGradHook {
  explicit WhenAdded(std::function<void()> then_) : then(std::move(then_)) {}
  void operator()(const at::Tensor&) override { then(); }
  const std::function<void()> then;
};

}  // namespace

at::Tensor Bucket::view(const at::Tensor& flat, std::size_t i, at::IntArrayRef sizes) const {
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) count *= size;
  return flat.view({-1}).narrow(0, begins[i], count).view(sizes);
}

std::vector<Bucket> plan_buckets(const std::vector<BucketedWeight>& weights, int ranks,
                                 std::int64_t bytes) {
  std::vector<Bucket> done;
  Bucket open[2];
  std::int64_t numbers[2] = {0, 0};
  const auto close = [&](std::size_t kind) {
    if (open[kind].places.empty()) return;
    open[kind].decays = kind == 0;
    open[kind].share = rounded_up(numbers[kind], kBucketAlign * ranks) / ranks;
    done.push_back(std::exchange(open[kind], {}));
    numbers[kind] = 0;
  };
  for (std::size_t place = weights.size(); place-- > 0;) {
    const BucketedWeight& weight = weights[place];
    const std::size_t kind = weight.decays ? 0 : 1;
    const std::int64_t own = rounded_up(weight.leaf.numel(), kBucketAlign);
    const auto size = static_cast<std::int64_t>(weight.leaf.element_size());
    if ((numbers[kind] + own) * size > bytes) close(kind);
    open[kind].places.push_back(place);
    open[kind].begins.push_back(numbers[kind]);
    numbers[kind] += own;
  }
  close(0), close(1);
  return done;
}

GradientBuckets::GradientBuckets(const std::vector<BucketedWeight>& weights, Comm& comm,
                                 std::int64_t bytes, Sums sums)
    : comm_(comm), sums_(sums), buckets_(plan_buckets(weights, comm.size(), bytes)) {
  for (std::size_t b = 0; b < buckets_.size(); ++b) {
    const Bucket& bucket = buckets_[b];
    const auto options = weights[bucket.places.front()].leaf.options().requires_grad(false);
    flat_.push_back(at::zeros({comm.size(), bucket.share}, options));
    if (sums == Sums::own_share) own_sums_.push_back(at::zeros({bucket.share}, options));
    for (std::size_t i = 0; i < bucket.places.size(); ++i) {
      const at::Tensor& leaf = weights[bucket.places[i]].leaf;
      leaf.mutable_grad() = bucket.view(flat_[b], i, leaf.sizes());
      torch::autograd::impl::set_post_acc_grad_hooks(
          leaf, std::make_unique<WhenAdded>([this, b] { arrived(b); }));
    }
  }
}

void GradientBuckets::zero() {
  for (const at::Tensor& flat : flat_) flat.zero_();
}

void GradientBuckets::expect_last() {
  last_ = true;
  next_ = 0;
  missing_.clear();
  for (const Bucket& bucket : buckets_) missing_.push_back(bucket.places.size());
}

void GradientBuckets::arrived(std::size_t bucket) {
  if (!last_) return;
  --missing_[bucket];
  send_ready(false);
}

void GradientBuckets::send_ready(bool all) {
  const at::NoGradGuard no_grad;
  for (; next_ < buckets_.size() && (all || missing_[next_] == 0); ++next_) {
    if (sums_ == Sums::own_share)
      comm_.begin_reduce_scatter(own_sums_[next_], flat_[next_]);
    else
      comm_.begin_all_reduce(flat_[next_], Reduction::sum);
    // The last weight's gradient ends the backward pass.
    if (!all && next_ + 1 < buckets_.size()) ++sent_early_;
  }
}

void GradientBuckets::finish() {
  const auto phase = stepscope::phase("comm");
  send_ready(true);
  comm_.end_begun();
  last_ = false;
}

}  // namespace stepscope::trainers
