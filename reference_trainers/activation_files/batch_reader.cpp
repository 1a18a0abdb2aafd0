// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/activation_files/batch_reader.hpp"

#include "reference_trainers/common/random.hpp"

namespace stepscope::trainers {
namespace {

std::int64_t batches_ready_at_most(const BlockReader& blocks, std::int64_t batch) {
  return blocks.spans().front().rows / batch + 2;
}

}  // namespace

BatchReader::BatchReader(const ActivationFiles& files, const ReaderSettings& settings)
    : settings_(settings),
      blocks_(files, settings.block_bytes, seeded_generator(settings.seed, RandomStream::batches)),
      batches_(
          files, [this] { return blocks_ahead_->next(); }, settings.batch,
          settings.own.value_or(Span{0, settings.batch}), settings.pinned) {}

void BatchReader::begin() {
  if (batches_ahead_ != nullptr) return;
  blocks_.skip(skipped_, settings_.batch);
  blocks_ahead_ = std::make_unique<ReadAhead<Block>>(1, [this] { return blocks_.next(); });
  batches_ahead_ = std::make_unique<ReadAhead<at::Tensor>>(
      static_cast<std::size_t>(batches_ready_at_most(blocks_, settings_.batch)),
      [this] { return batches_.next(); });
}

Result<at::Tensor> BatchReader::next() {
  begin();
  return batches_ahead_->next();
}

std::optional<Result<at::Tensor>> BatchReader::ready() {
  begin();
  return batches_ahead_->ready();
}

void BatchReader::skip(std::int64_t batches) {
  if (batches_ahead_ == nullptr) {
    skipped_ += batches;
    return;
  }
  for (std::int64_t i = 0; i < batches; ++i) (void)next();
}

}  // namespace stepscope::trainers
