// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/polychromic/training/training.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/Reduction.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/stack.h>

#include <stepscope/annotate.hpp>
#include <utility>

#include "reference_trainers/common/autocast.hpp"
#include "reference_trainers/polychromic/data/reply_noise.hpp"
#include "reference_trainers/polychromic/model/attention.hpp"

namespace stepscope::polychromic {
namespace {

enum RandomPart : std::uint64_t { kOfDecoder, kOfEncoder };

Transformer learning_decoder(const Config& config, at::Device device) {
  Transformer decoder =
      make_transformer(config.decoder, config.vocabulary, config.lengths.sequence(), config.seed,
                       kOfDecoder, device);
  for (at::Tensor& weight : decoder.weights()) weight.set_requires_grad(true);
  return decoder;
}

Transformer frozen_encoder(const Config& config, at::Device device) {
  return frozen(make_transformer(config.encoder, config.vocabulary, config.lengths.reply,
                                 config.seed, kOfEncoder, device),
                config.bf16 ? at::kBFloat16 : at::kFloat);
}

}  // namespace

Training::Training(const Config& config, at::Device device)
    : config_(config),
      device_(device),
      decoder_(learning_decoder(config, device)),
      encoder_(frozen_encoder(config, device)),
      generation_(decoder_, config.bf16),
      generator_(make_generator(config, generation_.model(), device)),
      optimizer_(decoder_.weights(), config.learning_rate, trainers::Adam::Kind::fused) {}

at::Tensor Training::generate(std::int64_t index, const at::Tensor& batch) {
  const auto phase = stepscope::phase("generate");
  const at::NoGradGuard no_grad;
  generation_.refresh();
  const at::Tensor prompts =
      batch.narrow(0, 0, config_.prompts).narrow(1, 0, config_.lengths.prompt);
  const at::Tensor keys = reply_keys(config_.seed, index, config_.prompts, config_.replies);
  return generator_->generate(prompts, keys.to(device_));
}

// A reply's embedding is the mean of its tokens' outputs.
at::Tensor Training::encode(const at::Tensor& replies) const {
  const auto phase = stepscope::phase("encode");
  const at::NoGradGuard no_grad;
  const Attend attend = [&](std::size_t, const at::Tensor& query, const at::Tensor& key,
                            const at::Tensor& value) {
    return attention(query, key, value, {}, config_.fixes.flash_attention);
  };
  const auto embeddings_of = [&](const at::Tensor& tokens) {
    const at::Tensor x = embedded(encoder_, tokens, encoder_.position);
    return hidden_of(encoder_, x, attend).to(at::kFloat).mean(1);
  };
  std::vector<at::Tensor> embeddings;
  for (const at::Tensor& some : replies.split(config_.fixes.batched_encoding ? replies.size(0) : 1))
    embeddings.push_back(embeddings_of(some));
  return at::cat(embeddings).unflatten(0, {config_.prompts, config_.replies});
}

Diversity Training::judge(const at::Tensor& embeddings) const {
  const auto phase = stepscope::phase("diversity");
  return config_.fixes.pairwise_cosine ? diversity_at_once(embeddings)
                                       : diversity_by_pairs(embeddings);
}

// Returns -log p of each token behind the first, [sequences, tokens - 1].
at::Tensor Training::token_losses(const at::Tensor& sequences) const {
  const trainers::Autocast autocast(config_.bf16, device_);
  const std::int64_t length = sequences.size(1) - 1;
  const Attend attend = [&](std::size_t, const at::Tensor& query, const at::Tensor& key,
                            const at::Tensor& value) {
    return attention(query, key, value, {.causal = true}, config_.fixes.flash_attention);
  };
  const at::Tensor x =
      embedded(decoder_, sequences.narrow(1, 0, length), decoder_.position.narrow(0, 0, length));
  const at::Tensor logits = logits_of(decoder_, hidden_of(decoder_, x, attend));
  return at::cross_entropy_loss(logits.to(at::kFloat).flatten(0, 1),
                                sequences.narrow(1, 1, length).flatten(), {}, at::Reduction::None)
      .view({-1, length});
}

at::Tensor Training::loss_of(const at::Tensor& batch, const Diversity& diversity) {
  const auto phase = stepscope::phase("loss");
  const at::Tensor prompts = batch.narrow(0, 0, config_.prompts)
                                 .narrow(1, 0, config_.lengths.prompt)
                                 .repeat_interleave(config_.replies, 0);
  const at::Tensor losses = token_losses(at::cat({batch, at::cat({prompts, replies_}, 1)}));
  const at::Tensor language = losses.narrow(0, 0, batch.size(0)).mean();
  const at::Tensor of_replies = losses.narrow(0, batch.size(0), config_.rows())
                                    .narrow(1, config_.lengths.prompt - 1, config_.lengths.reply);
  const at::Tensor loss =
      language + config_.diversity_weight * score_function(advantages(diversity), of_replies);
  unread_.push_back(at::stack({language.detach(), loss.detach(), diversity.scores.mean()}));
  return loss;
}

std::vector<StepNumbers> Training::read() {
  const auto phase = stepscope::phase("log");
  const at::Tensor all = at::stack(std::exchange(unread_, {})).cpu();
  std::vector<StepNumbers> out;
  for (std::int64_t i = 0; i < all.size(0); ++i) {
    const float* const numbers = all.const_data_ptr<float>() + 3 * i;
    out.push_back({numbers[0], numbers[1], numbers[2]});
  }
  return out;
}

std::vector<StepNumbers> Training::step(std::int64_t index, const at::Tensor& batch, bool reads,
                                        Stopwatches* watches) {
  const auto timed = [watches](trainers::Stopwatch Stopwatches::*watch, const auto& part) {
    return watches == nullptr ? part() : (watches->*watch).time(part);
  };
  replies_ = timed(&Stopwatches::generate, [&] { return generate(index, batch); });
  const at::Tensor embeddings = timed(&Stopwatches::encode, [&] { return encode(replies_); });
  const Diversity diversity = timed(&Stopwatches::diversity, [&] { return judge(embeddings); });
  optimizer_.zero_grad();
  const at::Tensor loss = loss_of(batch, diversity);
  {
    const auto phase = stepscope::phase("backward");
    loss.backward();
  }
  {
    const auto phase = stepscope::phase("optimizer");
    optimizer_.step();
  }
  return reads ? read() : std::vector<StepNumbers>{};
}

}  // namespace stepscope::polychromic
