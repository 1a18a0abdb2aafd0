// SPDX-License-Identifier: Apache-2.0
// A sum over ranks within autograd.
#pragma once

#include <ATen/core/Tensor.h>

#include "reference_trainers/comm/comm.hpp"

namespace stepscope::clt {

// The same on every rank. Its gradient is that of each rank's own summand where what follows is
// computed alike on every rank.
at::Tensor sum_over_ranks(const at::Tensor& own, trainers::Comm& comm);

}  // namespace stepscope::clt
