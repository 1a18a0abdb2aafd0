// SPDX-License-Identifier: Apache-2.0
// Documents that share a sequence: how they are packed, and that none sees another.
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/randint.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "reference_trainers/common/autocast.hpp"
#include "reference_trainers/llm/data/grammar.hpp"
#include "reference_trainers/llm/data/packing.hpp"
#include "reference_trainers/llm/model/model.hpp"
#include "tests/reference_trainers/llm/rung_parity.hpp"

namespace stepscope::llm {
namespace {

using testing::HasSubstr;

std::vector<std::int64_t> begins_of(const std::vector<std::uint16_t>& tokens) {
  std::vector<std::int64_t> begins;
  for (std::size_t i = 0; i < tokens.size(); ++i)
    if (tokens[i] == 0) begins.push_back(static_cast<std::int64_t>(i));
  return begins;
}

TEST(Packing, RowsAreFullAndHoldEveryTokenOnceButTheLastRows) {
  const std::vector<std::int64_t> begins = begins_of(make_corpus(512, 20'000, 3).tokens);
  for (const std::int64_t length : {7, 64, 65, 300}) {
    SCOPED_TRACE(length);
    const PackedRows packed = pack_documents(begins, 20'000, length, 50);
    std::set<std::int64_t> seen;
    for (std::int64_t row = 0; row < packed.count(); ++row) {
      std::int64_t sum = 0;
      for (const Piece& piece : packed.row(row)) {
        sum += piece.count;
        for (std::int64_t i = 0; i < piece.count; ++i)
          EXPECT_TRUE(seen.insert(piece.begin + i).second);
      }
      EXPECT_EQ(sum, length);
    }
    EXPECT_GT(static_cast<std::int64_t>(seen.size()), 20'000 - length);
    EXPECT_GE(*seen.begin(), 0);
    EXPECT_LT(*seen.rbegin(), 20'000);
  }
}

// Windows cut a document at every row's end, but for those that end there by chance.
TEST(Packing, CutsFarFewerDocumentsThanWindowsDo) {
  const std::vector<std::int64_t> begins = begins_of(make_corpus(512, 200'000, 3).tokens);
  const PackedRows packed = pack_documents(begins, 200'000, 513);
  RecordProperty("cuts", static_cast<int>(packed.cuts));
  RecordProperty("rows", static_cast<int>(packed.count()));
  EXPECT_LT(packed.cuts, packed.count() / 5);
}

TEST(Packing, OneLongDocumentIsCutIntoRows) {
  const PackedRows packed = pack_documents({0}, 25, 10);
  EXPECT_EQ(packed.count(), 2);
  EXPECT_EQ(packed.row(1)[0].begin, 10);
}

TokenStream document_stream(Documents treat, std::int64_t token = 9) {
  std::vector<std::uint16_t> tokens;
  for (const int length : {3, 5, 2, 6, 4, 5}) {
    tokens.push_back(9);
    for (int i = 1; i < length; ++i) tokens.push_back(static_cast<std::uint16_t>(i));
  }
  Result<TokenStream> stream =
      TokenStream::open({TokenShard::of(tokens, "documents")}, 7, 10, 1, {treat, token});
  EXPECT_TRUE(stream) << stream.error().message;
  return *stream;
}

TEST(DocumentStream, PositionsBeginAnewWithEachDocument) {
  for (const Documents treat : {Documents::masked, Documents::packed}) {
    TokenStream stream = document_stream(treat);
    ASSERT_EQ(stream.sequences_an_epoch(), 3);
    for (std::int64_t i = 0; i < 6; ++i) {
      std::vector<std::int64_t> tokens(8), positions(8);
      ASSERT_TRUE(stream.read(i, tokens.data(), positions.data()));
      for (std::size_t t = 0; t < 8; ++t) {
        const bool begins = t == 0 || tokens[t] == 9 || tokens[t] != tokens[t - 1] % 9 + 1;
        EXPECT_EQ(positions[t], begins ? 0 : positions[t - 1] + 1) << i << " " << t;
      }
    }
  }
}

TEST(DocumentStream, AShardWithoutTheTokenIsNamed) {
  const auto stream = TokenStream::open({TokenShard::of({1, 2, 3, 4, 5, 6, 7, 8, 1}, "x.bin")}, 7,
                                        10, 1, {Documents::packed, 9});
  EXPECT_THAT(stream.error().message, HasSubstr("x.bin: it has no token 9"));
  EXPECT_THAT(stream.error().message, HasSubstr("--document-token"));
}

// The loss of two documents in one sequence is that of each alone, weighted by their tokens.
TEST(DocumentMask, NoDocumentSeesAnother) {
  for (const char* rung : {"R0", "R3", "R5", "R6e", "R11b"}) {
    SCOPED_TRACE(rung);
    Config config = small_config();
    config.rungs = *rungs_up_to(rung);
    config.rungs.fp8 = config.rungs.fp8_head = false;  // a scale is of all numbers of a tensor
    const Model model(config, at::kCPU);
    const std::int64_t first = 12, second = 20;
    const at::Tensor tokens = at::randint(256, {1, first + second}, at::TensorOptions(at::kLong));
    const at::Tensor targets = at::randint(256, {1, first + second}, at::TensorOptions(at::kLong));
    const auto places = [](std::int64_t count) {
      return at::arange(count, at::TensorOptions(at::kLong)).unsqueeze(0);
    };
    const auto loss = [&](std::int64_t begin, std::int64_t count, const at::Tensor& positions) {
      const trainers::Autocast autocast(config.rungs.bf16 && !config.rungs.bf16_weights, at::kCPU);
      return model
          .loss(tokens.narrow(1, begin, count), targets.narrow(1, begin, count), 1, positions)
          .item<double>();
    };
    const double together =
        loss(0, first + second, at::cat({places(first), places(second)}, 1)) * (first + second);
    const double apart =
        loss(0, first, places(first)) * first + loss(first, second, places(second)) * second;
    const double tolerance = config.rungs.bf16 ? 2e-3 : 1e-5;
    EXPECT_NEAR(together, apart, tolerance * apart);
    const double across = loss(0, first + second, places(first + second)) * (first + second);
    EXPECT_GT(std::abs(across - apart), 3e-6 * apart) << "without a mask they do see each other";
  }
}

TEST(DocumentMask, RungsTrainAlikeWithDocumentsKeptApart) {
  Config config = small_config(1);
  config.documents.treat = Documents::packed;
  const Gradients naive = first_gradients(config, at::kCPU);
  for (const char* rung : {"R3", "R5b", "R6e", "R11", "R11b"}) {
    config.rungs = *rungs_up_to(rung);
    expect_same_gradients(naive, first_gradients(config, at::kCPU), config, rung);
  }
}

}  // namespace
}  // namespace stepscope::llm
