// SPDX-License-Identifier: Apache-2.0
// Preactivations of a whole batch, and the part of them, or of their mask, that a rank holds.
#pragma once

#include <ATen/Functions.h>

#include <cstdint>

#include "reference_trainers/clt/config.hpp"
#include "reference_trainers/common/random.hpp"
#include "reference_trainers/common/span.hpp"

namespace stepscope::clt {

struct WholeBatch {
  std::int64_t rows = 0, layers = 0, features = 0;

  std::int64_t columns() const { return layers * features; }
};

// Few different values, so that z-scores are equal all over; in `normal` none are.
inline at::Tensor made_preactivations(const WholeBatch& whole, std::uint64_t seed, bool normal) {
  at::Generator random = trainers::seeded_generator(seed, trainers::RandomStream::weights);
  if (normal) return at::randn({whole.rows, whole.columns()}, random);
  const at::Tensor columns = at::randint(-2, 3, {whole.rows, 5}, random).to(at::kFloat);
  const at::Tensor picked = at::randint(0, 5, {whole.columns()}, random).to(at::kLong);
  return columns.index_select(1, picked).contiguous();
}

inline at::Tensor part_of(const at::Tensor& all, const WholeBatch& whole, Parallel by, int rank,
                          int size) {
  if (by == Parallel::data) {
    const trainers::Span rows = trainers::share_of(whole.rows, rank, size);
    return all.slice(0, rows.begin, rows.end).contiguous();
  }
  const trainers::Span features = trainers::share_of(whole.features, rank, size);
  return all.view({whole.rows, whole.layers, whole.features})
      .slice(2, features.begin, features.end)
      .reshape({whole.rows, -1})
      .contiguous();
}

}  // namespace stepscope::clt
