// SPDX-License-Identifier: Apache-2.0
// Batches of activations for training, normalised by each layer's mean and standard deviation a
// coordinate. The rows lie in memory (memory_store.hpp: made activations) or in files
// (file_store.hpp: --data). The seed fixes the batches; a rank that takes some rows of each gets
// those.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/support/result.hpp"
#include "reference_trainers/clt/config.hpp"
#include "reference_trainers/common/span.hpp"

namespace stepscope::clt {

struct Batch {
  std::vector<at::Tensor> inputs, targets;  // a layer each: [rows, d_model], fp32, on the device
};

struct HeldOut {
  std::vector<Batch> batches;
  bool trained_on = false;  // some of these rows: the store had no others left
};

// value = normalised * std + mean, each [d_model].
struct Normalisation {
  at::Tensor mean, std;

  at::Tensor apply(const at::Tensor& values) const;
  at::Tensor undo(const at::Tensor& normalised) const;
};

// Added to each deviation, for a coordinate that never varies.
inline constexpr double kDeviationEpsilon = 1e-6;

class ActivationStore {
 public:
  ActivationStore() = default;
  virtual ~ActivationStore() = default;
  ActivationStore(const ActivationStore&) = delete;
  ActivationStore& operator=(const ActivationStore&) = delete;

  // An Error names the file that could not be read.
  virtual Result<Batch> next() = 0;
  // Returns rows to measure a finished run on, with batches that were taken or skipped behind it.
  virtual Result<HeldOut> held_out(std::int64_t batches) = 0;
  // Continues as if so many batches had been taken.
  virtual void skip(std::int64_t batches) = 0;

  // A layer each, on the device: the loss compares in the original space.
  virtual const std::vector<Normalisation>& target_normalisation() const = 0;

  virtual std::int64_t rows() const = 0;
  // Describes, for the user, what is read and by what it is normalised; empty: nothing to say.
  virtual std::string about() const = 0;
};

// Opens what the configuration names: made activations, or a folder. The store gives the rows `own`
// of each batch; all rows, where `own` is empty.
Result<std::unique_ptr<ActivationStore>> open_activations(const Config& config, at::Device device,
                                                          std::optional<trainers::Span> own = {});

}  // namespace stepscope::clt
