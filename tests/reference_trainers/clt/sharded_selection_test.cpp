// SPDX-License-Identifier: Apache-2.0
// Each rank's mask is its part of the whole's, to the bit, for any number of ranks.
#include "reference_trainers/clt/sharded_selection.hpp"

#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "kernels/batch_topk/batch_topk_reference.hpp"
#include "reference_trainers/clt/span.hpp"
#include "reference_trainers/common/random.hpp"
#include "tests/reference_trainers/comm/in_process_ranks.hpp"

namespace stepscope::clt {
namespace {

constexpr std::int64_t kLayers = 3, kFeatures = 37, kRows = 24;

// Few different values, so that z-scores are equal all over; in `normal` none are.
at::Tensor made_preactivations(std::uint64_t seed, bool normal) {
  at::Generator random = trainers::seeded_generator(seed, trainers::RandomStream::weights);
  if (normal) return at::randn({kRows, kLayers * kFeatures}, random);
  const at::Tensor columns = at::randint(-2, 3, {kRows, 5}, random).to(at::kFloat);
  const at::Tensor picked = at::randint(0, 5, {kLayers * kFeatures}, random).to(at::kLong);
  return columns.index_select(1, picked).contiguous();
}

at::Tensor selected_of_whole(const at::Tensor& preactivations, std::int64_t count) {
  kernels::BatchTopkArguments matrix;
  matrix.keys = preactivations.const_data_ptr<float>();
  matrix.key_type = kernels::KeyType::float32;
  matrix.rows = kRows;
  matrix.columns = kLayers * kFeatures;
  matrix.count = count;
  matrix.nan = kernels::NanPolicy::select;
  const kernels::ColumnStatistics statistics = kernels::column_statistics_reference(matrix);
  std::vector<float> mean(statistics.mean.begin(), statistics.mean.end());
  std::vector<float> scale(statistics.scale.begin(), statistics.scale.end());
  matrix.column_keys = {kernels::KeySource::affine, 1e-6F, mean.data(), scale.data()};
  const std::vector<std::uint32_t> words = kernels::batch_topk_reference(matrix).mask;
  const std::int64_t row_words = kernels::mask_words_per_row(matrix.columns);
  const at::Tensor mask = at::zeros({kRows, matrix.columns}, at::TensorOptions(at::kBool));
  bool* to = mask.mutable_data_ptr<bool>();
  for (std::int64_t row = 0; row < kRows; ++row)
    for (std::int64_t column = 0; column < matrix.columns; ++column)
      *to++ = (words[static_cast<std::size_t>(row * row_words + column / 32)] >> (column % 32) &
               1U) != 0;
  return mask;
}

at::Tensor part_of(const at::Tensor& whole, Parallel by, int rank, int size) {
  if (by == Parallel::data) {
    const Span rows = share_of(kRows, rank, size);
    return whole.slice(0, rows.begin, rows.end).contiguous();
  }
  const Span features = share_of(kFeatures, rank, size);
  return whole.view({kRows, kLayers, kFeatures})
      .slice(2, features.begin, features.end)
      .reshape({kRows, -1})
      .contiguous();
}

TEST(ShardedSelection, IsThatOfOneRankToTheBit) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const at::Tensor whole = made_preactivations(seed, /*normal=*/seed % 3 == 0);
    for (const std::int64_t count : {std::int64_t{0}, std::int64_t{1}, std::int64_t{211},
                                     kRows * 40, kRows * kLayers * kFeatures + 5}) {
      const at::Tensor expected = selected_of_whole(whole, count);
      EXPECT_EQ(expected.sum().item<std::int64_t>(), std::min(count, whole.numel()));
      for (const Parallel by : {Parallel::features, Parallel::data})
        for (const int size : {1, 2, 4, 8})
          trainers::run_ranks(size, [&](trainers::Comm& comm) {
            const auto selection = make_host_selection(comm, {by, kLayers, kRows, count});
            const at::Tensor mask = selection->mask(part_of(whole, by, comm.rank(), size));
            EXPECT_TRUE(mask.equal(part_of(expected, by, comm.rank(), size)))
                << "seed " << seed << ", count " << count << ", rank " << comm.rank() << " of "
                << size;
          });
    }
  }
}

// NaN counts as greatest, as at::topk has it.
TEST(ShardedSelection, NanComesFirst) {
  const at::Tensor whole = made_preactivations(1, true);
  whole.select(1, 50).fill_(std::numeric_limits<float>::quiet_NaN());
  const at::Tensor expected = selected_of_whole(whole, kRows);
  EXPECT_TRUE(expected.select(1, 50).all().item<bool>());
  trainers::run_ranks(4, [&](trainers::Comm& comm) {
    const auto selection = make_host_selection(comm, {Parallel::features, kLayers, kRows, kRows});
    const at::Tensor mask = selection->mask(part_of(whole, Parallel::features, comm.rank(), 4));
    EXPECT_TRUE(mask.equal(part_of(expected, Parallel::features, comm.rank(), 4)));
  });
}

}  // namespace
}  // namespace stepscope::clt
