// SPDX-License-Identifier: Apache-2.0
// DataLoader __next__ scopes of a loop without an optimizer: a step begins with its batch. Where
// some batches are followed by a backward pass and others are not (validation), only the former are
// steps. A
// __next__ with no work behind it (the end of an epoch) belongs to the step before.
#pragma once

#include "core/steps/finders/loop.hpp"

namespace stepscope {

Loop find_data_loader_steps(const Activity& activity);

}  // namespace stepscope
