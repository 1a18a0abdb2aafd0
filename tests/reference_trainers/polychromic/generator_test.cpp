// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/polychromic/generation/generator.hpp"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/argmax.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/equal.h>
#include <gtest/gtest.h>

#include "reference_trainers/polychromic/data/reply_noise.hpp"
#include "reference_trainers/polychromic/data/sequences.hpp"
#include "reference_trainers/polychromic/model/attention.hpp"
#include "tests/reference_trainers/polychromic/small_polychromic.hpp"

namespace stepscope::polychromic {
namespace {

struct Drawing {
  Config config = small_polychromic();
  Transformer decoder = make_transformer(config.decoder, config.vocabulary,
                                         config.lengths.sequence(), 0, 0, at::kCPU);
  at::Tensor prompts = make_sequences(config).narrow(0, 0, 2).narrow(1, 0, config.lengths.prompt);

  at::Tensor replies(std::int64_t step) const {
    at::set_num_threads(1);
    return make_generator(config, decoder, at::kCPU)
        ->generate(prompts, reply_keys(0, step, config.prompts, config.replies))
        .clone();
  }
};

// A whole pass over prompt and reply for each token, without a cache.
at::Tensor replies_without_cache(const Drawing& drawing, std::int64_t step) {
  const Config& config = drawing.config;
  const at::Tensor noise = gumbel_noise(reply_keys(0, step, config.prompts, config.replies),
                                        config.lengths.reply, config.vocabulary);
  at::Tensor all = drawing.prompts.repeat_interleave(config.replies, 0);
  const Attend attend = [](std::size_t, const at::Tensor& query, const at::Tensor& key,
                           const at::Tensor& value) {
    return attention(query, key, value, {.causal = true}, false);
  };
  for (std::int64_t turn = 0; turn < config.lengths.reply; ++turn) {
    const at::Tensor x =
        embedded(drawing.decoder, all, drawing.decoder.position.narrow(0, 0, all.size(1)));
    const at::Tensor logits =
        logits_of(drawing.decoder, hidden_of(drawing.decoder, x, attend).select(1, -1));
    all = at::cat({all, at::argmax(logits + noise.select(0, turn), -1, true)}, 1);
  }
  return all.narrow(1, config.lengths.prompt, config.lengths.reply);
}

TEST(Generator, EveryWayDrawsTheRepliesOfPassesOverAllTokens) {
  Drawing drawing;
  for (std::int64_t step = 0; step < 5; ++step) {
    const at::Tensor expected = replies_without_cache(drawing, step);
    for (const char* rung : {"R0", "R1", "R2", "R3", "R6"}) {
      drawing.config.fixes = *all_fixes().up_to(rung);
      EXPECT_TRUE(at::equal(drawing.replies(step), expected)) << rung << ", step " << step;
    }
    drawing.config.fixes = {.flash_attention = true};
    EXPECT_TRUE(at::equal(drawing.replies(step), expected)) << "fused, one by one";
  }
}

TEST(Generator, AReplyDoesNotDependOnTheOthers) {
  Drawing drawing;
  drawing.config.fixes = every_fix();
  const at::Tensor three = drawing.replies(1);
  drawing.config.replies = 5;
  const at::Tensor five = drawing.replies(1);
  EXPECT_TRUE(at::equal(three.narrow(0, 0, 3), five.narrow(0, 0, 3)));
  EXPECT_TRUE(at::equal(three.narrow(0, 3, 3), five.narrow(0, 5, 3)));
}

TEST(Generator, AGeneratorBeginsAnewWithEachCall) {
  Drawing drawing;
  drawing.config.fixes = every_fix();
  const auto generator = make_generator(drawing.config, drawing.decoder, at::kCPU);
  const at::Tensor keys = reply_keys(0, 1, 2, 3);
  const at::Tensor first = generator->generate(drawing.prompts, keys).clone();
  (void)generator->generate(drawing.prompts, reply_keys(0, 2, 2, 3));
  EXPECT_TRUE(at::equal(generator->generate(drawing.prompts, keys), first));
  EXPECT_FALSE(at::equal(drawing.replies(2), first));
}

}  // namespace
}  // namespace stepscope::polychromic
