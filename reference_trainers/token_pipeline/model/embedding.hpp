// SPDX-License-Identifier: Apache-2.0
// The encoder's input: a token's embedding, its dense vector's, its position's and that of its kind
// of region, summed, as [samples, longest, d_model] with zeros behind each sample's end.
#pragma once

#include "reference_trainers/token_pipeline/data/batch.hpp"
#include "reference_trainers/token_pipeline/model/weights.hpp"

namespace stepscope::token_pipeline {

// A loop over samples, and in each over its tokens, whose kind becomes a tensor of one number on
// the device: 80 to 240 copies a sample that the host waits for.
at::Tensor embed_one_by_one(const Weights& weights, const Batch& batch, const Part& part);

// Everything at once on the packed rows, which one index then puts in their places.
at::Tensor embed_at_once(const Weights& weights, const Batch& batch, const Part& part);

}  // namespace stepscope::token_pipeline
