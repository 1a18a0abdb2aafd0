// SPDX-License-Identifier: Apache-2.0
// Whether XLA's CUDA backend is in the process, by the libraries that are mapped. Its command
// buffers are CUDA graphs that are made node by node and whose nodes get new parameters between
// launches. A CUPTI that is asked for its records meanwhile (cuptiActivityFlushAll) breaks the
// program (13.0, measured: docs/design/recording.md). XLA itself launches no command buffers while
// its own profiler is on, and names memory corruption by CUPTI as the reason.
#pragma once

#include <string_view>

namespace stepscope::inject {

// Whether a library holds XLA's CUDA backend: JAX's, EXLA's or Reactant's. TensorFlow counts, too,
// unless PyTorch is there: PyTorch programs load TensorFlow for TensorBoard.
bool is_xla(std::string_view path, bool has_torch) noexcept;

// A look at what is mapped.
bool has_xla() noexcept;

}  // namespace stepscope::inject
