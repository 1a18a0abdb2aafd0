// SPDX-License-Identifier: Apache-2.0
// On kernels/: counts of digits and equals stay on the device, and so does each rank's own count,
// but where lists of its length are made.
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros.h>

#include <stdexcept>

#include "kernels/batch_topk/column_statistics.hpp"
#include "kernels/bitmask/bitmask_outputs.hpp"
#include "kernels/shard_topk/shard_topk.hpp"
#include "reference_trainers/clt/sharded_selection.hpp"

namespace stepscope::clt {
namespace {

constexpr CUstream_st* kDefaultStream = nullptr;

void must(const kernels::Status& status) {
  if (!status.ok()) throw std::runtime_error("CUDA kernel: " + status.message());
}

class OnKernels final : public KernelSelection {
 public:
  OnKernels(trainers::Comm& comm, const Spread& spread) : KernelSelection(comm, spread) {}

  at::Tensor mask(const at::Tensor& preactivations) override {
    const at::Tensor words = words_of(preactivations);
    at::Tensor mask = at::empty(preactivations.sizes(), preactivations.options().dtype(at::kBool));
    must(kernels::bitmask_to_bytes({reinterpret_cast<const std::uint32_t*>(words.const_data_ptr()),
                                    preactivations.size(0), preactivations.size(1)},
                                   static_cast<std::uint8_t*>(mask.mutable_data_ptr()),
                                   kDefaultStream));
    return mask;
  }

  Bits bits(const at::Tensor& preactivations) override {
    const at::Tensor words = words_of(preactivations);
    return {words, own_count_.item<std::int64_t>()};
  }

 private:
  at::Tensor words_of(const at::Tensor& preactivations) {
    const at::NoGradGuard no_grad;
    kernels::BatchTopkArguments matrix = matrix_of(preactivations);
    set_statistics(preactivations, matrix);
    find_own_count(preactivations, matrix);
    at::Tensor words = at::empty({matrix.rows * kernels::mask_words_per_row(matrix.columns)},
                                 preactivations.options().dtype(at::kInt));
    matrix.device_count = own_count_.const_data_ptr<std::int64_t>();
    matrix.mask = reinterpret_cast<std::uint32_t*>(words.mutable_data_ptr());
    must(kernels::batch_topk(matrix, kDefaultStream));
    return words;
  }

  // The warm start is the last step's: it changes the speed alone.
  kernels::BatchTopkArguments matrix_of(const at::Tensor& preactivations) {
    kernels::BatchTopkArguments matrix;
    matrix.keys = preactivations.const_data_ptr<float>();
    matrix.key_type = kernels::KeyType::float32;
    matrix.rows = preactivations.size(0);
    matrix.columns = preactivations.size(1);
    matrix.count = spread_.count;
    matrix.nan = kernels::NanPolicy::select;
    matrix.column_keys.source = kernels::KeySource::z_score;
    if (!workspace_.defined()) make_memory(preactivations, matrix);
    matrix.column_keys.mean = mean_.mutable_data_ptr<float>();
    matrix.column_keys.scale = scale_.mutable_data_ptr<float>();
    matrix.result = reinterpret_cast<kernels::BatchTopkResult*>(result_.mutable_data_ptr());
    matrix.warm_start =
        reinterpret_cast<kernels::BatchTopkWarmStart*>(warm_start_.mutable_data_ptr());
    matrix.workspace = workspace_.mutable_data_ptr();
    matrix.workspace_bytes = static_cast<std::size_t>(workspace_.numel());
    return matrix;
  }

  void make_memory(const at::Tensor& preactivations, const kernels::BatchTopkArguments& matrix) {
    const auto bytes = [&](std::size_t count) {
      return at::zeros({static_cast<std::int64_t>(count)},
                       preactivations.options().dtype(at::kByte));
    };
    const auto numbers = [&](std::int64_t count) {
      return at::zeros({count}, preactivations.options().dtype(at::kLong));
    };
    workspace_ = bytes(kernels::batch_topk_workspace_bytes(matrix));
    mean_ = at::empty({matrix.columns}, preactivations.options());
    scale_ = at::empty_like(mean_);
    result_ = bytes(sizeof(kernels::BatchTopkResult));
    warm_start_ = bytes(sizeof(kernels::BatchTopkWarmStart));
    state_ = bytes(sizeof(kernels::ShardTopkState));
    counts_ = numbers(kernels::kShardBins);
    shares_ = numbers(1 + groups_of(preactivations));
    own_count_ = numbers(1);
  }

  // Leaves affine keys.
  void set_statistics(const at::Tensor& preactivations, kernels::BatchTopkArguments& matrix) {
    if (spread_.by == Parallel::features) {
      must(kernels::column_statistics(matrix, kDefaultStream));
    } else {
      const Statistics all = summed_statistics(preactivations);
      mean_.copy_(all.mean);
      scale_.copy_(all.scale);
    }
    matrix.column_keys.source = kernels::KeySource::affine;
  }

  void find_own_count(const at::Tensor& preactivations, const kernels::BatchTopkArguments& matrix) {
    kernels::ShardTopkArguments shard;
    shard.matrix = matrix;
    shard.groups = groups_of(preactivations);
    shard.state = reinterpret_cast<kernels::ShardTopkState*>(state_.mutable_data_ptr());
    shard.counts = counts_.mutable_data_ptr<std::int64_t>();
    shard.shares = shares_.mutable_data_ptr<std::int64_t>();
    shard.own_count = own_count_.mutable_data_ptr<std::int64_t>();
    for (int round = 0; round < kernels::kShardRounds; ++round) {
      must(kernels::shard_topk_count(shard, round, kDefaultStream));
      comm_.all_reduce(counts_, trainers::Reduction::sum);
      must(kernels::shard_topk_choose(shard, round, kDefaultStream));
    }
    must(kernels::shard_topk_shares(shard, kDefaultStream));
    const at::Tensor all = comm_.all_gather(shares_);
    must(kernels::shard_topk_own_count(shard, all.const_data_ptr<std::int64_t>(), comm_.rank(),
                                       comm_.size(), kDefaultStream));
  }

  at::Tensor workspace_, mean_, scale_, result_, warm_start_;
  at::Tensor state_, counts_, shares_, own_count_;
};

}  // namespace

std::unique_ptr<KernelSelection> make_kernel_selection(trainers::Comm& comm, const Spread& spread) {
  return std::make_unique<OnKernels>(comm, spread);
}

}  // namespace stepscope::clt
