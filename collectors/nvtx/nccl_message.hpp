// SPDX-License-Identifier: Apache-2.0
// NCCL's payloads as messages. NCCL names a payload's fields in its schema; these are known:
//
//   NCCL communicator ID (older: ... hash), Message size [bytes], Reduction operation,
//   Root, Peer rank
//
// The communicator is a hash that is the same on all its ranks. Reduction operations are numbered
// as in nccl.h; numbers from 5 on are the program's own.
#pragma once

#include <cstdint>

#include "collectors/nvtx/schemas.hpp"
#include "collectors/recorder/recorder.hpp"

namespace stepscope::nvtx {

// Puts a field's value where it belongs in the message; fields that are none of these are left out.
void read_field(const Field& field, std::uint64_t value, recorder::Message& message) noexcept;

}  // namespace stepscope::nvtx
