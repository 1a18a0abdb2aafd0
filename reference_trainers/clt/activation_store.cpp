// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/activation_store.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/randperm.h>

#include "reference_trainers/common/random.hpp"

namespace stepscope::clt {
namespace {

constexpr double kEpsilon = 1e-6;  // a coordinate that never varies

std::vector<Normalisation> measure(const std::vector<at::Tensor>& layers) {
  std::vector<Normalisation> found;
  for (const at::Tensor& rows : layers) found.push_back({rows.mean(0), rows.std(0) + kEpsilon});
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

at::Tensor Normalisation::apply(const at::Tensor& values) const {
  return (values - mean) / std;
}
at::Tensor Normalisation::undo(const at::Tensor& normalised) const {
  return normalised * std + mean;
}

ActivationStore::ActivationStore(MadeActivations made, const Config& config, at::Device device,
                                 Span of_batch)
    : inputs_(std::move(made.inputs)),
      targets_(std::move(made.targets)),
      of_inputs_(measure(inputs_)),
      of_targets_(measure(targets_)),
      device_(device),
      on_the_device_(config.fixes.device_data),
      batch_(config.batch),
      of_batch_(of_batch),
      random_(trainers::seeded_generator(config.seed, trainers::RandomStream::batches)) {
  for (const Normalisation& host : of_targets_)
    on_device_.push_back({host.mean.to(device), host.std.to(device)});
  if (!on_the_device_) return;
  move(inputs_, of_inputs_, device);
  move(targets_, of_targets_, device);
}

// Row numbers of the next batch; what an epoch leaves over is dropped.
at::Tensor ActivationStore::next_rows() {
  const std::int64_t rows = inputs_.front().size(0);
  if (!order_.defined() || next_ + batch_ > rows) {
    order_ = at::randperm(rows, random_);
    if (on_the_device_) order_ = order_.to(device_);
    next_ = 0;
  }
  next_ += batch_;
  return order_.slice(0, next_ - batch_, next_);
}

void ActivationStore::skip(std::int64_t batches) {
  for (std::int64_t i = 0; i < batches; ++i) (void)next_rows();
}

Batch ActivationStore::next() {
  const at::Tensor rows = next_rows().slice(0, of_batch_.begin, of_batch_.end);
  if (on_the_device_) return {gather(inputs_, rows), gather(targets_, rows)};
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
