// SPDX-License-Identifier: Apache-2.0
// The libcupti of this process: the copy that is mapped already, else the one of the torch that is
// mapped, of CUDA_HOME, or of the system. Never linked, never shipped: a second copy would be a
// second CUPTI with a state of its own, and another version first would break `import torch`.
#pragma once

#include <array>

#include "collectors/cupti/library/cupti_abi.hpp"

namespace stepscope::cupti {

// The functions that are used. The boundary to the vendor: tests fill it with their own.
struct Library {
  Status (*get_version)(std::uint32_t* version);
  Status (*subscribe)(Subscriber* subscriber, Callback callback, void* user);
  Status (*unsubscribe)(Subscriber subscriber);
  Status (*enable_callback)(std::uint32_t enable, Subscriber subscriber, std::uint32_t domain,
                            std::uint32_t id);
  Status (*enable_domain)(std::uint32_t enable, Subscriber subscriber, std::uint32_t domain);
  Status (*register_buffers)(RequestBuffer request, CompleteBuffer complete);
  Status (*enable)(ActivityKind kind);
  Status (*disable)(ActivityKind kind);
  Status (*flush_all)(std::uint32_t flag);
  Status (*next_record)(std::uint8_t* buffer, std::size_t valid_bytes, void** record);
  Status (*dropped_records)(void* context, std::uint32_t stream, std::size_t* dropped);
  Status (*set_thread_id_type)(std::uint32_t type);
  Status (*stream_id)(void* context, void* stream, std::uint8_t per_thread, std::uint32_t* id);
  Status (*device_id)(void* context, std::uint32_t* device);
  Status (*result_text)(Status status, const char** text);
  // Null where the library is too old for it.
  Status (*graph_node_id)(void* node, std::uint64_t* id);
  Status (*callback_name)(std::uint32_t domain, std::uint32_t id, const char** name);
};

struct FoundLibrary {
  bool usable = false;
  Library functions{};
  std::array<char, 512> path{};     // where it was found
  std::array<char, 256> why_not{};  // one sentence with the remedy, where it is not usable
};

FoundLibrary find_library() noexcept;

// What CUPTI refuses, as a note in the trace with its remedy.

// `what`: the function that gave `status`.
void note_refusal(const Library& library, const char* what, Status status) noexcept;

}  // namespace stepscope::cupti
