// SPDX-License-Identifier: Apache-2.0
// A group of processes with a GPU each. Data goes through NCCL on the default stream; the links
// stay open beside it and are watched by a thread, which sees a rank end or stand still, aborts
// what the device waits for, and ends the process where that does not bring the program back.
#pragma once

#include <c10/core/Device.h>

#include <chrono>
#include <memory>

#include "core/support/result.hpp"
#include "reference_trainers/comm/comm.hpp"
#include "reference_trainers/comm/links.hpp"
#include "reference_trainers/comm/nccl_library.hpp"

namespace stepscope::trainers {

// The calling thread's device is the rank's. `patience`: how long a rank may stand at a call that
// others have made.
std::unique_ptr<Comm> make_nccl_comm(const nccl::Library& library, std::unique_ptr<Links> links,
                                     int size, at::Device device,
                                     std::chrono::milliseconds patience);

}  // namespace stepscope::trainers
