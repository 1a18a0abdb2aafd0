// SPDX-License-Identifier: Apache-2.0
#include "kernels/aten/shard_sweep.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "kernels/aten/bitmask.hpp"
#include "kernels/aten/device_call.hpp"
#include "kernels/shard_topk/swept_keys.hpp"

namespace stepscope::aten {
namespace {

using kernels::kShardPublished;

void check_memory(const ShardSweepCall& call) {
  const ShardSweepMemory& memory = call.memory;
  TORCH_CHECK(memory.state.nbytes() == sizeof(kernels::ShardSweepState), "state: must be ",
              sizeof(kernels::ShardSweepState), " bytes");
  TORCH_CHECK(memory.published.numel() == kShardPublished, "published: must be ", kShardPublished);
  TORCH_CHECK(memory.outcome.numel() == 2, "outcome: must be 2 numbers");
  for (const at::Tensor& tensor : {memory.state, memory.published, memory.outcome})
    check_together(tensor, "memory", call.acts);
}

kernels::ShardSweepArguments arguments_of(const ShardSweepCall& call, const at::Tensor& mask) {
  check_memory(call);
  check_together(mask, "mask", call.acts);
  kernels::ShardSweepArguments shard;
  shard.matrix = batch_topk_arguments(call.acts, call.wanted, call.keys);
  (void)view_of(mask, call.acts.size(1));
  shard.matrix.mask = static_cast<std::uint32_t*>(mask.mutable_data_ptr());
  shard.groups = call.groups;
  shard.state = static_cast<kernels::ShardSweepState*>(call.memory.state.mutable_data_ptr());
  shard.published = call.memory.published.mutable_data_ptr<std::int64_t>();
  shard.outcome = static_cast<kernels::ShardCutOutcome*>(call.memory.outcome.mutable_data_ptr());
  must("shard_sweep", validate(shard));
  return shard;
}

kernels::SweptKeys on_cpu(const kernels::ShardSweepArguments& shard) {
  return {shard.matrix, shard.state->bracket, shard.groups};
}

void settle_on_host(const kernels::ShardSweepArguments& shard, const std::int64_t* all_published,
                    std::int64_t number, std::int64_t shards) {
  kernels::ShardSweepState& state = *shard.state;
  const kernels::SweptKeys keys = on_cpu(shard);
  const kernels::SweepCut cut = keys.cut(all_published, shards);
  *shard.outcome = {};
  if (cut.found.choice.verdict == kernels::SweepVerdict::decided) {
    std::vector<std::uint8_t> bytes(
        static_cast<std::size_t>(shard.matrix.rows * shard.matrix.columns));
    *shard.outcome = {keys.select(cut, all_published, number, shards, bytes.data()), 1};
    write_bits(bytes, shard.matrix.columns, shard.matrix.mask);
  }
  state.found = kernels::found_by(state.found, cut.found, shard.matrix.count);
  state.bracket = keys.next(cut, shards);
}

}  // namespace

ShardSweepMemory shard_sweep_memory(const at::Tensor& acts) {
  const auto numbers = [&](std::int64_t count) {
    return at::zeros({count}, at::TensorOptions(acts.device()).dtype(at::kLong));
  };
  return {at::zeros({sizeof(kernels::ShardSweepState)},
                    at::TensorOptions(acts.device()).dtype(at::kByte)),
          numbers(kShardPublished), numbers(2)};
}

at::Tensor shard_sweep_collect(const ShardSweepCall& call) {
  const bool host = on_host(call.acts, "acts");
  TORCH_CHECK(call.acts.dim() == 2, "acts: must have 2 dimensions, has ", call.acts.dim());
  at::Tensor mask = at::empty({call.acts.size(0), kernels::mask_words_per_row(call.acts.size(1))},
                              at::TensorOptions(call.acts.device()).dtype(at::kInt));
  const kernels::ShardSweepArguments shard = arguments_of(call, mask);
  if (host) {
    if (call.wanted.keys == kernels::KeySource::z_score) column_statistics(call.acts, call.keys);
    const std::vector<std::int64_t> published = on_cpu(shard).published();
    std::copy(published.begin(), published.end(), shard.published);
    return mask;
  }
  const DeviceCall device(call.acts);
  must("shard_sweep_collect", kernels::shard_sweep_collect(shard, device.stream()));
  return mask;
}

void shard_sweep_settle(const ShardSweepCall& call, const at::Tensor& mask,
                        const at::Tensor& all_published, std::int64_t shard) {
  const kernels::ShardSweepArguments arguments = arguments_of(call, mask);
  check_together(all_published, "all_published", call.acts);
  const std::int64_t shards = all_published.numel() / kShardPublished;
  TORCH_CHECK(all_published.is_contiguous() && all_published.numel() == shards * kShardPublished,
              "all_published: must be [shards, ", kShardPublished, "], contiguous");
  TORCH_CHECK(shards <= kernels::kMostShards, "all_published: must be of ", kernels::kMostShards,
              " shards at most");
  TORCH_CHECK(shard >= 0 && shard < shards, "shard: must be 0 to ", shards - 1, ", is ", shard);
  const auto* const all = all_published.const_data_ptr<std::int64_t>();
  if (on_host(call.acts, "acts")) return settle_on_host(arguments, all, shard, shards);
  const DeviceCall device(call.acts);
  must("shard_sweep_settle",
       kernels::shard_sweep_settle(arguments, all, shard, shards, device.stream()));
}

void shard_sweep_learn(const ShardSweepCall& call, const ShardCutMemory& found) {
  check_memory(call);
  check_together(found.state, "found", call.acts);
  auto* const state = static_cast<kernels::ShardSweepState*>(call.memory.state.mutable_data_ptr());
  const auto* const cut = static_cast<const kernels::ShardCutState*>(found.state.const_data_ptr());
  if (on_host(call.acts, "acts")) return kernels::learn(*state, *cut);
  const DeviceCall device(call.acts);
  must("shard_sweep_learn", kernels::shard_sweep_learn(state, cut, device.stream()));
}

ShardTopkMemory shard_sweep_found(const ShardSweepMemory& memory) {
  static_assert(offsetof(kernels::ShardSweepState, found) == 0);
  return {.state = memory.state.slice(0, 0, sizeof(kernels::ShardTopkState))};
}

}  // namespace stepscope::aten
