// SPDX-License-Identifier: Apache-2.0
#include "collectors/nvtx/payload.hpp"

#include <cstring>

namespace stepscope::nvtx {
namespace {

bool begins(const Field& field, const char* text) noexcept {
  return std::strncmp(field.name, text, std::strlen(text)) == 0;
}

ReduceOperation reduce_operation(std::uint64_t number) noexcept {
  constexpr ReduceOperation kOfNccl[] = {ReduceOperation::sum, ReduceOperation::product,
                                         ReduceOperation::maximum, ReduceOperation::minimum,
                                         ReduceOperation::average};
  return number < std::size(kOfNccl) ? kOfNccl[number] : ReduceOperation::other;
}

}  // namespace

void read_field(const Field& field, std::uint64_t value, recorder::Message& message) noexcept {
  if (begins(field, "NCCL communicator")) message.communicator = value;
  if (begins(field, "Message size")) message.bytes = value;
  if (begins(field, "Reduction operation")) message.reduce = reduce_operation(value);
  if (begins(field, "Root") || begins(field, "Peer"))
    message.peer = static_cast<std::uint32_t>(value);
}

}  // namespace stepscope::nvtx
