// SPDX-License-Identifier: Apache-2.0
// Checks of what several calls take.
#pragma once

#include "kernels/sparse_decoder/sparse_decoder.hpp"

namespace stepscope::kernels {

// indices and values may be null where capacity is 0; with_values: they are read.
Status validate_list(const ActiveFeatures& list, bool with_values);
Status validate_rows(const ConstLayerRows& rows, const char* name);
// The gradients of all tokens' outputs.
Status validate_rows(const ConstLayerRows& output_gradients, const SparseDecoderShape& shape);

}  // namespace stepscope::kernels
