// SPDX-License-Identifier: Apache-2.0
// Activations that lie in memory: rows in a fresh shuffle each epoch, what an epoch leaves over
// dropped. As in the reference, the rows of every layer are gathered and normalised on the host,
// in the loop, and copied to the device one tensor after the other; with the fix device_data all
// rows lie there normalised, and a batch is gathered there.
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reference_trainers/clt/config.hpp"
#include "reference_trainers/clt/data/activation_store.hpp"
#include "reference_trainers/clt/data/made_activations.hpp"

namespace stepscope::clt {

class MemoryStore final : public ActivationStore {
 public:
  // Gives the rows `own` of each batch; all rows, where `own` is empty.
  MemoryStore(MadeActivations made, const Config& config, at::Device device,
              std::optional<trainers::Span> own = {});

  Result<Batch> next() override;
  // Makes further rows of the same origin.
  Result<HeldOut> held_out(std::int64_t batches) override;
  void skip(std::int64_t batches) override;
  const std::vector<Normalisation>& target_normalisation() const override { return on_device_; }
  std::int64_t rows() const override { return inputs_.front().size(0); }
  std::string about() const override { return ""; }

 private:
  at::Tensor next_rows();
  Batch on_device(const at::Tensor& rows) const;
  Batch normalised(Batch rows) const;

  const Config config_;
  const trainers::Span own_;
  std::vector<at::Tensor> inputs_, targets_;  // normalised, on the device: with device_data
  at::Tensor all_inputs_, all_targets_;       // then: [layers * rows, d_model], those side by side
  at::Tensor begins_;                         // first row of each layer in them: int64 [layers]
  std::vector<Normalisation> of_inputs_, of_targets_, on_device_;
  at::Device device_;
  at::Generator random_;
  at::Tensor order_;
  std::int64_t next_ = 0;
};

}  // namespace stepscope::clt
