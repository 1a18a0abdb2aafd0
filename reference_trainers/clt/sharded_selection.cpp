// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/sharded_selection.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <cstring>
#include <vector>

#include "kernels/batch_topk/batch_topk_reference.hpp"
#include "kernels/shard_topk/shard_keys.hpp"

namespace stepscope::clt {
namespace {

constexpr double kEpsilon = 1e-6;

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
    const kernels::ShardKeys keys = keys_of(preactivations);
    at::Tensor mask = at::empty(preactivations.sizes(), at::TensorOptions(at::kBool));
    static_assert(sizeof(bool) == sizeof(std::uint8_t));
    const kernels::ShardTopkState state = find_least(keys);
    keys.select(state, own_count(keys, state), static_cast<std::uint8_t*>(mask.mutable_data_ptr()));
    return mask;
  }

 private:
  kernels::ShardKeys keys_of(const at::Tensor& preactivations) const {
    kernels::BatchTopkArguments matrix;
    matrix.keys = preactivations.const_data_ptr<float>();
    matrix.key_type = kernels::KeyType::float32;
    matrix.rows = preactivations.size(0);
    matrix.columns = preactivations.size(1);
    matrix.nan = kernels::NanPolicy::select;
    matrix.column_keys.source = kernels::KeySource::affine;
    std::vector<float> mean, scale;
    if (spread_.by == Parallel::features) {
      const kernels::ColumnStatistics own = kernels::column_statistics_reference(matrix);
      mean = floats(own.mean), scale = floats(own.scale);
    } else {
      const Statistics all = summed_statistics(preactivations);
      mean = floats(all.mean), scale = floats(all.scale);
    }
    matrix.column_keys.mean = mean.data();
    matrix.column_keys.scale = scale.data();
    return kernels::ShardKeys(matrix, groups_of(preactivations));
  }

  kernels::ShardTopkState find_least(const kernels::ShardKeys& keys) const {
    kernels::ShardTopkState state;
    for (int round = 0; round < kernels::kShardRounds; ++round) {
      const at::Tensor counts = at::zeros({kernels::kShardBins}, at::TensorOptions(at::kLong));
      auto* const data = counts.mutable_data_ptr<std::int64_t>();
      keys.count(state, round, data);
      comm_.all_reduce(counts, trainers::Reduction::sum);
      kernels::shard_choose(state, round, data, spread_.count);
    }
    return state;
  }

  std::int64_t own_count(const kernels::ShardKeys& keys,
                         const kernels::ShardTopkState& state) const {
    const std::vector<std::int64_t> shares = keys.shares(state);
    const at::Tensor own = at::empty({std::ssize(shares)}, at::TensorOptions(at::kLong));
    std::memcpy(own.mutable_data_ptr(), shares.data(), shares.size() * sizeof(std::int64_t));
    const at::Tensor all = comm_.all_gather(own);
    return kernels::shard_own_count(state, all.const_data_ptr<std::int64_t>(),
                                    std::ssize(shares) - 1, comm_.rank(), comm_.size());
  }
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
  return {mean.to(at::kFloat), (1 / (deviation + kEpsilon)).to(at::kFloat)};
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
