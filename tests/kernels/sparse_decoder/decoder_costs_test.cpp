// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "kernels/sparse_decoder/decoder_costs.hpp"

namespace stepscope::kernels {
namespace {

SparseDecoderShape gpt2(std::int64_t features) {
  return {12, features, 768, 1024};
}
constexpr KeyType kBf16 = KeyType::bfloat16;

// Bytes of all active vectors 2.04 GB, of touched ones 1.27 GB; the dense product 2.0e12
// operations.
TEST(DecoderCosts, AreTheCountedBytesOverTheRates) {
  DecoderRates rates{.memory_bytes_per_us = 3e6,
                     .l2_bytes_per_us = 5.5e6,
                     .bf16_operations_per_us = 700e6,
                     .reached_by_gather = 1};
  EXPECT_NEAR(touched_vectors(gpt2(16384), 200) * 1536 / 1e9, 1.27, 0.01);
  EXPECT_NEAR(sparse_forward_us(gpt2(16384), 200, kBf16, rates), 1.27e9 / 3e6, 5);
  rates.l2_bytes_per_us = 2e6;
  EXPECT_NEAR(sparse_forward_us(gpt2(16384), 200, kBf16, rates), 2.045e9 / 2e6, 5);
  EXPECT_NEAR(dense_forward_us(gpt2(16384), kBf16, rates), 2.01e12 / 700e6, 5);
  // One token: the weights are read for it.
  EXPECT_NEAR(dense_forward_us({12, 16384, 768, 1}, kBf16, rates), 1.963e9 / 3e6, 1);
}

TEST(DecoderCosts, SparsePaysForWideLayersAndFewActive) {
  EXPECT_TRUE(sparse_forward_pays(gpt2(16384), 200, kBf16));
  EXPECT_TRUE(sparse_forward_pays(gpt2(49152), 200, kBf16));
  EXPECT_FALSE(sparse_forward_pays(gpt2(512), 200, kBf16));
  EXPECT_FALSE(sparse_forward_pays(gpt2(16384), 4000, kBf16));
}

TEST(DecoderCosts, PiecesKeepWithinTheCache) {
  const auto lanes = [](const SparseDecoderShape& shape) {
    return lanes_of_piece(shape, shape.tokens * 200, kBf16);
  };
  EXPECT_EQ(lanes(gpt2(4096)), 32);
  EXPECT_EQ(lanes(gpt2(16384)), 16);
  EXPECT_EQ(lanes({12, 16384, 768, 16384}), 8) << "all features are touched";
  EXPECT_EQ(lanes({4, 1024, 128, 256}), 16) << "256 bytes a vector";
  EXPECT_EQ(lanes({4, 1024, 64, 256}), 8);
  EXPECT_EQ(lanes_of_piece(gpt2(4096), 1, kBf16, 8), 8) << "as wished";
}

TEST(DecoderCosts, AnEmptyDecoderCostsNothing) {
  EXPECT_EQ(sparse_forward_us({0, 0, 0, 0}, 0, kBf16), 0);
  EXPECT_EQ(lanes_of_piece({0, 0, 0, 0}, 0, kBf16), 8);
}

}  // namespace
}  // namespace stepscope::kernels
