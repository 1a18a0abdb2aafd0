// SPDX-License-Identifier: Apache-2.0
// On kernels/: counts of digits and equals stay on the device, and so does each rank's own count,
// but where lists of its length are made.
#include <ATen/core/grad_mode.h>

#include "kernels/aten/bitmask.hpp"
#include "kernels/aten/shard_topk.hpp"
#include "reference_trainers/clt/sharded_selection.hpp"

namespace stepscope::clt {
namespace {

class OnKernels final : public KernelSelection {
 public:
  OnKernels(trainers::Comm& comm, const Spread& spread) : KernelSelection(comm, spread) {}

  at::Tensor mask(const at::Tensor& preactivations) override {
    return aten::bitmask_to_bool(words_of(preactivations), preactivations.size(1));
  }

  Bits bits(const at::Tensor& preactivations) override {
    const at::Tensor words = words_of(preactivations);
    return {words, memory_.own_count.item<std::int64_t>()};
  }

 private:
  at::Tensor words_of(const at::Tensor& preactivations) {
    const at::NoGradGuard no_grad;
    set_statistics(preactivations);
    find_own_count(preactivations);
    return aten::batch_topk_mask(preactivations,
                                 {.count = spread_.count,
                                  .device_count = memory_.own_count,
                                  .keys = kernels::KeySource::affine},
                                 keys_);
  }

  void set_statistics(const at::Tensor& preactivations) {
    if (spread_.by == Parallel::features) return aten::column_statistics(preactivations, keys_);
    const Statistics all = summed_statistics(preactivations);
    keys_.mean = all.mean;
    keys_.scale = all.scale;
  }

  void find_own_count(const at::Tensor& preactivations) {
    if (!memory_.state.defined())
      memory_ = aten::shard_topk_memory(preactivations, groups_of(preactivations));
    const aten::ShardTopkCall shard{preactivations,
                                    {.count = spread_.count, .keys = kernels::KeySource::affine},
                                    keys_,
                                    memory_};
    for (int round = 0; round < kernels::kShardRounds; ++round) {
      aten::shard_topk_count(shard, round);
      comm_.all_reduce(memory_.counts, trainers::Reduction::sum);
      aten::shard_topk_choose(shard, round);
    }
    aten::shard_topk_shares(shard);
    aten::shard_topk_own_count(shard, comm_.all_gather(memory_.shares), comm_.rank());
  }

  aten::BatchTopkMemory keys_;  // with the last step's warm start
  aten::ShardTopkMemory memory_;
};

}  // namespace

std::unique_ptr<KernelSelection> make_kernel_selection(trainers::Comm& comm, const Spread& spread) {
  return std::make_unique<OnKernels>(comm, spread);
}

}  // namespace stepscope::clt
