// SPDX-License-Identifier: Apache-2.0
// The payload extension: schemas of binary data that travel with NVTX events.
//
// A range pushed or popped with a payload is a range like any other (its name: the payload's event
// message, else the schema's name), so stacks cannot drift. The values are kept for NCCL only: of a
// call that says what it sends as the range's message (recorder::collective), of others (a
// communicator's begin and end) as a mark "payload NCCL: NCCL communicator ID=..., Rank=..." on its
// thread. The number of different texts is bounded. Other domains' payloads would be added in
// `note_payloads`.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "collectors/nvtx/domains.hpp"
#include "collectors/nvtx/nvtx_abi.hpp"
#include "collectors/nvtx/schemas.hpp"
#include "collectors/recorder/recorder.hpp"

namespace stepscope::nvtx {

// Whether a range of the domain is open on this thread that the payload speaks of.
enum class PayloadOf : std::uint8_t { range, other };

// Records the payload that an event's attributes carry, if any. Free where there is none.
void note_payloads(const Domain* domain, const PayloadData* data, std::size_t count,
                   PayloadOf of) noexcept;

inline void note_payload(const Domain* domain, const EventAttributes* event,
                         PayloadOf of) noexcept {
  if (event == nullptr || event->size < sizeof(EventAttributes)) return;
  if (event->payload_type != kPayloadExtension || event->reserved <= 0) return;
  note_payloads(domain, std::bit_cast<const PayloadData*>(event->payload),
                static_cast<std::size_t>(event->reserved), of);
}

// NCCL's payloads as messages. NCCL names a payload's fields in its schema; these are known:
//
//   NCCL communicator ID (older: ... hash), Message size [bytes], Reduction operation,
//   Root, Peer rank
//
// The communicator is a hash that is the same on all its ranks. Reduction operations are numbered
// as in nccl.h; numbers from 5 on are the program's own.

// Puts a field's value where it belongs in the message; fields that are none of these are left out.
void read_field(const Field& field, std::uint64_t value, recorder::Message& message) noexcept;

}  // namespace stepscope::nvtx
