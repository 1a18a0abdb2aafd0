// SPDX-License-Identifier: Apache-2.0
// On kernels/: what ranks exchange stays on the device; read back is a rank's own count, and
// whether it is the answer.
#include <ATen/core/grad_mode.h>

#include <utility>

#include "kernels/aten/bitmask.hpp"
#include "kernels/aten/shard_cut.hpp"
#include "kernels/aten/shard_topk.hpp"
#include "reference_trainers/clt/sharded_selection.hpp"
#include "reference_trainers/common/read_back.hpp"

namespace stepscope::clt {
namespace {

class OnKernels final : public KernelSelection {
 public:
  OnKernels(trainers::Comm& comm, const Spread& spread) : KernelSelection(comm, spread) {}

  at::Tensor mask(const at::Tensor& preactivations) override {
    (void)begin(preactivations, [] {});
    return aten::bitmask_to_bool(end(preactivations).words, preactivations.size(1));
  }

  at::Tensor begin(const at::Tensor& preactivations,
                   const std::function<void()>& meanwhile) override {
    const at::NoGradGuard no_grad;
    words_ = own_greatest(preactivations);
    if (!cut_.state.defined()) cut_ = aten::shard_cut_memory(preactivations);
    const aten::ShardCutCall shard = cut_of(preactivations);
    aten::shard_cut_count(shard);
    comm_.begin_all_reduce(cut_.counts, trainers::Reduction::sum);
    meanwhile();
    comm_.end_begun();
    aten::shard_cut_list(shard);
    aten::shard_cut_settle(shard, comm_.all_gather(cut_.finalists), comm_.rank());
    outcome_.begin(cut_.outcome);
    return words_;
  }

  Bits end(const at::Tensor& preactivations) override {
    const at::NoGradGuard no_grad;
    const auto* const outcome = outcome_.end().const_data_ptr<std::int64_t>();
    const bool decided = outcome[1] != 0;
    if (decided) return {std::move(words_), outcome[0]};
    return in_rounds(preactivations);
  }

 private:
  aten::BatchTopkWanted wanted() const {
    return {.count = spread_.count, .keys = kernels::KeySource::affine};
  }

  aten::ShardCutCall cut_of(const at::Tensor& preactivations) {
    return {preactivations, wanted(), keys_, groups_of(preactivations), words_, cut_};
  }

  // Columns that a rank has whole are scored on the way.
  at::Tensor own_greatest(const at::Tensor& preactivations) {
    aten::BatchTopkWanted own = wanted();
    if (spread_.by == Parallel::features) {
      own.keys = kernels::KeySource::z_score;
    } else {
      const Statistics all = summed_statistics(preactivations);
      keys_.mean = all.mean;
      keys_.scale = all.scale;
    }
    return aten::batch_topk_mask(preactivations, own, keys_);
  }

  Bits in_rounds(const at::Tensor& preactivations) {
    find_own_count(preactivations);
    aten::shard_cut_learn(cut_of(preactivations), rounds_);
    aten::BatchTopkWanted own = wanted();
    own.device_count = rounds_.own_count;
    aten::BatchTopkMemory keys{.warm = false, .mean = keys_.mean, .scale = keys_.scale};
    return {aten::batch_topk_mask(preactivations, own, keys),
            rounds_.own_count.item<std::int64_t>()};
  }

  void find_own_count(const at::Tensor& preactivations) {
    if (!rounds_.state.defined())
      rounds_ = aten::shard_topk_memory(preactivations, groups_of(preactivations));
    const aten::ShardTopkCall shard{preactivations, wanted(), keys_, rounds_};
    for (int round = 0; round < kernels::kShardRounds; ++round) {
      aten::shard_topk_count(shard, round);
      comm_.all_reduce(rounds_.counts, trainers::Reduction::sum);
      aten::shard_topk_choose(shard, round);
    }
    aten::shard_topk_shares(shard);
    aten::shard_topk_own_count(shard, comm_.all_gather(rounds_.shares), comm_.rank());
  }

  aten::BatchTopkMemory keys_;  // with the last step's warm start
  aten::ShardCutMemory cut_;    // with the last step's guess
  aten::ShardTopkMemory rounds_;
  at::Tensor words_;
  trainers::ReadBack outcome_;
};

}  // namespace

std::unique_ptr<KernelSelection> make_kernel_selection(trainers::Comm& comm, const Spread& spread) {
  return std::make_unique<OnKernels>(comm, spread);
}

}  // namespace stepscope::clt
