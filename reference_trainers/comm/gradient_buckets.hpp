// SPDX-License-Identifier: Apache-2.0
// Gradients of ranks that train the same weights on data of their own, summed over the ranks.
//
// A weight's gradient is a view of its bucket's flat memory, so nothing is copied before or behind
// a sum. Buckets are filled in the order of the backward pass, the last weight first. In a step's
// last backward pass a bucket is sent as soon as all of its gradients are there, in the same order
// on every rank; what is computed meanwhile hides it.
//
// Sums are on every rank or, for ZeRO-1 (Rajbhandari et al. 2020), each rank gets its own share of
// each bucket. A bucket holds weights that decay, or weights that do not, and never both.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "reference_trainers/comm/comm.hpp"

namespace stepscope::trainers {

// A weight that has a gradient; weights that decay and those that do not get buckets of their own.
struct BucketedWeight {
  at::Tensor leaf;
  bool decays = true;
};

// Where weights lie in flat memory: each at a multiple of kBucketAlign numbers, and as much for
// each rank.
inline constexpr std::int64_t kBucketAlign = 128;
struct Bucket {
  std::vector<std::size_t> places;   // indices of the weights
  std::vector<std::int64_t> begins;  // where each weight begins in the flat memory
  std::int64_t share = 0;            // numbers of one rank
  bool decays = true;

  // The view of the i-th in flat memory of the bucket.
  at::Tensor view(const at::Tensor& flat, std::size_t i, at::IntArrayRef sizes) const;
};

// Buckets of at most so many bytes of gradients; a larger weight has one of its own.
std::vector<Bucket> plan_buckets(const std::vector<BucketedWeight>& weights, int ranks,
                                 std::int64_t bytes);

class GradientBuckets {
 public:
  enum class Sums { on_every_rank, own_share };

  // Takes over the gradients of the weights. The group must outlive this.
  GradientBuckets(const std::vector<BucketedWeight>& weights, Comm& comm, std::int64_t bytes,
                  Sums sums);
  GradientBuckets(const GradientBuckets&) = delete;
  GradientBuckets& operator=(const GradientBuckets&) = delete;

  // Called before a step's first backward pass.
  void zero();
  // The backward pass that comes is the step's last.
  void expect_last();
  // Waits for the sums.
  void finish();

  const std::vector<Bucket>& buckets() const { return buckets_; }
  // With own_share, returns the sum of this rank's share of a bucket, flat; the same memory in
  // every step.
  const at::Tensor& own_sum(std::size_t bucket) const { return own_sums_[bucket]; }
  // Returns how many buckets were sent before the last backward pass had ended, over all steps.
  std::int64_t sent_early() const { return sent_early_; }

 private:
  void arrived(std::size_t bucket);
  void send_ready(bool all);

  Comm& comm_;
  const Sums sums_;
  std::vector<Bucket> buckets_;
  std::vector<at::Tensor> flat_;      // gradients of each bucket [ranks, share]
  std::vector<at::Tensor> own_sums_;  // [share]
  bool last_ = false;
  std::vector<std::size_t> missing_;  // gradients of each bucket that are still to come
  std::size_t next_ = 0;              // the bucket that is sent next
  std::int64_t sent_early_ = 0;
};

}  // namespace stepscope::trainers
