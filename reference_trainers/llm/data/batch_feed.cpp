// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/llm/data/batch_feed.hpp"

#include <ATen/ops/empty.h>

#include <optional>
#include <utility>

#include "reference_trainers/activation_files/read_ahead.hpp"
#include "reference_trainers/common/copy_ahead.hpp"

namespace stepscope::llm {
namespace {

// Splits a tensor from read_batch into inputs, targets and positions.
Batch split(const at::Tensor& read, std::int64_t sequence) {
  const at::Tensor tokens = read[0];
  Batch batch{
      tokens.narrow(1, 0, sequence).contiguous(), tokens.narrow(1, 1, sequence).contiguous(), {}};
  if (read.size(0) > 1) batch.positions = read[1].narrow(1, 0, sequence).contiguous();
  return batch;
}

class PlainFeed final : public BatchFeed {
 public:
  PlainFeed(const Config& config, TokenStream stream, at::Device device, std::int64_t first)
      : config_(config),
        stream_(std::move(stream)),
        device_(device),
        next_(first),
        ranks_(config.ranks) {}

  Result<Batch> next() override {
    const Result<at::Tensor> tokens = read_batch(config_, stream_, next_, false);
    next_ += ranks_;
    if (!tokens) return tokens.error();
    return split(tokens->to(device_), config_.sequence);
  }

 private:
  const Config config_;
  TokenStream stream_;
  const at::Device device_;
  std::int64_t next_;
  const std::int64_t ranks_;
};

class AheadFeed final : public BatchFeed {
 public:
  AheadFeed(const Config& config, TokenStream stream, at::Device device, std::int64_t first)
      : sequence_(config.sequence),
        copies_(device),
        made_(kAhead, [config, stream = std::move(stream), first,
                       pinned = device.is_cuda()]() mutable {
          return read_batch(config, stream, std::exchange(first, first + config.ranks), pinned);
        }) {}

  Result<Batch> next() override {
    if (!coming_) {
      if (const Status begun = begin(); !begun) return begun.error();
    }
    const Copy now = *std::exchange(coming_, std::nullopt);
    const at::Tensor tokens = copies_.end(now.copy);
    if (const Status begun = begin(); !begun) return begun.error();
    return split(tokens, sequence_);
  }

 private:
  static constexpr std::size_t kAhead = 4;
  struct Copy {
    at::Tensor host;  // until the copy of the next one has begun
    trainers::CopyAhead::Copy copy;
  };

  Status begin() {
    Result<at::Tensor> host = made_.next();
    if (!host) return host.error();
    coming_.emplace(Copy{*host, copies_.begin(*host)});
    return Done{};
  }

  const std::int64_t sequence_;
  trainers::CopyAhead copies_;
  std::optional<Copy> coming_;
  trainers::ReadAhead<at::Tensor> made_;
};

}  // namespace

Result<at::Tensor> read_batch(const Config& config, TokenStream& stream, std::int64_t index,
                              bool pinned) {
  const std::int64_t width = config.sequence + 1;
  const bool apart = config.documents.treat != Documents::ignored;
  const at::Tensor read = at::empty({apart ? 2 : 1, config.micro_batch, width},
                                    at::TensorOptions(at::kLong).pinned_memory(pinned));
  auto* tokens = read.mutable_data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < config.micro_batch; ++i, tokens += width) {
    std::int64_t* positions = apart ? tokens + config.micro_batch * width : nullptr;
    if (Status done = stream.read(index * config.micro_batch + i, tokens, positions); !done)
      return done.error();
  }
  return read;
}

std::unique_ptr<BatchFeed> make_feed(const Config& config, TokenStream stream, at::Device device,
                                     std::int64_t first_step) {
  const std::int64_t first = first_step * config.micro_batches_a_step() + config.rank;
  if (config.rungs.prefetch)
    return std::make_unique<AheadFeed>(config, std::move(stream), device, first);
  return std::make_unique<PlainFeed>(config, std::move(stream), device, first);
}

}  // namespace stepscope::llm
