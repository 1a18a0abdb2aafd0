// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/llm/ranks/weight_shards.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros.h>

#include <map>
#include <stepscope/annotate.hpp>

namespace stepscope::llm {
namespace {

constexpr const char* kShard = "shard.";

// "mean.shard.3": of which kind and bucket.
struct StateName {
  std::string kind;
  std::size_t bucket = 0;
};
StateName state_name(const std::string& name) {
  const std::size_t at = name.find(kShard);
  return {name.substr(0, at), std::stoul(name.substr(at + std::char_traits<char>::length(kShard)))};
}

}  // namespace

WeightShards::WeightShards(std::vector<Parameter>& parameters, const GradientBuckets& buckets,
                           trainers::Comm& comm)
    : comm_(comm), buckets_(buckets) {
  const at::NoGradGuard no_grad;
  for (const Parameter& parameter : parameters) {
    names_.push_back(parameter.name);
    sizes_.push_back(parameter.leaf.sizes().vec());
  }
  for (std::size_t b = 0; b < buckets.buckets().size(); ++b) {
    const Bucket& bucket = buckets.buckets()[b];
    const Parameter& first = parameters[bucket.places.front()];
    const bool copies = first.is_copy();
    const auto wide = first.tensor.options().requires_grad(false);
    const at::Tensor masters = at::zeros({comm.size() * bucket.share}, wide);
    const at::Tensor flat =
        copies ? at::zeros({comm.size() * bucket.share}, wide.dtype(first.leaf.scalar_type()))
               : masters;
    for (std::size_t i = 0; i < bucket.places.size(); ++i) {
      Parameter& parameter = parameters[bucket.places[i]];
      bucket.view(masters, i, parameter.leaf.sizes()).copy_(parameter.tensor);
      const at::Tensor place = bucket.view(flat, i, parameter.leaf.sizes());
      if (copies) place.copy_(parameter.leaf);
      parameter.leaf.set_data(place);
      parameter.tensor = parameter.leaf;
    }
    const std::int64_t begin = comm.rank() * bucket.share;
    const at::Tensor own_weights = flat.narrow(0, begin, bucket.share);
    const at::Tensor own_masters =
        copies ? masters.narrow(0, begin, bucket.share).clone() : own_weights;
    flat_.push_back(flat);
    own_.push_back({kShard + std::to_string(b), own_masters, own_weights, bucket.decays});
  }
  attach_gradients();
}

void WeightShards::attach_gradients() const {
  for (std::size_t b = 0; b < own_.size(); ++b) own_[b].leaf.mutable_grad() = buckets_.own_sum(b);
}

void WeightShards::gather() const {
  const at::NoGradGuard no_grad;
  const auto phase = stepscope::phase("comm");
  std::vector<at::Tensor> all;
  for (const Parameter& own : own_) all.push_back(comm_.begin_all_gather(own.leaf));
  comm_.end_begun();
  for (std::size_t b = 0; b < all.size(); ++b) flat_[b].copy_(all[b].view({-1}));
}

NamedTensors WeightShards::named(const std::vector<at::Tensor>& whole,
                                 const NamedTensors& own_state) const {
  std::map<std::string, NamedTensors> by_weight;
  for (std::size_t s = 0; s < own_state.size(); ++s) {
    const StateName name = state_name(own_state[s].first);
    const Bucket& bucket = buckets_.buckets()[name.bucket];
    for (std::size_t i = 0; i < bucket.places.size(); ++i) {
      const std::string& weight = names_[bucket.places[i]];
      by_weight[weight].emplace_back(name.kind + weight,
                                     bucket.view(whole[s], i, sizes_[bucket.places[i]]));
    }
  }
  NamedTensors out;
  for (const std::string& weight : names_)
    out.insert(out.end(), by_weight[weight].begin(), by_weight[weight].end());
  return out;
}

NamedTensors WeightShards::whole(const NamedTensors& own_state) const {
  std::vector<at::Tensor> all;
  for (const auto& [name, own] : own_state)
    all.push_back(comm_.all_gather(own.contiguous()).view({-1}));
  return named(all, own_state);
}

NamedTensors WeightShards::whole_places(const NamedTensors& own_state) const {
  std::vector<at::Tensor> all;
  for (const auto& [name, own] : own_state)
    all.push_back(at::zeros({comm_.size() * own.numel()}, own.options()));
  return named(all, own_state);
}

void WeightShards::take(const NamedTensors& whole_state, const NamedTensors& own_state) const {
  const at::NoGradGuard no_grad;
  std::map<std::string, at::Tensor> by_name(whole_state.begin(), whole_state.end());
  for (const auto& [name, own] : own_state) {
    const StateName of = state_name(name);
    const Bucket& bucket = buckets_.buckets()[of.bucket];
    const at::Tensor all = at::zeros({comm_.size() * bucket.share}, own.options());
    for (std::size_t i = 0; i < bucket.places.size(); ++i) {
      const std::size_t place = bucket.places[i];
      bucket.view(all, i, sizes_[place]).copy_(by_name.at(of.kind + names_[place]));
    }
    own.copy_(all.narrow(0, comm_.rank() * bucket.share, bucket.share));
  }
}

}  // namespace stepscope::llm
