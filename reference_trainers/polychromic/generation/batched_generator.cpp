// SPDX-License-Identifier: Apache-2.0
// What a token's pass reads and writes keeps its place in memory, so that the pass can be recorded:
// the rows' last tokens, how far they are, the cache, the noise of all positions, and the replies.
// All rows are equally far.
#include <ATen/TensorOperators.h>
#include <ATen/ops/argmax.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include <limits>

#include "kernels/aten/token_pass.hpp"
#include "reference_trainers/common/step_graph.hpp"
#include "reference_trainers/polychromic/data/reply_noise.hpp"
#include "reference_trainers/polychromic/generation/generator.hpp"
#include "reference_trainers/polychromic/model/attention.hpp"

namespace stepscope::polychromic {
namespace {

struct FixedCache {
  at::Tensor keys, values;  // [rows, heads, positions, width of a head]
};

class BatchedGenerator final : public Generator {
 public:
  BatchedGenerator(const Config& config, const Transformer& decoder, at::Device device);

  at::Tensor generate(const at::Tensor& prompts, const at::Tensor& keys) override;

 private:
  // Fused kernels take masks whose rows begin at multiples of 16 bytes.
  std::int64_t positions() const { return (config_.lengths.sequence() + 7) / 8 * 8; }
  at::Tensor place() const { return counters_.narrow(0, 0, 1); }  // position of the last tokens
  // Place of the next tokens in the replies.
  at::Tensor turn() const { return counters_.narrow(0, 1, 1); }

  void read_prompts(const at::Tensor& prompts);
  void pass() { fused_ ? fused_pass() : plain_pass(); }
  void plain_pass();
  void fused_pass();
  void launch_or_pass();
  void draw(const at::Tensor& logits, const at::Tensor& noise);

  const Config config_;
  const Transformer& decoder_;
  std::vector<FixedCache> caches_;
  at::Tensor masks_;     // [positions, positions]: row p sees up to p
  at::Tensor counters_;  // int64 [2]
  at::Tensor tokens_;    // int64 [rows, 1]
  at::Tensor noise_;     // float32 [reply, rows, vocabulary]
  at::Tensor replies_;   // int64 [rows, reply]
  const bool records_, fused_;
  int plain_passes_ = 0;  // before one is recorded
  std::unique_ptr<trainers::StepGraph> graph_;
};

BatchedGenerator::BatchedGenerator(const Config& config, const Transformer& decoder,
                                   at::Device device)
    : config_(config),
      decoder_(decoder),
      records_(config.fixes.decode_graph && device.is_cuda()),
      fused_(config.fixes.fused_pass && device.is_cuda() && config.bf16 &&
             aten::token_pass_fits(config.rows(), config.decoder.d_model, config.decoder.heads,
                                   config.vocabulary)) {
  const at::TensorOptions numbers = decoder.token.options();
  const at::TensorOptions whole = numbers.dtype(at::kLong);
  const std::int64_t rows = config.rows(), heads = decoder.heads;
  for (std::size_t i = 0; i < decoder.layers.size(); ++i) {
    const auto make = [&] {
      return at::zeros({rows, heads, positions(), config.decoder.d_model / heads}, numbers);
    };
    caches_.push_back({make(), make()});
  }
  masks_ = at::full({positions(), positions()}, -std::numeric_limits<double>::infinity(), numbers)
               .triu(1);
  counters_ = at::zeros({2}, whole);
  tokens_ = at::zeros({rows, 1}, whole);
  noise_ = at::empty({config.lengths.reply, rows, config.vocabulary}, numbers.dtype(at::kFloat));
  replies_ = at::zeros({rows, config.lengths.reply}, whole);
}

void BatchedGenerator::draw(const at::Tensor& logits, const at::Tensor& noise) {
  tokens_.copy_(at::argmax(logits.to(at::kFloat) + noise, -1, /*keepdim=*/true));
  replies_.index_copy_(1, turn(), tokens_);
  counters_.add_(1);
}

void BatchedGenerator::read_prompts(const at::Tensor& prompts) {
  const std::int64_t length = config_.lengths.prompt;
  const auto share = [&](const at::Tensor& cache, const at::Tensor& of_prompts) {
    cache.unflatten(0, {config_.prompts, config_.replies})
        .narrow(3, 0, length)
        .copy_(of_prompts.unsqueeze(1));
  };
  const Attend attend = [&](std::size_t layer, const at::Tensor& query, const at::Tensor& key,
                            const at::Tensor& value) {
    share(caches_[layer].keys, key);
    share(caches_[layer].values, value);
    return attention(query, key, value, {.causal = true}, config_.fixes.flash_attention);
  };
  const at::Tensor places = decoder_.position.narrow(0, 0, length);
  const at::Tensor hidden = hidden_of(decoder_, embedded(decoder_, prompts, places), attend);
  const at::Tensor logits = logits_of(decoder_, hidden.select(1, -1));
  place().fill_(length - 1);
  turn().zero_();
  draw(logits.repeat_interleave(config_.replies, 0), noise_.select(0, 0));
}

void BatchedGenerator::plain_pass() {
  const at::Tensor mask = masks_.index_select(0, place());
  const Attend attend = [&](std::size_t layer, const at::Tensor& query, const at::Tensor& key,
                            const at::Tensor& value) {
    FixedCache& cache = caches_[layer];
    cache.keys.index_copy_(2, place(), key);
    cache.values.index_copy_(2, place(), value);
    return attention(query, cache.keys, cache.values, {.mask = mask},
                     config_.fixes.flash_attention);
  };
  const at::Tensor places = decoder_.position.index_select(0, place());
  const at::Tensor hidden = hidden_of(decoder_, embedded(decoder_, tokens_, places), attend);
  draw(logits_of(decoder_, hidden.select(1, 0)), noise_.index_select(0, turn()).select(0, 0));
}

void BatchedGenerator::fused_pass() {
  const at::Tensor places = decoder_.position.index_select(0, place());
  at::Tensor x = embedded(decoder_, tokens_, places).select(1, 0);
  for (std::size_t i = 0; i < decoder_.layers.size(); ++i) {
    const Layer& layer = decoder_.layers[i];
    const at::Tensor heads =
        aten::token_linear(x, layer.query_key_value, {.norm = layer.attention_norm});
    const at::Tensor mixed =
        aten::token_attention(heads, caches_[i].keys, caches_[i].values, place());
    x = aten::token_linear(mixed, layer.attention_output, {.residual = x});
    const at::Tensor wide = aten::token_linear(x, layer.up, {.norm = layer.mlp_norm, .gelu = true});
    x = aten::token_linear(wide, layer.down, {.residual = x});
  }
  const at::Tensor logits = aten::token_linear(x, decoder_.token, {.norm = decoder_.final_norm});
  draw(logits, noise_.index_select(0, turn()).select(0, 0));
}

// Some passes before one is recorded make what lasts (cuBLAS's memory).
void BatchedGenerator::launch_or_pass() {
  constexpr int kPlainPasses = 2;
  if (!records_ || plain_passes_ < kPlainPasses) {
    ++plain_passes_;
    return pass();
  }
  if (!graph_) {
    graph_ = trainers::make_step_graph();
    graph_->record([&] { pass(); });
  }
  graph_->launch();
}

at::Tensor BatchedGenerator::generate(const at::Tensor& prompts, const at::Tensor& keys) {
  noise_.copy_(gumbel_noise(keys, config_.lengths.reply, config_.vocabulary));
  read_prompts(prompts);
  for (std::int64_t turn = 1; turn < config_.lengths.reply; ++turn) launch_or_pass();
  return replies_;
}

}  // namespace

std::unique_ptr<Generator> make_batched_generator(const Config& config, const Transformer& decoder,
                                                  at::Device device) {
  return std::make_unique<BatchedGenerator>(config, decoder, device);
}

}  // namespace stepscope::polychromic
