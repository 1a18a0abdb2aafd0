// SPDX-License-Identifier: Apache-2.0
#include <ATen/TensorOperators.h>
#include <ATen/ops/argmax.h>
#include <ATen/ops/cat.h>

#include "reference_trainers/polychromic/data/reply_noise.hpp"
#include "reference_trainers/polychromic/generation/generator.hpp"
#include "reference_trainers/polychromic/model/attention.hpp"

namespace stepscope::polychromic {
namespace {

struct GrowingCache {
  at::Tensor keys, values;

  void append(const at::Tensor& key, const at::Tensor& value) {
    keys = keys.defined() ? at::cat({keys, key}, 2) : key;
    values = values.defined() ? at::cat({values, value}, 2) : value;
  }
};

class SequentialGenerator final : public Generator {
 public:
  SequentialGenerator(const Config& config, const Transformer& decoder)
      : config_(config), decoder_(decoder) {}

  at::Tensor generate(const at::Tensor& prompts, const at::Tensor& keys) override {
    std::vector<at::Tensor> replies;
    for (std::int64_t row = 0; row < keys.size(0); ++row)
      replies.push_back(
          reply_to(prompts.narrow(0, row / config_.replies, 1), keys.narrow(0, row, 1)));
    return at::cat(replies);
  }

 private:
  at::Tensor reply_to(const at::Tensor& prompt, const at::Tensor& key) const {
    const at::Tensor noise = gumbel_noise(key, config_.lengths.reply, config_.vocabulary);
    std::vector<GrowingCache> caches(decoder_.layers.size());
    const Attend attend = [&](std::size_t layer, const at::Tensor& query, const at::Tensor& new_key,
                              const at::Tensor& value) {
      caches[layer].append(new_key, value);
      return attention(query, caches[layer].keys, caches[layer].values,
                       {.causal = query.size(2) > 1}, config_.fixes.flash_attention);
    };
    std::vector<at::Tensor> reply;
    at::Tensor tokens = prompt;
    std::int64_t begin = 0;
    for (std::int64_t turn = 0; turn < config_.lengths.reply; ++turn) {
      const at::Tensor places = decoder_.position.narrow(0, begin, tokens.size(1));
      const at::Tensor hidden = hidden_of(decoder_, embedded(decoder_, tokens, places), attend);
      const at::Tensor logits = logits_of(decoder_, hidden.select(1, -1));
      begin += tokens.size(1);
      tokens = at::argmax(logits.to(at::kFloat) + noise.select(0, turn), -1, /*keepdim=*/true);
      reply.push_back(tokens);
    }
    return at::cat(reply, 1);
  }

  const Config config_;
  const Transformer& decoder_;
};

}  // namespace

std::unique_ptr<Generator> make_sequential_generator(const Config& config,
                                                     const Transformer& decoder) {
  return std::make_unique<SequentialGenerator>(config, decoder);
}

std::unique_ptr<Generator> make_generator(const Config& config, const Transformer& decoder,
                                          at::Device device) {
  return config.fixes.batched_generation ? make_batched_generator(config, decoder, device)
                                         : make_sequential_generator(config, decoder);
}

}  // namespace stepscope::polychromic
