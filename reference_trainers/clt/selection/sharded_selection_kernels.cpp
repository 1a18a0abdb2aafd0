// SPDX-License-Identifier: Apache-2.0
// On kernels/: what ranks exchange stays on the device; read back is a rank's own count, and
// whether it is the answer. Shards of features are swept (shard_sweep.hpp) and, where that does not
// decide, cut as shards of rows are.
#include <ATen/core/grad_mode.h>

#include <optional>
#include <utility>

#include "kernels/aten/bitmask.hpp"
#include "kernels/aten/shard_cut.hpp"
#include "kernels/aten/shard_sweep.hpp"
#include "kernels/aten/shard_topk.hpp"
#include "reference_trainers/clt/selection/sharded_selection.hpp"
#include "reference_trainers/common/read_back.hpp"

namespace stepscope::clt {
namespace {

class OnKernels final : public KernelSelection {
 public:
  OnKernels(trainers::Comm& comm, const Spread& spread)
      : KernelSelection(comm, spread),
        sweeps_(spread.by == Parallel::features && comm.size() > 1 &&
                comm.size() <= kernels::kMostShards) {}

  at::Tensor mask(const at::Tensor& preactivations) override {
    (void)begin(preactivations, [] {});
    return aten::bitmask_to_bool(end(preactivations).words, preactivations.size(1));
  }

  at::Tensor begin(const at::Tensor& preactivations,
                   const std::function<void()>& meanwhile) override {
    const at::NoGradGuard no_grad;
    if (sweeps_)
      sweep(preactivations, meanwhile);
    else
      cut(preactivations, meanwhile);
    return words_;
  }

  Bits end(const at::Tensor& preactivations) override {
    const at::NoGradGuard no_grad;
    if (const auto own = decided()) return {std::move(words_), *own};
    if (!sweeps_) return cut_in_rounds(preactivations);
    aten::shard_cut_learn(cut_of(preactivations), aten::shard_sweep_found(sweep_));
    cut(preactivations, [] {});
    const auto own = decided();
    Bits found = own ? Bits{std::move(words_), *own} : cut_in_rounds(preactivations);
    aten::shard_sweep_learn(sweep_of(preactivations), cut_);
    return found;
  }

 private:
  aten::BatchTopkWanted wanted() const {
    return {.count = spread_.count, .keys = kernels::KeySource::affine};
  }

  // The rank's own count of the words, where they are the answer.
  std::optional<std::int64_t> decided() {
    const auto* const outcome = outcome_.end().const_data_ptr<std::int64_t>();
    return outcome[1] != 0 ? std::optional(outcome[0]) : std::nullopt;
  }

  aten::ShardSweepCall sweep_of(const at::Tensor& preactivations) {
    if (!sweep_.state.defined()) sweep_ = aten::shard_sweep_memory(preactivations);
    aten::BatchTopkWanted scored = wanted();
    scored.keys = kernels::KeySource::z_score;
    return {preactivations, scored, keys_, groups_of(preactivations), sweep_};
  }

  void sweep(const at::Tensor& preactivations, const std::function<void()>& meanwhile) {
    const aten::ShardSweepCall shard = sweep_of(preactivations);
    words_ = aten::shard_sweep_collect(shard);
    const at::Tensor all_published = comm_.begin_all_gather(sweep_.published);
    meanwhile();
    comm_.end_begun();
    aten::shard_sweep_settle(shard, words_, all_published, comm_.rank());
    outcome_.begin(sweep_.outcome);
  }

  aten::ShardCutCall cut_of(const at::Tensor& preactivations) {
    if (!cut_.state.defined()) cut_ = aten::shard_cut_memory(preactivations);
    return {preactivations, wanted(), keys_, groups_of(preactivations), words_, cut_};
  }

  void cut(const at::Tensor& preactivations, const std::function<void()>& meanwhile) {
    words_ = own_greatest(preactivations);
    const aten::ShardCutCall shard = cut_of(preactivations);
    aten::shard_cut_count(shard);
    comm_.begin_all_reduce(cut_.counts, trainers::Reduction::sum);
    meanwhile();
    comm_.end_begun();
    aten::shard_cut_list(shard);
    aten::shard_cut_settle(shard, comm_.all_gather(cut_.finalists), comm_.rank());
    outcome_.begin(cut_.outcome);
  }

  // Marks the rank's own greatest entries. Where the matrix was swept, mean and scale are known,
  // and the last warm start is too old to be used.
  at::Tensor own_greatest(const at::Tensor& preactivations) {
    aten::BatchTopkWanted own = wanted();
    if (sweeps_) {
      aten::BatchTopkMemory cold = keys_;
      cold.warm = false;
      return aten::batch_topk_mask(preactivations, own, cold);
    }
    if (spread_.by == Parallel::features) {
      own.keys = kernels::KeySource::z_score;
    } else {
      const Statistics all = summed_statistics(preactivations);
      keys_.mean = all.mean;
      keys_.scale = all.scale;
    }
    return aten::batch_topk_mask(preactivations, own, keys_);
  }

  Bits cut_in_rounds(const at::Tensor& preactivations) {
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

  const bool sweeps_;
  aten::BatchTopkMemory keys_;    // with the last step's warm start, where keys are cut
  aten::ShardSweepMemory sweep_;  // with the last step's bracket
  aten::ShardCutMemory cut_;      // with the guess of the last step that was cut
  aten::ShardTopkMemory rounds_;
  at::Tensor words_;
  trainers::ReadBack outcome_;
};

}  // namespace

std::unique_ptr<KernelSelection> make_kernel_selection(trainers::Comm& comm, const Spread& spread) {
  return std::make_unique<OnKernels>(comm, spread);
}

}  // namespace stepscope::clt
