// SPDX-License-Identifier: Apache-2.0
// Each rank's mask is its part of the whole's, to the bit, for any number of ranks.
#include "reference_trainers/clt/selection/sharded_selection.hpp"

#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "kernels/batch_topk/batch_topk_reference.hpp"
#include "reference_trainers/clt/model/sparse_ops.hpp"
#include "tests/reference_trainers/clt/selection/spread_preactivations.hpp"
#include "tests/reference_trainers/comm/in_process_ranks.hpp"

namespace stepscope::clt {
namespace {

constexpr WholeBatch kWhole{.rows = 24, .layers = 3, .features = 37};
constexpr std::int64_t kRows = kWhole.rows;

at::Tensor selected_of_whole(const at::Tensor& preactivations, std::int64_t count) {
  kernels::BatchTopkArguments matrix;
  matrix.keys = preactivations.const_data_ptr<float>();
  matrix.key_type = kernels::KeyType::float32;
  matrix.rows = kRows;
  matrix.columns = kWhole.columns();
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

TEST(ShardedSelection, IsThatOfOneRankToTheBit) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const at::Tensor whole = made_preactivations(kWhole, seed, /*normal=*/seed % 3 == 0);
    for (const std::int64_t count : {std::int64_t{0}, std::int64_t{1}, std::int64_t{211},
                                     kRows * 40, kRows * kWhole.columns() + 5}) {
      const at::Tensor expected = selected_of_whole(whole, count);
      EXPECT_EQ(expected.sum().item<std::int64_t>(), std::min(count, whole.numel()));
      for (const Parallel by : {Parallel::features, Parallel::data})
        for (const int size : {1, 2, 4, 8})
          trainers::run_ranks(size, [&](trainers::Comm& comm) {
            const auto selection = make_host_selection(comm, {by, kWhole.layers, kRows, count});
            const at::Tensor mask = selection->mask(part_of(whole, kWhole, by, comm.rank(), size));
            EXPECT_TRUE(mask.equal(part_of(expected, kWhole, by, comm.rank(), size)))
                << "seed " << seed << ", count " << count << ", rank " << comm.rank() << " of "
                << size;
          });
    }
  }
}

// As training goes on: what is known of one selection serves the next, and where the keys leap,
// they are selected in rounds. Both selections, on tensors of the CPU.
template <class Make>
void expect_of_each_turn(Make make) {
  for (const Parallel by : {Parallel::features, Parallel::data})
    for (const int size : {1, 2, 4})
      trainers::run_ranks(size, [&](trainers::Comm& comm) {
        const std::unique_ptr<ShardedSelection> selection =
            make(comm, Spread{by, kWhole.layers, kRows, kRows * 30});
        for (std::uint64_t turn = 0; turn < 6; ++turn) {
          const at::Tensor whole = made_preactivations(kWhole, turn / 2, /*normal=*/turn % 4 != 3);
          const at::Tensor expected = selected_of_whole(whole, kRows * 30);
          // Sums over other ranks' rows round differently, so only few small integers are judged.
          if (by == Parallel::data && turn % 4 != 3) continue;
          const at::Tensor mask = selection->mask(part_of(whole, kWhole, by, comm.rank(), size));
          EXPECT_TRUE(mask.equal(part_of(expected, kWhole, by, comm.rank(), size)))
              << "turn " << turn << ", rank " << comm.rank() << " of " << size;
        }
      });
}

TEST(ShardedSelection, OfEachTurnIsThatOfOneRank) {
  expect_of_each_turn(make_host_selection);
}

TEST(KernelSelection, OfEachTurnIsThatOfOneRank) {
  trainers::SingleComm alone;
  if (make_kernel_selection(alone, {}) == nullptr) GTEST_SKIP() << "no CUDA kernels in this build";
  expect_of_each_turn(make_kernel_selection);
}

// The enqueued words are the answer unless the keys are unknown, or leap.
TEST(KernelSelection, BeginsWithTheAnswerWhereKeysMoveLittle) {
  trainers::SingleComm alone;
  if (make_kernel_selection(alone, {}) == nullptr) GTEST_SKIP() << "no CUDA kernels in this build";
  for (const int size : {2, 4})
    trainers::run_ranks(size, [&](trainers::Comm& comm) {
      const Spread spread{Parallel::features, kWhole.layers, kRows, kRows * 30};
      const auto selection = make_kernel_selection(comm, spread);
      const at::Tensor drift = made_preactivations(kWhole, 9, true);
      for (int turn = 0; turn < 6; ++turn) {
        const bool leaps = turn == 3;
        const at::Tensor like_last =
            made_preactivations(kWhole, 1, /*normal=*/true).add(drift, turn * 1e-3);
        const at::Tensor whole = leaps ? like_last.pow(3) : like_last;
        const at::Tensor own = part_of(whole, kWhole, Parallel::features, comm.rank(), size);
        const at::Tensor begun = selection->begin(own, [] {});
        EXPECT_EQ(selection->end(own).words.is_same(begun), turn != 0 && !leaps && turn != 4)
            << "turn " << turn << ", rank " << comm.rank() << " of " << size;
      }
    });
}

// The first two differ; then nothing of the first half of the features is selected until the keys
// are well known, and at last nothing of the second half: of two ranks each has far more entries
// then, or fewer, than the turn before.
at::Tensor of_turn(int turn) {
  const at::Tensor whole =
      made_preactivations(kWhole, static_cast<std::uint64_t>(std::min(turn, 2)), true);
  const at::Tensor features = whole.view({kRows, kWhole.layers, kWhole.features});
  if (turn >= 2) features.slice(2, 0, kWhole.features / 2).fill_(0);
  return turn < 6 ? whole : features.flip(2).reshape(whole.sizes()).contiguous();
}

TEST(KernelSelection, ListsAreOfTheMask) {
  trainers::SingleComm alone;
  if (make_kernel_selection(alone, {}) == nullptr) GTEST_SKIP() << "no CUDA kernels in this build";
  constexpr std::int64_t kCount = kRows * 15;
  trainers::run_ranks(2, [&](trainers::Comm& comm) {
    const Spread spread{Parallel::features, kWhole.layers, kRows, kCount};
    const trainers::Span own = trainers::share_of(kWhole.features, comm.rank(), 2);
    const auto ops =
        make_kernel_ops({kWhole.layers, own.size(), 8, kRows}, make_kernel_selection(comm, spread));
    for (int turn = 0; turn < 7; ++turn) {
      const at::Tensor whole = of_turn(turn);
      const auto part = [&](const at::Tensor& of) {
        return part_of(of, kWhole, Parallel::features, comm.rank(), 2);
      };
      const at::Tensor mask = part(selected_of_whole(whole, kCount)), values = part(whole);
      ActiveFeatures active = ops->select(values, kCount);
      ops->list_columns(active, values);
      EXPECT_TRUE(active.by_token.values.equal(values.index({mask}))) << "turn " << turn;
      EXPECT_TRUE(active.by_column.values.equal(values.t().index({mask.t()})));
      EXPECT_TRUE(active.by_token.offsets.slice(0, 1).equal(mask.sum(1).cumsum(0)));
      EXPECT_EQ(active.by_token.indices.numel(), mask.sum().item<std::int64_t>());
      EXPECT_EQ(active.by_column.indices.numel(), mask.sum().item<std::int64_t>());
    }
  });
}

// NaN counts as greatest, as at::topk has it.
TEST(ShardedSelection, NanComesFirst) {
  const at::Tensor whole = made_preactivations(kWhole, 1, true);
  whole.select(1, 50).fill_(std::numeric_limits<float>::quiet_NaN());
  const at::Tensor expected = selected_of_whole(whole, kRows);
  EXPECT_TRUE(expected.select(1, 50).all().item<bool>());
  trainers::run_ranks(4, [&](trainers::Comm& comm) {
    const auto selection =
        make_host_selection(comm, {Parallel::features, kWhole.layers, kRows, kRows});
    const at::Tensor mask =
        selection->mask(part_of(whole, kWhole, Parallel::features, comm.rank(), 4));
    EXPECT_TRUE(mask.equal(part_of(expected, kWhole, Parallel::features, comm.rank(), 4)));
  });
}

}  // namespace
}  // namespace stepscope::clt
