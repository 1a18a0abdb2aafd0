// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/ranks/ranks.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/topk.h>
#include <ATen/ops/zeros_like.h>
#include <fmt/format.h>

#include <algorithm>
#include <stepscope/annotate.hpp>

#include "reference_trainers/clt/ranks/rank_sum.hpp"
#include "reference_trainers/comm/buckets.hpp"

namespace stepscope::clt {

Ranks::Ranks(const Config& config, trainers::Comm& comm)
    : comm_(comm),
      parallel_(config.parallel),
      features_(by_features() ? trainers::share_of(config.features, comm.rank(), comm.size())
                              : trainers::Span{0, config.features}),
      rows_(by_rows() ? trainers::share_of(config.batch, comm.rank(), comm.size())
                      : trainers::Span{0, config.batch}),
      share_(static_cast<double>(features_.size() * rows_.size()) /
             static_cast<double>(config.features * config.batch)),
      most_features_((config.features + comm.size() - 1) / comm.size()) {}

Config Ranks::own(Config config) const {
  config.features = features_.size();
  config.batch = rows_.size();
  return config;
}

at::Tensor Ranks::sum(const at::Tensor& own) const {
  if (alone()) return own;
  const auto phase = stepscope::phase("comm");
  return sum_over_ranks(own, comm_);
}

void Ranks::begin_sum(const at::Tensor& own) const {
  if (!alone()) comm_.begin_all_reduce(own, trainers::Reduction::sum);
}

void Ranks::finish_sums() const {
  if (alone()) return;
  const auto phase = stepscope::phase("comm");
  comm_.end_begun();
}

at::Tensor Ranks::sum_of_features(const at::Tensor& own) const {
  return by_features() ? sum(own) : own;
}

// Every rank cuts the same gathered candidates, and so in the same way where some are equal.
at::Tensor Ranks::keep_greatest(const at::Tensor& own, std::int64_t count) const {
  if (!by_features()) return own;
  const auto phase = stepscope::phase("comm");
  const std::int64_t width = std::min(count, most_features_), rank = comm_.rank();
  const at::Tensor padded = at::full({own.size(0), width}, -1.0, own.options());
  padded.slice(1, 0, own.size(1)).copy_(own.detach());
  const at::Tensor all = comm_.all_gather(padded).transpose(0, 1).flatten(1);
  const at::Tensor greatest = std::get<1>(at::topk(all, count, 1, true, /*sorted=*/false));
  const at::Tensor mask = at::zeros_like(all).scatter_(1, greatest, 1.0);
  return own * mask.slice(1, rank * width, rank * width + own.size(1));
}

std::vector<at::Tensor> Ranks::gather_rows(const std::vector<at::Tensor>& own) const {
  if (!by_rows()) return own;
  const auto phase = stepscope::phase("comm");
  std::vector<at::Tensor> all;
  for (const at::Tensor& layer : own)
    all.push_back(comm_.all_gather(layer.contiguous()).flatten(0, 1));
  return all;
}

Metrics Ranks::of_all_features(const Metrics& own, at::Device device) const {
  if (!by_features()) return own;
  const at::Tensor sums =
      at::tensor({own.l0, own.log_density * share_, static_cast<double>(own.dead)}, at::kDouble)
          .to(device);
  comm_.all_reduce(sums, trainers::Reduction::sum);
  const at::Tensor host = sums.cpu();
  const double* of = host.const_data_ptr<double>();
  Metrics all = own;
  all.l0 = of[0];
  all.log_density = of[1];
  all.dead = static_cast<std::int64_t>(of[2]);
  return all;
}

void Ranks::sum_gradients(const std::vector<at::Tensor>& parameters) const {
  if (!by_rows()) return;
  const auto phase = stepscope::phase("comm");
  std::vector<at::Tensor> gradients;
  for (const at::Tensor& parameter : parameters) gradients.push_back(parameter.grad());
  trainers::sum_in_buckets(comm_, gradients);
}

at::Tensor Ranks::any(const at::Tensor& own) const {
  if (!by_rows()) return own;
  const auto phase = stepscope::phase("comm");
  const at::Tensor all = own.to(at::kByte);
  comm_.all_reduce(all, trainers::Reduction::max);
  return all.to(at::kBool);
}

Status check_ranks(const Config& config, int size) {
  if (size == 1) return Done{};
  if (config.hierarchical_ranks > 1)
    return usage_error(
        "--hierarchical-ranks (and --variant hierarchical) simulates ranks in one process: leave "
        "out --nproc");
  if (!config.to_jump_relu.empty())
    return usage_error(
        "--to-jumprelu converts in one process: leave out --nproc (a checkpoint of --parallel data "
        "can be resumed there)");
  if (config.parallel == Parallel::features && size > config.features)
    return usage_error(fmt::format("{} ranks share --features {}: at most one rank a feature", size,
                                   config.features));
  if (config.parallel == Parallel::features) return Done{};
  if (config.batch % size != 0)
    return usage_error(
        fmt::format("--batch {} does not divide by {} ranks: with --parallel data each takes as "
                    "many rows",
                    config.batch, size));
  if (config.fixes.sparse_step)
    return usage_error(
        "--parallel data sums gradients, of which sparse_step makes none of the decoder: use "
        "--parallel features, or --without sparse_step");
  return Done{};
}

}  // namespace stepscope::clt
