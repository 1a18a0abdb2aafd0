// SPDX-License-Identifier: Apache-2.0
// The texts of NVTX calls as recorder names. A text is valid during the call only, so it is
// interned; a registered string's handle is its name's bits plus one, so it costs nothing to use
// again.
#pragma once

#include <cstdint>

#include "collectors/nvtx/nvtx_abi.hpp"
#include "collectors/recorder/recorder.hpp"

namespace stepscope::nvtx {

recorder::RangeName name_of(const char* text) noexcept;
recorder::RangeName name_of(
    const wchar_t* text) noexcept;  // UTF-32; pairs of UTF-16 halves are joined
recorder::RangeName name_of(std::int32_t message_type, Message message) noexcept;
recorder::RangeName name_of(const EventAttributes* event) noexcept;

// Interns the text of something that lasts: a label, a domain.
template <class... Text>
recorder::NameId label_of(Text... text) noexcept {
  return recorder::whole_name(name_of(text...));
}

const void* handle_of(recorder::RangeName name) noexcept;
recorder::RangeName name_of_handle(const void* handle) noexcept;

}  // namespace stepscope::nvtx
