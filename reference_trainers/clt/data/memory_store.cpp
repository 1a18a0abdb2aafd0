// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/data/memory_store.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/randperm.h>

#include "reference_trainers/common/random.hpp"

namespace stepscope::clt {
namespace {

std::vector<Normalisation> measure(const std::vector<at::Tensor>& layers) {
  std::vector<Normalisation> found;
  for (const at::Tensor& rows : layers)
    found.push_back({rows.mean(0), rows.std(0) + kDeviationEpsilon});
  return found;
}

void move(std::vector<at::Tensor>& layers, const std::vector<Normalisation>& by,
          at::Device device) {
  for (std::size_t layer = 0; layer < layers.size(); ++layer)
    layers[layer] = by[layer].apply(layers[layer]).to(device);
}

std::vector<at::Tensor> gather(const std::vector<at::Tensor>& layers, const at::Tensor& rows) {
  std::vector<at::Tensor> out;
  for (const at::Tensor& layer : layers) out.push_back(layer.index_select(0, rows));
  return out;
}

// [layers * rows, d_model]; the layers become views of it.
at::Tensor joined(std::vector<at::Tensor>& layers) {
  at::Tensor all = at::cat(layers);
  layers = all.chunk(std::ssize(layers));
  return all;
}

// Copies from memory that a GPU copies from by itself: else the host would wait for all that it
// enqueued before, and the GPU then for the host.
at::Tensor without_wait(const at::Tensor& host, at::Device device) {
  if (!device.is_cuda()) return host.to(device);
  const at::Tensor pinned = at::empty(host.sizes(), host.options().pinned_memory(true));
  return pinned.copy_(host).to(device, host.scalar_type(), /*non_blocking=*/true);
}

std::vector<at::Tensor> slice(const std::vector<at::Tensor>& layers, std::int64_t begin,
                              std::int64_t count) {
  std::vector<at::Tensor> out;
  for (const at::Tensor& layer : layers) out.push_back(layer.slice(0, begin, begin + count));
  return out;
}

}  // namespace

MemoryStore::MemoryStore(MadeActivations made, const Config& config, at::Device device,
                         std::optional<trainers::Span> own)
    : config_(config),
      own_(own.value_or(trainers::Span{0, config.batch})),
      inputs_(std::move(made.inputs)),
      targets_(std::move(made.targets)),
      of_inputs_(measure(inputs_)),
      of_targets_(measure(targets_)),
      device_(device),
      random_(trainers::seeded_generator(config.seed, trainers::RandomStream::batches)) {
  for (const Normalisation& host : of_targets_)
    on_device_.push_back({host.mean.to(device), host.std.to(device)});
  if (!config_.fixes.device_data) return;
  move(inputs_, of_inputs_, device);
  move(targets_, of_targets_, device);
  begins_ = at::arange(std::ssize(inputs_), at::TensorOptions(device).dtype(at::kLong)) * rows();
  all_inputs_ = joined(inputs_);
  all_targets_ = joined(targets_);
}

// Row numbers of the next batch; what an epoch leaves over is dropped.
at::Tensor MemoryStore::next_rows() {
  if (!order_.defined() || next_ + config_.batch > rows()) {
    order_ = at::randperm(rows(), random_);
    if (config_.fixes.device_data) order_ = without_wait(order_, device_);
    next_ = 0;
  }
  next_ += config_.batch;
  return order_.slice(0, next_ - config_.batch, next_);
}

void MemoryStore::skip(std::int64_t batches) {
  for (std::int64_t i = 0; i < batches; ++i) (void)next_rows();
}

// All layers at once: inputs layer by layer, as products read them, targets row by row, as the
// outputs lie that they are compared with.
Batch MemoryStore::on_device(const at::Tensor& rows) const {
  const std::int64_t layers = begins_.size(0), model = all_inputs_.size(1);
  const at::Tensor of_layers = (begins_.unsqueeze(1) + rows).view({-1});
  const at::Tensor of_rows = (rows.unsqueeze(1) + begins_).view({-1});
  return {all_inputs_.index_select(0, of_layers).view({layers, -1, model}).unbind(0),
          all_targets_.index_select(0, of_rows).view({-1, layers, model}).unbind(1)};
}

Result<Batch> MemoryStore::next() {
  const at::Tensor rows = next_rows().slice(0, own_.begin, own_.end);
  if (config_.fixes.device_data) return on_device(rows);
  return normalised({gather(inputs_, rows), gather(targets_, rows)});
}

Result<HeldOut> MemoryStore::held_out(std::int64_t batches) {
  const MadeActivations made = make_held_out(config_, batches * config_.batch);
  HeldOut all;
  for (std::int64_t batch = 0; batch < batches; ++batch) {
    const std::int64_t begin = batch * config_.batch + own_.begin;
    all.batches.push_back(normalised(
        {slice(made.inputs, begin, own_.size()), slice(made.targets, begin, own_.size())}));
  }
  return all;
}

Batch MemoryStore::normalised(Batch rows) const {
  move(rows.inputs, of_inputs_, device_);
  move(rows.targets, of_targets_, device_);
  return rows;
}

}  // namespace stepscope::clt
