// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/activation_files/batch_reader.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "tests/reference_trainers/activation_files/store_folder.hpp"

namespace stepscope::trainers {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

class BatchReaderTest : public StoreFolder {
 protected:
  static ActivationFiles files(const std::string& store) { return *look_at(store, 2, 4); }
  // Blocks of 6 rows.
  static ReaderSettings settings(std::int64_t batch) {
    return {.batch = batch, .seed = 3, .block_bytes = 6 * 2 * 2 * 4 * 4};
  }
  // The row numbers of a batch, by its first column.
  static std::vector<int> rows(const at::Tensor& batch) {
    std::vector<int> numbers;
    const at::Tensor first = batch[0][0].select(1, 0).to(at::kFloat);
    for (std::int64_t i = 0; i < first.size(0); ++i)
      numbers.push_back(static_cast<int>(first[i].item<float>()));
    return numbers;
  }
};

TEST_F(BatchReaderTest, SpansTileTheChunks) {
  const auto spans = cut(files(written(25, 10)), 4 * 2 * 2 * 4 * 4);
  std::vector<std::int64_t> sizes;
  for (const RowSpan& span : spans) sizes.push_back(span.rows);
  EXPECT_EQ(sizes, (std::vector<std::int64_t>{3, 3, 4, 3, 3, 4, 2, 3}));
  EXPECT_EQ(spans[4].chunk, 1U);
  EXPECT_EQ(spans[4].first, 3);
}

class TypedBatchReader : public BatchReaderTest,
                         public testing::WithParamInterface<at::ScalarType> {};

// All layers and sides of a row stay together, and each value is the one that was written.
TEST_P(TypedBatchReader, AnEpochHasEachRowOnceWithAllItsValues) {
  const std::string store = written(25, 10, "store", GetParam());
  BatchReader reader(files(store), settings(5));
  const NewActivations all = numbered(25);
  for (int epoch = 0; epoch < 3; ++epoch) {
    std::vector<int> seen;
    for (int i = 0; i < 5; ++i) {
      const auto batch = reader.next();
      ASSERT_TRUE(batch) << batch.error().message;
      EXPECT_EQ(batch->scalar_type(), GetParam());
      const std::vector<int> numbers = rows(*batch);
      for (std::int64_t row = 0; row < 5; ++row) {
        const int number = numbers[static_cast<std::size_t>(row)];
        for (std::size_t layer = 0; layer < 2; ++layer) {
          const auto at_layer = static_cast<std::int64_t>(layer);
          EXPECT_TRUE((*batch)[0][at_layer][row].equal(all.inputs[layer][number].to(GetParam())));
          EXPECT_TRUE((*batch)[1][at_layer][row].equal(all.targets[layer][number].to(GetParam())));
        }
      }
      seen.insert(seen.end(), numbers.begin(), numbers.end());
    }
    std::sort(seen.begin(), seen.end());
    for (int row = 0; row < 25; ++row) ASSERT_EQ(seen[static_cast<std::size_t>(row)], row);
  }
}
INSTANTIATE_TEST_SUITE_P(Types, TypedBatchReader,
                         testing::Values(at::kFloat, at::kHalf, at::kBFloat16),
                         [](const auto& about) { return c10::toString(about.param); });

TEST_F(BatchReaderTest, WhatAnEpochLeavesOverIsDropped) {
  BatchReader reader(files(written(25, 10)), settings(10));
  for (int epoch = 0; epoch < 4; ++epoch) {
    std::vector<int> seen = rows(*reader.next());
    const std::vector<int> second = rows(*reader.next());
    seen.insert(seen.end(), second.begin(), second.end());
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end()) << "no row twice";
  }
}

TEST_F(BatchReaderTest, SkipIsAsIfTheBatchesHadBeenTaken) {
  const ActivationFiles store = files(written(25, 10));
  BatchReader whole(store, settings(7));
  std::vector<std::vector<int>> all;
  for (int i = 0; i < 12; ++i) all.push_back(rows(*whole.next()));
  for (std::size_t skipped = 0; skipped < 10; ++skipped) {
    BatchReader reader(store, settings(7));
    reader.skip(static_cast<std::int64_t>(skipped));
    EXPECT_EQ(rows(*reader.next()), all[skipped]) << skipped;
    reader.skip(1);
    EXPECT_EQ(rows(*reader.next()), all[skipped + 2]) << skipped;
  }
}

// Blocks hold 6 rows: batches of 7 run over their ends, at other places each time.
TEST_F(BatchReaderTest, SharesOfABatchAreItsRows) {
  const ActivationFiles store = files(written(25, 10));
  BatchReader whole(store, settings(7));
  std::vector<std::unique_ptr<BatchReader>> shares;
  for (const Span own : {Span{0, 2}, Span{2, 6}, Span{6, 7}}) {
    ReaderSettings of_share = settings(7);
    of_share.own = own;
    shares.push_back(std::make_unique<BatchReader>(store, of_share));
  }
  for (int i = 0; i < 12; ++i) {
    const at::Tensor batch = *whole.next();
    EXPECT_TRUE((*shares[0]->next()).equal(batch.slice(2, 0, 2))) << i;
    EXPECT_TRUE((*shares[1]->next()).equal(batch.slice(2, 2, 6))) << i;
    EXPECT_TRUE((*shares[2]->next()).equal(batch.slice(2, 6, 7))) << i;
  }
}

TEST_F(BatchReaderTest, OneShareSeesARowThatIsNotFinite) {
  NewActivations all = numbered(30);
  all.targets[1][17][2] = INFINITY;
  ASSERT_TRUE(write_activations(path("store"), all));
  int seen = 0;
  for (const Span own : {Span{0, 10}, Span{10, 20}, Span{20, 30}}) {
    ReaderSettings of_share = settings(30);
    of_share.own = own;
    BatchReader reader(files(path("store")), of_share);
    if (!reader.next()) ++seen;
  }
  EXPECT_EQ(seen, 1);
}

TEST_F(BatchReaderTest, ARowThatIsNotFiniteIsNamed) {
  NewActivations all = numbered(30);
  all.chunk_rows = 10;
  all.targets[1][17][2] = INFINITY;
  ASSERT_TRUE(write_activations(path("store"), all));
  BatchReader reader(files(path("store")), settings(30));
  const auto batch = reader.next();
  ASSERT_FALSE(batch);
  EXPECT_THAT(batch.error().message,
              HasSubstr(path("store") + "/chunk_1.h5: layer_1/targets: row 7 holds NaN"));
}

// What happens to the files behind the first look is an Error at the batch that needs them.
TEST_F(BatchReaderTest, AChunkThatGoesAwayOrChangesIsNamed) {
  const std::string store = written(30, 10);
  const ActivationFiles before = files(store);
  fs::resize_file(store + "/chunk_1.h5", 2000);
  BatchReader truncated(before, settings(30));
  EXPECT_THAT(truncated.next().error().message, AllOf(HasSubstr("chunk_1.h5"), HasSubstr("trunc")));
  fs::remove(store + "/chunk_1.h5");
  BatchReader missing(before, settings(30));
  EXPECT_THAT(missing.next().error().message,
              AllOf(HasSubstr("chunk_1.h5"), HasSubstr("No such file")));
  fs::copy(written(5, 5, "other") + "/chunk_0.h5", store + "/chunk_1.h5");
  BatchReader changed(before, settings(30));
  EXPECT_THAT(changed.next().error().message,
              AllOf(HasSubstr("chunk_1.h5: layer_0/inputs"), HasSubstr("has changed")));
}

TEST_F(BatchReaderTest, EndsAtAnyTime) {
  const ActivationFiles store = files(written(300, 100));
  for (int taken = 0; taken < 20; ++taken) {
    BatchReader reader(store, settings(16));
    for (int i = 0; i < taken; ++i) ASSERT_TRUE(reader.next());
  }
}

}  // namespace
}  // namespace stepscope::trainers
