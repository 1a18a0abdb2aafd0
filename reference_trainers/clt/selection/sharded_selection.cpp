// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/selection/sharded_selection.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/batch_topk/batch_topk_reference.hpp"
#include "kernels/shard_topk/greatest_keys.hpp"
#include "kernels/shard_topk/shard_keys.hpp"
#include "reference_trainers/clt/selection/batch_topk.hpp"

namespace stepscope::clt {
namespace {

std::vector<float> floats(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}
std::vector<float> floats(const at::Tensor& values) {
  const float* data = values.const_data_ptr<float>();
  return {data, data + values.numel()};
}

class HostSelection final : public ShardedSelection {
 public:
  HostSelection(trainers::Comm& comm, const Spread& spread) : ShardedSelection(comm, spread) {}

  at::Tensor mask(const at::Tensor& preactivations) override {
    const at::NoGradGuard no_grad;
    const HostKeys keys = keys_of(preactivations);
    const kernels::GreatestKeys greatest(keys.matrix, groups_of(preactivations));
    at::Tensor mask = at::empty(preactivations.sizes(), at::TensorOptions(at::kBool));
    static_assert(sizeof(bool) == sizeof(std::uint8_t));
    const std::optional<std::int64_t> own = cut_by_guess(greatest);
    greatest.select(
        own ? *own : in_rounds(kernels::ShardKeys(keys.matrix, groups_of(preactivations))),
        static_cast<std::uint8_t*>(mask.mutable_data_ptr()));
    return mask;
  }

 private:
  struct HostKeys {
    std::vector<float> mean, scale;
    kernels::BatchTopkArguments matrix;  // pointing into both
  };

  HostKeys keys_of(const at::Tensor& preactivations) const {
    HostKeys keys;
    kernels::BatchTopkArguments& matrix = keys.matrix;
    matrix.keys = preactivations.const_data_ptr<float>();
    matrix.key_type = kernels::KeyType::float32;
    matrix.rows = preactivations.size(0);
    matrix.columns = preactivations.size(1);
    matrix.count = spread_.count;
    matrix.nan = kernels::NanPolicy::select;
    matrix.column_keys.source = kernels::KeySource::affine;
    if (spread_.by == Parallel::features) {
      const kernels::ColumnStatistics own = kernels::column_statistics_reference(matrix);
      keys.mean = floats(own.mean), keys.scale = floats(own.scale);
    } else {
      const Statistics all = summed_statistics(preactivations);
      keys.mean = floats(all.mean), keys.scale = floats(all.scale);
    }
    matrix.column_keys.mean = keys.mean.data();
    matrix.column_keys.scale = keys.scale.data();
    return keys;
  }

  // Nothing where the guess does not decide, on no rank then.
  std::optional<std::int64_t> cut_by_guess(const kernels::GreatestKeys& greatest) {
    const at::Tensor counts = at::zeros({kernels::kShardBins}, at::TensorOptions(at::kLong));
    greatest.count(guess_, counts.mutable_data_ptr<std::int64_t>());
    comm_.all_reduce(counts, trainers::Reduction::sum);
    const kernels::ShardChoice choice =
        kernels::shard_cut_choice(counts.const_data_ptr<std::int64_t>(), spread_.count);
    const kernels::ShardGuess guess = std::exchange(guess_, next_guess(guess_, choice));
    if (choice.decided == 0) return std::nullopt;
    const at::Tensor all = gather(greatest.finalists(guess, choice));
    return greatest.own_count(guess, choice, all.const_data_ptr<std::int64_t>(), comm_.rank(),
                              comm_.size());
  }

  std::int64_t in_rounds(const kernels::ShardKeys& keys) {
    kernels::ShardTopkState state;
    for (int round = 0; round < kernels::kShardRounds; ++round) {
      const at::Tensor counts = at::zeros({kernels::kShardBins}, at::TensorOptions(at::kLong));
      auto* const data = counts.mutable_data_ptr<std::int64_t>();
      keys.count(state, round, data);
      comm_.all_reduce(counts, trainers::Reduction::sum);
      kernels::shard_choose(state, round, data, spread_.count);
    }
    if (state.selected > 0) guess_ = kernels::guess_about(state.least, guess_.narrower);
    const std::vector<std::int64_t> shares = keys.shares(state);
    const at::Tensor all = gather(shares);
    return kernels::shard_own_count(state, all.const_data_ptr<std::int64_t>(),
                                    std::ssize(shares) - 1, comm_.rank(), comm_.size());
  }

  at::Tensor gather(const std::vector<std::int64_t>& own) const {
    const at::Tensor numbers = at::empty({std::ssize(own)}, at::TensorOptions(at::kLong));
    std::memcpy(numbers.mutable_data_ptr(), own.data(), own.size() * sizeof(std::int64_t));
    return comm_.all_gather(numbers);
  }

  kernels::ShardGuess guess_;
};

}  // namespace

std::int64_t ShardedSelection::groups_of(const at::Tensor& preactivations) const {
  return spread_.by == Parallel::features ? spread_.layers : preactivations.size(1);
}

ShardedSelection::Statistics ShardedSelection::summed_statistics(
    const at::Tensor& preactivations) const {
  const auto rows = static_cast<double>(spread_.rows);
  const at::Tensor sums = preactivations.sum(0, /*keepdim=*/false, at::kDouble);
  comm_.all_reduce(sums, trainers::Reduction::sum);
  const at::Tensor mean = sums / rows;
  const at::Tensor squares = (preactivations - mean).square().sum(0);
  comm_.all_reduce(squares, trainers::Reduction::sum);
  const at::Tensor deviation = (squares / (rows - 1)).sqrt();
  return {mean.to(at::kFloat), (1 / (deviation + kScoreEpsilon)).to(at::kFloat)};
}

std::unique_ptr<ShardedSelection> make_host_selection(trainers::Comm& comm, const Spread& spread) {
  return std::make_unique<HostSelection>(comm, spread);
}

Spread spread_of(const Config& config) {
  return {config.parallel, config.layers, config.batch, config.k * config.batch};
}

std::unique_ptr<ShardedSelection> make_selection(const Config& config, trainers::Comm& comm,
                                                 at::Device device) {
  if (comm.size() == 1) return nullptr;
  if (device.is_cuda()) return make_kernel_selection(comm, spread_of(config));
  return make_host_selection(comm, spread_of(config));
}

#ifndef STEPSCOPE_CLT_WITH_KERNELS
std::unique_ptr<KernelSelection> make_kernel_selection(trainers::Comm& /*comm*/,
                                                       const Spread& /*spread*/) {
  return nullptr;
}
#endif

}  // namespace stepscope::clt
