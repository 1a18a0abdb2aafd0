// SPDX-License-Identifier: Apache-2.0
// Sequences of tokens to learn from: a prompt and a reply each. Made ones follow a table of
// successors: a token is followed by one of its two successors nine times in ten, else by any.
//
// A file of them is a dictionary of tensors (common/tensor_file.hpp): schema
// "polychromic.sequences/1", tokens int64 [sequences, prompt + reply].
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "core/support/result.hpp"
#include "reference_trainers/polychromic/config.hpp"

namespace stepscope::polychromic {

// Reads the file of --data, or makes them, and puts them into the order of training. An Error names
// the file, and what the model does not take.
Result<at::Tensor> open_sequences(const Config& config);

at::Tensor make_sequences(const Config& config);
Status write_sequences(const std::string& path, const at::Tensor& tokens);

// Returns [batch, prompt + reply] of a step. The last ones that fill no batch are left out.
at::Tensor batch_of(const at::Tensor& sequences, const Config& config, std::int64_t step);

}  // namespace stepscope::polychromic
