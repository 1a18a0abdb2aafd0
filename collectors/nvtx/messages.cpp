// SPDX-License-Identifier: Apache-2.0
#include "collectors/nvtx/messages.hpp"

#include <bit>
#include <cstddef>
#include <cstring>

#include "core/support/words.hpp"

namespace stepscope::nvtx {
namespace {

constexpr std::size_t kMaxText = 1024;

recorder::RangeName unnamed() noexcept {
  return recorder::intern_name("(unnamed)", 9);
}

bool is_high_half(std::uint32_t c) noexcept {
  return c >= 0xD800 && c < 0xDC00;
}
bool is_low_half(std::uint32_t c) noexcept {
  return c >= 0xDC00 && c < 0xE000;
}

}  // namespace

recorder::RangeName name_of(const char* text) noexcept {
  if (text == nullptr) return unnamed();
  return recorder::range_name(text, strnlen(text, kMaxText));
}

recorder::RangeName name_of(const wchar_t* text) noexcept {
  if (text == nullptr) return unnamed();
  char utf8[kMaxText];
  std::size_t size = 0;
  for (; *text != 0 && size + 4 <= kMaxText; ++text) {
    auto c = std::bit_cast<std::uint32_t>(*text);
    const auto next = std::bit_cast<std::uint32_t>(text[1]);
    if (is_high_half(c) && is_low_half(next)) {
      c = 0x10000 + ((c - 0xD800) << 10 | (next - 0xDC00));
      ++text;
    }
    size += append_utf8(utf8 + size, c);
  }
  return recorder::range_name(utf8, size);
}

recorder::RangeName name_of(std::int32_t message_type, Message message) noexcept {
  switch (message_type) {
    case kMessageText:
      return name_of(message.text);
    case kMessageWide:
      return name_of(message.wide);
    case kMessageRegistered:
      return name_of_handle(message.registered);
    default:
      return unnamed();
  }
}

recorder::RangeName name_of(const EventAttributes* event) noexcept {
  if (event == nullptr || event->size < sizeof(EventAttributes)) return unnamed();
  return name_of(event->message_type, event->message);
}

const void* handle_of(recorder::RangeName name) noexcept {
  return std::bit_cast<const void*>(std::uintptr_t{name.bits()} + 1);
}

recorder::RangeName name_of_handle(const void* handle) noexcept {
  if (handle == nullptr) return unnamed();  // registered before a tool was there
  return recorder::RangeName::of_bits(reinterpret_cast<std::uintptr_t>(handle) - 1);
}

}  // namespace stepscope::nvtx
