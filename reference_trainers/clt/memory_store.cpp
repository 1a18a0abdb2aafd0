// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/memory_store.hpp"

#include <ATen/TensorOperators.h>
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

}  // namespace

MemoryStore::MemoryStore(MadeActivations made, const Config& config, at::Device device,
                         std::optional<trainers::Span> own)
    : inputs_(std::move(made.inputs)),
      targets_(std::move(made.targets)),
      of_inputs_(measure(inputs_)),
      of_targets_(measure(targets_)),
      device_(device),
      on_the_device_(config.fixes.device_data),
      batch_(config.batch),
      own_(own.value_or(trainers::Span{0, config.batch})),
      random_(trainers::seeded_generator(config.seed, trainers::RandomStream::batches)) {
  for (const Normalisation& host : of_targets_)
    on_device_.push_back({host.mean.to(device), host.std.to(device)});
  if (!on_the_device_) return;
  move(inputs_, of_inputs_, device);
  move(targets_, of_targets_, device);
}

// Row numbers of the next batch; what an epoch leaves over is dropped.
at::Tensor MemoryStore::next_rows() {
  if (!order_.defined() || next_ + batch_ > rows()) {
    order_ = at::randperm(rows(), random_);
    if (on_the_device_) order_ = order_.to(device_);
    next_ = 0;
  }
  next_ += batch_;
  return order_.slice(0, next_ - batch_, next_);
}

void MemoryStore::skip(std::int64_t batches) {
  for (std::int64_t i = 0; i < batches; ++i) (void)next_rows();
}

Result<Batch> MemoryStore::next() {
  const at::Tensor rows = next_rows().slice(0, own_.begin, own_.end);
  if (on_the_device_) return Batch{gather(inputs_, rows), gather(targets_, rows)};
  Batch batch;
  for (std::size_t layer = 0; layer < inputs_.size(); ++layer) {
    batch.inputs.push_back(
        of_inputs_[layer].apply(inputs_[layer].index_select(0, rows)).to(device_));
    batch.targets.push_back(
        of_targets_[layer].apply(targets_[layer].index_select(0, rows)).to(device_));
  }
  return batch;
}

}  // namespace stepscope::clt
