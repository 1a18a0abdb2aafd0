// SPDX-License-Identifier: Apache-2.0
// The bindings with plain arguments, as the schemas of torch_library.cpp have them.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

namespace stepscope::aten {

using OptionalTensor = std::optional<at::Tensor>;
using Tensors2 = std::tuple<at::Tensor, at::Tensor>;
using Tensors3 = std::tuple<at::Tensor, at::Tensor, at::Tensor>;

Tensors2 mask_and_threshold(const at::Tensor& acts, std::int64_t count, bool z_score,
                            bool positives_only, const OptionalTensor& mean,
                            const OptionalTensor& scale, const OptionalTensor& device_count);
Tensors2 mean_and_scale(const at::Tensor& acts);
Tensors3 offsets_indices_values(const at::Tensor& mask, const at::Tensor& values, bool by_column,
                                std::int64_t entries);
void adam_step(const at::Tensor& parameters, const at::Tensor& first_moments,
               const at::Tensor& second_moments, const at::Tensor& gradients, double learning_rate,
               std::int64_t step, double beta1, double beta2, double epsilon, double weight_decay,
               bool decoupled, const OptionalTensor& copy);
void adam_decoder_step(const at::Tensor& parameters, const at::Tensor& first_moments,
                       const at::Tensor& second_moments, const at::Tensor& offsets,
                       const at::Tensor& indices, const at::Tensor& values,
                       const at::Tensor& output_gradients, double learning_rate, std::int64_t step,
                       double beta1, double beta2, double epsilon, double weight_decay,
                       bool decoupled, const OptionalTensor& copy);
std::vector<at::Tensor> shard_memory(const at::Tensor& acts, std::int64_t groups);
void shard_count(const at::Tensor& acts, std::int64_t count, std::int64_t round,
                 at::TensorList memory, bool positives_only, const OptionalTensor& mean,
                 const OptionalTensor& scale);
void shard_choose(const at::Tensor& acts, std::int64_t count, std::int64_t round,
                  at::TensorList memory, bool positives_only, const OptionalTensor& mean,
                  const OptionalTensor& scale);
void shard_shares(const at::Tensor& acts, std::int64_t count, at::TensorList memory,
                  bool positives_only, const OptionalTensor& mean, const OptionalTensor& scale);
void shard_own_count(const at::Tensor& acts, std::int64_t count, const at::Tensor& all_shares,
                     std::int64_t shard, at::TensorList memory, bool positives_only,
                     const OptionalTensor& mean, const OptionalTensor& scale);

}  // namespace stepscope::aten
