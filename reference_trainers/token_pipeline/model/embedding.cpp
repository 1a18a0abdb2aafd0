// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/token_pipeline/model/embedding.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/full.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>

namespace stepscope::token_pipeline {
namespace {

at::Tensor kinds_one_by_one(const Weights& weights,
                            const std::array<std::int64_t, kRegionsOfSample>& regions) {
  std::vector<at::Tensor> rows;
  for (std::int64_t kind = 0; const std::int64_t length : regions) {
    for (std::int64_t i = 0; i < length; ++i) {
      const at::Tensor on_host = at::full({1}, kind, at::TensorOptions(at::kLong));
      rows.push_back(at::embedding(weights.kind, on_host.to(weights.kind.device())));
    }
    ++kind;
  }
  return at::cat(rows);
}

}  // namespace

at::Tensor embed_one_by_one(const Weights& weights, const Batch& batch, const Part& part) {
  const at::Tensor tokens = batch.tokens(part), features = batch.features_of(part);
  std::vector<at::Tensor> samples;
  std::int64_t row = 0;
  for (std::int64_t i = 0; i < part.samples; ++i) {
    const auto& regions = batch.regions[static_cast<std::size_t>(part.first_sample + i)];
    const std::int64_t length = regions[0] + regions[1] + regions[2];
    const at::Tensor sample = at::embedding(weights.token, tokens.narrow(0, row, length)) +
                              at::linear(features.narrow(0, row, length), weights.feature) +
                              weights.position.narrow(0, 0, length) +
                              kinds_one_by_one(weights, regions);
    samples.push_back(at::constant_pad_nd(sample, {0, 0, 0, part.longest - length}));
    row += length;
  }
  return at::stack(samples);
}

at::Tensor embed_at_once(const Weights& weights, const Batch& batch, const Part& part) {
  const at::Tensor rows = at::embedding(weights.token, batch.tokens(part)) +
                          at::linear(batch.features_of(part), weights.feature) +
                          at::embedding(weights.position, batch.positions(part)) +
                          at::embedding(weights.kind, batch.kinds(part));
  return at::zeros({part.samples * part.longest, rows.size(1)}, rows.options())
      .index_copy(0, batch.slots(part), rows)
      .view({part.samples, part.longest, rows.size(1)});
}

}  // namespace stepscope::token_pipeline
