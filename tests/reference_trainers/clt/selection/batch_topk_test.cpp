// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/selection/batch_topk.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/randn_like.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "reference_trainers/common/random.hpp"

namespace stepscope::clt {
namespace {

using Matrix = std::vector<std::vector<float>>;  // rows of features

at::Tensor tensor(const Matrix& rows) {
  std::vector<float> flat;
  for (const auto& row : rows) flat.insert(flat.end(), row.begin(), row.end());
  const auto columns = static_cast<std::int64_t>(rows.front().size());
  return at::from_blob(flat.data(), {static_cast<std::int64_t>(rows.size()), columns}).clone();
}

double at2(const at::Tensor& values, std::int64_t row, std::int64_t column) {
  return values[row][column].item<double>();
}

// The definition, in double and without a tensor operation.
std::vector<double> reference_keys(const at::Tensor& x) {
  const std::int64_t rows = x.size(0), columns = x.size(1);
  std::vector<double> keys(static_cast<std::size_t>(rows * columns));
  for (std::int64_t column = 0; column < columns; ++column) {
    double mean = 0, squares = 0;
    for (std::int64_t row = 0; row < rows; ++row)
      mean += at2(x, row, column) / static_cast<double>(rows);
    for (std::int64_t row = 0; row < rows; ++row)
      squares += std::pow(at2(x, row, column) - mean, 2);
    const double std = std::sqrt(squares / static_cast<double>(rows - 1));
    for (std::int64_t row = 0; row < rows; ++row) {
      keys[static_cast<std::size_t>(row * columns + column)] =
          (at2(x, row, column) - mean) / (std + 1e-6);
    }
  }
  return keys;
}

TEST(BatchTopk, SelectsTheLargestKeysOfAllLayers) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    at::Generator random = trainers::seeded_generator(seed, trainers::RandomStream::activations);
    const std::int64_t rows = 5, k = 1 + static_cast<std::int64_t>(seed % 4);
    const std::vector<at::Tensor> layers{at::randn({rows, 7}, random) * 3 + 1,
                                         at::randn({rows, 7}, random) - 2};
    const std::vector<at::Tensor> kept = batch_topk(layers, k);

    std::vector<double> keys;  // keys of both layers
    std::vector<bool> chosen;
    for (std::size_t layer = 0; layer < layers.size(); ++layer) {
      const std::vector<double> of_layer = reference_keys(layers[layer]);
      keys.insert(keys.end(), of_layer.begin(), of_layer.end());
      const at::Tensor nonzero = (kept[layer] != 0).reshape({-1});
      for (std::int64_t entry = 0; entry < nonzero.numel(); ++entry)
        chosen.push_back(nonzero[entry].item<bool>());
      EXPECT_TRUE(kept[layer].equal(layers[layer] * (kept[layer] != 0)))
          << "kept values are the raw ones";
    }
    double least_kept = HUGE_VAL, most_dropped = -HUGE_VAL;
    for (std::size_t entry = 0; entry < keys.size(); ++entry) {
      if (chosen[entry]) least_kept = std::min(least_kept, keys[entry]);
      if (!chosen[entry]) most_dropped = std::max(most_dropped, keys[entry]);
    }
    EXPECT_EQ(std::count(chosen.begin(), chosen.end(), true), k * rows) << "seed " << seed;
    EXPECT_GT(least_kept, most_dropped) << "seed " << seed;
  }
}

TEST(BatchTopk, RanksZScoresNotRawValues) {
  // The second column is larger everywhere, but nowhere far from its own mean.
  const at::Tensor x = tensor({{5.F, 100.F}, {0.F, 100.01F}, {0.F, 100.F}, {0.F, 99.99F}});
  const at::Tensor mask = batch_topk_mask(ranking_keys(x).slice(0, 0, 1), 1);
  EXPECT_TRUE(mask[0][0].item<bool>());
  EXPECT_FALSE(mask[0][1].item<bool>());
}

TEST(BatchTopk, KeepsNegativeValues) {
  // -1 stands out of a column of -5s; there is no ReLU.
  const at::Tensor x = tensor({{-1.F}, {-5.F}, {-5.F}, {-5.F}});
  const at::Tensor kept = batch_topk({x}, 1).front();
  EXPECT_EQ(batch_topk_mask(ranking_keys(x), 1).sum().item<int>(), 4);
  EXPECT_EQ(at2(kept, 0, 0), -1);
  const at::Tensor one = batch_topk_mask(ranking_keys(x).reshape({1, 4}), 1);
  EXPECT_TRUE(one[0][0].item<bool>());
  EXPECT_EQ(one.sum().item<int>(), 1);
}

TEST(BatchTopk, TiesStillGiveExactlyK) {
  const at::Tensor keys = at::zeros({4, 6});
  EXPECT_EQ(batch_topk_mask(keys, 2).sum().item<int>(), 8);
}

TEST(BatchTopk, CountIsCappedAndZeroIsEmpty) {
  const at::Tensor keys = at::zeros({4, 6});
  EXPECT_EQ(batch_topk_mask(keys, 7).sum().item<int>(), 24);
  EXPECT_EQ(batch_topk_mask(keys, 0).sum().item<int>(), 0);
}

TEST(BatchTopk, GradientIsThatOfTheOutputTimesTheMask) {
  at::Generator random = trainers::seeded_generator(3, trainers::RandomStream::activations);
  at::Tensor x = at::randn({6, 8}, random).set_requires_grad(true);
  const at::Tensor weight = at::randn({6, 8}, random);
  const at::Tensor kept = batch_topk({x}, 2).front();
  (kept * weight).sum().backward();
  EXPECT_TRUE(x.grad().equal(weight * (kept != 0).to(at::kFloat)));
}

}  // namespace
}  // namespace stepscope::clt
