// SPDX-License-Identifier: Apache-2.0
// Batches of activations for training: rows in a fresh shuffle each epoch, normalised by each
// layer's mean and standard deviation a coordinate. As in the reference, the rows of every layer
// are gathered and normalised on the host, in the loop, and copied to the device one tensor after
// the other; with the fix device_data all rows lie there normalised, and a batch is gathered there.
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "reference_trainers/clt/config.hpp"
#include "reference_trainers/clt/made_activations.hpp"
#include "reference_trainers/clt/span.hpp"

namespace stepscope::clt {

struct Batch {
  std::vector<at::Tensor> inputs, targets;  // a layer each: [rows, d_model], on the device
};

// value = normalised * std + mean, each [d_model].
struct Normalisation {
  at::Tensor mean, std;

  at::Tensor apply(const at::Tensor& values) const;
  at::Tensor undo(const at::Tensor& normalised) const;
};

class ActivationStore {
 public:
  // Of each batch it gives these rows.
  ActivationStore(MadeActivations made, const Config& config, at::Device device, Span of_batch);
  ActivationStore(MadeActivations made, const Config& config, at::Device device)
      : ActivationStore(std::move(made), config, device, {0, config.batch}) {}

  Batch next();
  // As if so many batches had been taken.
  void skip(std::int64_t batches);

  // A layer each, on the device: the loss compares in the original space.
  const std::vector<Normalisation>& target_normalisation() const { return on_device_; }

 private:
  at::Tensor next_rows();

  std::vector<at::Tensor> inputs_, targets_;  // normalised, on the device: with device_data
  std::vector<Normalisation> of_inputs_, of_targets_, on_device_;
  at::Device device_;
  bool on_the_device_;
  std::int64_t batch_;
  Span of_batch_;
  at::Generator random_;
  at::Tensor order_;
  std::int64_t next_ = 0;
};

}  // namespace stepscope::clt
