// SPDX-License-Identifier: Apache-2.0
// Reading a thread's frame chain and code objects through a Layout. Plain loads: only for the
// calling thread's own chain, which cannot change while we are on top of it and whose frames keep
// their code, names and line tables alive. verify.cpp reads the same through checked loads first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "collectors/python_frames/layout.hpp"

namespace stepscope::python {

using Object = const char*;  // an object, thread state or frame: an address to add offsets to

template <typename T>
T load(Object base, std::uint32_t offset) noexcept {
  T value;
  std::memcpy(&value, base + offset, sizeof value);
  return value;
}

inline Object innermost_frame(const Layout& layout, Object thread) noexcept {
  const auto holder = load<Object>(thread, layout.thread_frame);
  if (layout.holder_frame < 0 || holder == nullptr) return holder;
  return load<Object>(holder, static_cast<std::uint32_t>(layout.holder_frame));
}

inline Object previous_frame(const Layout& layout, Object frame) noexcept {
  return load<Object>(frame, layout.frame_previous);
}

// 3.14 marks a frame's reference in its lowest bits, which are 0 in every address of an object.
inline Object without_marks(Object reference) noexcept {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a pointer with two bits cleared
  return reinterpret_cast<Object>(reinterpret_cast<std::uintptr_t>(reference) & ~std::uintptr_t{3});
}

// The frame's code object; null for a shim or whatever else has none.
inline Object code_of(const Layout& layout, Object code_type, Object frame) noexcept {
  if (load<char>(frame, layout.frame_owner) == kShimOwner) return nullptr;
  const auto code = without_marks(load<Object>(frame, layout.frame_code));
  return code != nullptr && load<Object>(code, layout.object_type) == code_type ? code : nullptr;
}

// The code unit that the frame is at; a frame that has not begun is at unit 0.
inline std::size_t unit_of(const Layout& layout, Object frame, Object code) noexcept {
  if (layout.instruction_step != 0) {
    const int index = load<int>(frame, layout.frame_instruction);
    return index < 0 ? 0 : static_cast<std::size_t>(index) * layout.instruction_step / 2;
  }
  const auto distance = load<Object>(frame, layout.frame_instruction) - (code + layout.code_bytes);
  return distance < 0 ? 0 : static_cast<std::size_t>(distance) / 2;
}

// The content of a bytes object that a field of the code object names.
inline std::span<const unsigned char> table_of(const Layout& layout, Object code,
                                               std::uint32_t field) noexcept {
  const auto bytes = load<Object>(code, field);
  return {reinterpret_cast<const unsigned char*>(bytes + layout.bytes_data),
          load<std::size_t>(bytes, layout.sequence_size)};
}

inline std::span<const unsigned char> line_table_of(const Layout& layout, Object code) noexcept {
  return table_of(layout, code, layout.code_lines);
}

int line_of(const Layout& layout, Object code, std::size_t unit) noexcept;

// A str as UTF-8 into `out`, cut to fit. Returns the length.
std::size_t copy_text(const Layout& layout, Object text, std::span<char> out) noexcept;

}  // namespace stepscope::python
