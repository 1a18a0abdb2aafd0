// SPDX-License-Identifier: Apache-2.0
// Credit: only the k nodes of a path with the greatest gradient norms learn; the gradients of the
// others become zero, so that Adam goes on with their moments alone. Both ways choose the same
// nodes.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "reference_trainers/tree/model.hpp"

namespace stepscope::tree {

using Gradients = std::vector<std::vector<at::Tensor>>;  // by node of a path

Gradients gradients_of(const std::vector<Node>& nodes, const std::vector<std::size_t>& path);

// A norm and a wait for each tensor, then a sort.
void give_credit_on_host(const Gradients& nodes, std::int64_t k);
// One call for all norms; nothing is read.
void give_credit_on_device(const Gradients& nodes, std::int64_t k);

// Scales all down where their norm together is above `most`; nothing is read.
void clip_on_device(const std::vector<at::Tensor>& gradients, double most);

}  // namespace stepscope::tree
