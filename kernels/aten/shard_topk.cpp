// SPDX-License-Identifier: Apache-2.0
#include "kernels/aten/shard_topk.hpp"

#include <ATen/ops/zeros.h>
#include <c10/util/Exception.h>

#include <algorithm>

#include "kernels/aten/device_call.hpp"
#include "kernels/shard_topk/shard_keys.hpp"

namespace stepscope::aten {
namespace {

kernels::ShardTopkArguments arguments_of(const ShardTopkCall& call) {
  ShardTopkMemory& memory = call.memory;
  kernels::ShardTopkArguments shard;
  shard.matrix = batch_topk_arguments(call.acts, call.wanted, call.keys);
  TORCH_CHECK(memory.state.numel() == sizeof(kernels::ShardTopkState), "state: must be ",
              sizeof(kernels::ShardTopkState), " bytes");
  TORCH_CHECK(memory.counts.numel() == kernels::kShardBins, "counts: must be ",
              kernels::kShardBins);
  TORCH_CHECK(memory.shares.numel() >= 2, "shares: must be 1 + groups");
  TORCH_CHECK(memory.own_count.numel() == 1, "own_count: must be 1 number");
  for (const at::Tensor& tensor : {memory.state, memory.counts, memory.shares, memory.own_count})
    check_together(tensor, "memory", call.acts);
  shard.groups = memory.shares.numel() - 1;
  shard.state = static_cast<kernels::ShardTopkState*>(memory.state.mutable_data_ptr());
  shard.counts = memory.counts.mutable_data_ptr<std::int64_t>();
  shard.shares = memory.shares.mutable_data_ptr<std::int64_t>();
  shard.own_count = memory.own_count.mutable_data_ptr<std::int64_t>();
  must("shard_topk", validate(shard));
  return shard;
}

void check_round(int round) {
  TORCH_CHECK(round >= 0 && round < kernels::kShardRounds, "round: must be 0 to ",
              kernels::kShardRounds - 1, ", is ", round);
}

}  // namespace

ShardTopkMemory shard_topk_memory(const at::Tensor& acts, std::int64_t groups) {
  TORCH_CHECK(groups >= 1, "groups: must be 1 or more, is ", groups);
  const auto options = at::TensorOptions(acts.device());
  const auto numbers = [&](std::int64_t count) {
    return at::zeros({count}, options.dtype(at::kLong));
  };
  return {at::zeros({sizeof(kernels::ShardTopkState)}, options.dtype(at::kByte)),
          numbers(kernels::kShardBins), numbers(1 + groups), numbers(1)};
}

void shard_topk_count(const ShardTopkCall& call, int round) {
  check_round(round);
  const kernels::ShardTopkArguments shard = arguments_of(call);
  if (on_host(call.acts, "acts")) {
    std::fill_n(shard.counts, kernels::kShardBins, 0);
    kernels::ShardKeys(shard.matrix, shard.groups).count(*shard.state, round, shard.counts);
    return;
  }
  const DeviceCall device(call.acts);
  must("shard_topk_count", kernels::shard_topk_count(shard, round, device.stream()));
}

void shard_topk_choose(const ShardTopkCall& call, int round) {
  check_round(round);
  const kernels::ShardTopkArguments shard = arguments_of(call);
  if (on_host(call.acts, "acts"))
    return kernels::shard_choose(*shard.state, round, shard.counts, shard.matrix.count);
  const DeviceCall device(call.acts);
  must("shard_topk_choose", kernels::shard_topk_choose(shard, round, device.stream()));
}

void shard_topk_shares(const ShardTopkCall& call) {
  const kernels::ShardTopkArguments shard = arguments_of(call);
  if (on_host(call.acts, "acts")) {
    const auto found = kernels::ShardKeys(shard.matrix, shard.groups).shares(*shard.state);
    std::copy(found.begin(), found.end(), shard.shares);
    return;
  }
  const DeviceCall device(call.acts);
  must("shard_topk_shares", kernels::shard_topk_shares(shard, device.stream()));
}

void shard_topk_own_count(const ShardTopkCall& call, const at::Tensor& all_shares,
                          std::int64_t shard) {
  const kernels::ShardTopkArguments arguments = arguments_of(call);
  check_together(all_shares, "all_shares", call.acts);
  const std::int64_t shards = all_shares.numel() / (1 + arguments.groups);
  TORCH_CHECK(all_shares.is_contiguous() && all_shares.numel() == shards * (1 + arguments.groups),
              "all_shares: must be [shards, ", 1 + arguments.groups, "], contiguous");
  TORCH_CHECK(shard >= 0 && shard < shards, "shard: must be 0 to ", shards - 1, ", is ", shard);
  const auto* const shares = all_shares.const_data_ptr<std::int64_t>();
  if (on_host(call.acts, "acts")) {
    *arguments.own_count =
        kernels::shard_own_count(*arguments.state, shares, arguments.groups, shard, shards);
    return;
  }
  const DeviceCall device(call.acts);
  must("shard_topk_own_count",
       kernels::shard_topk_own_count(arguments, shares, shard, shards, device.stream()));
}

}  // namespace stepscope::aten
