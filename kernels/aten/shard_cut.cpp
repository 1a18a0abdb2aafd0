// SPDX-License-Identifier: Apache-2.0
#include "kernels/aten/shard_cut.hpp"

#include <ATen/ops/zeros.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <vector>

#include "kernels/aten/bitmask.hpp"
#include "kernels/aten/device_call.hpp"
#include "kernels/shard_topk/greatest_keys.hpp"

namespace stepscope::aten {
namespace {

constexpr std::int64_t kTold = 1 + kernels::kShardFinalists;

void check_memory(const ShardCutCall& call) {
  const ShardCutMemory& memory = call.memory;
  TORCH_CHECK(memory.state.nbytes() == sizeof(kernels::ShardCutState), "state: must be ",
              sizeof(kernels::ShardCutState), " bytes");
  TORCH_CHECK(memory.counts.numel() == kernels::kShardBins, "counts: must be ",
              kernels::kShardBins);
  TORCH_CHECK(memory.finalists.numel() == kTold, "finalists: must be ", kTold);
  TORCH_CHECK(memory.outcome.numel() == 2, "outcome: must be 2 numbers");
  for (const at::Tensor& tensor : {memory.state, memory.counts, memory.finalists, memory.outcome})
    check_together(tensor, "memory", call.acts);
}

kernels::ShardCutArguments arguments_of(const ShardCutCall& call) {
  check_memory(call);
  check_together(call.mask, "mask", call.acts);
  kernels::ShardCutArguments shard;
  shard.matrix = batch_topk_arguments(call.acts, call.wanted, call.keys);
  (void)view_of(call.mask, call.acts.size(1));
  shard.matrix.mask = static_cast<std::uint32_t*>(call.mask.mutable_data_ptr());
  shard.groups = call.groups;
  shard.state = static_cast<kernels::ShardCutState*>(call.memory.state.mutable_data_ptr());
  shard.counts = call.memory.counts.mutable_data_ptr<std::int64_t>();
  shard.finalists = call.memory.finalists.mutable_data_ptr<std::int64_t>();
  shard.outcome = static_cast<kernels::ShardCutOutcome*>(call.memory.outcome.mutable_data_ptr());
  must("shard_cut", validate(shard));
  return shard;
}

kernels::GreatestKeys on_cpu(const kernels::ShardCutArguments& shard) {
  return kernels::GreatestKeys(shard.matrix, shard.groups);
}

void settle_on_host(const kernels::ShardCutArguments& shard, const std::int64_t* all_finalists,
                    std::int64_t number, std::int64_t shards) {
  kernels::ShardCutState& state = *shard.state;
  *shard.outcome = {};
  if (state.choice.decided != 0) {
    const kernels::GreatestKeys keys = on_cpu(shard);
    const std::int64_t own =
        keys.own_count(state.guess, state.choice, all_finalists, number, shards);
    std::vector<std::uint8_t> bytes(
        static_cast<std::size_t>(shard.matrix.rows * shard.matrix.columns));
    keys.select(own, bytes.data());
    write_bits(bytes, shard.matrix.columns, shard.matrix.mask);
    *shard.outcome = {own, 1};
  }
  state.guess = next_guess(state.guess, state.choice);
}

}  // namespace

ShardCutMemory shard_cut_memory(const at::Tensor& acts) {
  const auto numbers = [&](std::int64_t count) {
    return at::zeros({count}, at::TensorOptions(acts.device()).dtype(at::kLong));
  };
  static_assert(sizeof(kernels::ShardCutOutcome) == 2 * sizeof(std::int64_t));
  return {at::zeros({sizeof(kernels::ShardCutState)},
                    at::TensorOptions(acts.device()).dtype(at::kByte)),
          numbers(kernels::kShardBins), numbers(kTold), numbers(2)};
}

void shard_cut_count(const ShardCutCall& call) {
  const kernels::ShardCutArguments shard = arguments_of(call);
  if (on_host(call.acts, "acts")) {
    std::fill_n(shard.counts, kernels::kShardBins, 0);
    return on_cpu(shard).count(shard.state->guess, shard.counts);
  }
  const DeviceCall device(call.acts);
  must("shard_cut_count", kernels::shard_cut_count(shard, device.stream()));
}

void shard_cut_list(const ShardCutCall& call) {
  const kernels::ShardCutArguments shard = arguments_of(call);
  if (on_host(call.acts, "acts")) {
    shard.state->choice = kernels::shard_cut_choice(shard.counts, shard.matrix.count);
    const auto published = on_cpu(shard).finalists(shard.state->guess, shard.state->choice);
    std::copy(published.begin(), published.end(), shard.finalists);
    return;
  }
  const DeviceCall device(call.acts);
  must("shard_cut_list", kernels::shard_cut_list(shard, device.stream()));
}

void shard_cut_settle(const ShardCutCall& call, const at::Tensor& all_finalists,
                      std::int64_t shard) {
  const kernels::ShardCutArguments arguments = arguments_of(call);
  check_together(all_finalists, "all_finalists", call.acts);
  const std::int64_t shards = all_finalists.numel() / kTold;
  TORCH_CHECK(all_finalists.is_contiguous() && all_finalists.numel() == shards * kTold,
              "all_finalists: must be [shards, ", kTold, "], contiguous");
  TORCH_CHECK(shard >= 0 && shard < shards, "shard: must be 0 to ", shards - 1, ", is ", shard);
  const auto* const all = all_finalists.const_data_ptr<std::int64_t>();
  if (on_host(call.acts, "acts")) return settle_on_host(arguments, all, shard, shards);
  const DeviceCall device(call.acts);
  must("shard_cut_settle",
       kernels::shard_cut_settle(arguments, all, shard, shards, device.stream()));
}

void shard_cut_learn(const ShardCutCall& call, const ShardTopkMemory& found) {
  const kernels::ShardCutArguments shard = arguments_of(call);
  check_together(found.state, "found", call.acts);
  const auto* const state =
      static_cast<const kernels::ShardTopkState*>(found.state.const_data_ptr());
  if (on_host(call.acts, "acts")) {
    if (state->selected > 0)
      shard.state->guess = kernels::guess_about(state->least, shard.state->guess.narrower);
    return;
  }
  const DeviceCall device(call.acts);
  must("shard_cut_learn", kernels::shard_cut_learn(shard, state, device.stream()));
}

}  // namespace stepscope::aten
