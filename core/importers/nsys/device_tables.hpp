// SPDX-License-Identifier: Apache-2.0
// Kernels, copies, sets, whole graphs (CUDA_GRAPH_TRACE by graph) and the nodes of graphs.
#pragma once

#include "core/importers/nsys/filling.hpp"

namespace stepscope::nsys {

Status read_device_tables(Filling& to);

}  // namespace stepscope::nsys
