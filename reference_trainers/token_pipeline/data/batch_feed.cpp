// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/token_pipeline/data/batch_feed.hpp"

#include <stepscope/annotate.hpp>
#include <utility>

namespace stepscope::token_pipeline {

BatchFeed::BatchFeed(const Config& config, const Regions& regions, const SampleOrder& order,
                     at::Device device)
    : config_(config),
      device_(device),
      workers_(config, regions, order, device.is_cuda()),
      copies_(device) {}

Result<Batch> BatchFeed::next_on_host() {
  const auto phase = stepscope::phase("data");
  ++taken_;
  return workers_.next();
}

Status BatchFeed::begin_copies() {
  constexpr std::size_t kAhead = 2;
  while (coming_.size() <= kAhead && taken_ < config_.steps) {
    Result<Batch> batch = next_on_host();
    if (!batch) return batch.error();
    const auto phase = stepscope::phase("copy");
    Coming coming{.batch = std::move(*batch), .numbers = {}, .features = {}};
    coming.numbers = copies_.begin(coming.batch.numbers);
    coming.features = copies_.begin(coming.batch.features);
    coming_.push_back(std::move(coming));
  }
  return Done{};
}

Result<Batch> BatchFeed::next() {
  if (config_.fixes.prefetch) {
    if (const Status begun = begin_copies(); !begun) return begun.error();
    Coming coming = std::move(coming_.front());
    coming_.pop_front();
    coming.batch.numbers = copies_.end(coming.numbers);
    coming.batch.features = copies_.end(coming.features);
    return std::move(coming.batch);
  }
  Result<Batch> batch = next_on_host();
  if (!batch) return batch;
  const auto phase = stepscope::phase("copy");
  const bool waits = !config_.fixes.pinned;
  batch->numbers = batch->numbers.to(device_, /*non_blocking=*/!waits);
  batch->features = batch->features.to(device_, /*non_blocking=*/!waits);
  return batch;
}

}  // namespace stepscope::token_pipeline
