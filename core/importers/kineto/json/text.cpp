// SPDX-License-Identifier: Apache-2.0
#include "core/importers/kineto/json/text.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace stepscope::kineto {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

void append_utf8(std::uint32_t code, std::string& out) {
  const auto byte = [&out](std::uint32_t value) { out.push_back(static_cast<char>(value)); };
  if (code < 0x80) return byte(code);
  if (code < 0x800) return byte(0xC0 | code >> 6U), byte(0x80 | (code & 0x3FU));
  if (code < 0x10000) {
    return byte(0xE0 | code >> 12U), byte(0x80 | (code >> 6U & 0x3FU)), byte(0x80 | (code & 0x3FU));
  }
  byte(0xF0 | code >> 18U), byte(0x80 | (code >> 12U & 0x3FU));
  byte(0x80 | (code >> 6U & 0x3FU)), byte(0x80 | (code & 0x3FU));
}

// Takes "\uXXXX" off the front; false where it is not one.
bool take_unit(std::string_view& text, std::uint32_t& unit) {
  if (text.size() < 6 || text[0] != '\\' || text[1] != 'u') return false;
  const auto [stop, error] = std::from_chars(text.data() + 2, text.data() + 6, unit, 16);
  if (error != std::errc() || stop != text.data() + 6) return false;
  return text.remove_prefix(6), true;
}

bool is_high_surrogate(std::uint32_t unit) {
  return unit >= 0xD800 && unit < 0xDC00;
}
bool is_low_surrogate(std::uint32_t unit) {
  return unit >= 0xDC00 && unit < 0xE000;
}

bool take_unicode(std::string_view& text, std::string& out) {
  std::uint32_t unit = 0;
  if (!take_unit(text, unit)) return false;
  std::string_view rest = text;
  std::uint32_t low = 0;
  if (is_high_surrogate(unit) && take_unit(rest, low) && is_low_surrogate(low)) {
    text = rest;
    append_utf8(0x10000 + ((unit - 0xD800) << 10U) + (low - 0xDC00), out);
  } else if (is_high_surrogate(unit) || is_low_surrogate(unit)) {
    out += kReplacement;
  } else {
    append_utf8(unit, out);
  }
  return true;
}

bool take_letter(std::string_view& text, std::string& out) {
  constexpr std::string_view kLetters = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  const std::size_t which = text.size() < 2 ? std::string_view::npos : kLetters.find(text[1]);
  if (which == std::string_view::npos) return false;
  out.push_back(kMeanings[which]);
  return text.remove_prefix(2), true;
}

// Length of the valid UTF-8 sequence at the front; 0 where there is none.
std::size_t sequence_length(std::string_view text) {
  const auto at = [&text](std::size_t i) {
    return static_cast<unsigned char>(i < text.size() ? text[i] : '\0');
  };
  const auto tail = [&at](std::size_t i) { return (at(i) & 0xC0U) == 0x80U; };
  const unsigned char lead = at(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead < 0xE0) return tail(1) ? 2 : 0;
  if (lead >= 0xE0 && lead < 0xF0) {
    const bool overlong = lead == 0xE0 && at(1) < 0xA0;
    const bool surrogate = lead == 0xED && at(1) >= 0xA0;
    return tail(1) && tail(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (lead >= 0xF0 && lead < 0xF5) {
    const bool overlong = lead == 0xF0 && at(1) < 0x90;
    const bool too_high = lead == 0xF4 && at(1) >= 0x90;
    return tail(1) && tail(2) && tail(3) && !overlong && !too_high ? 4 : 0;
  }
  return 0;
}

}  // namespace

std::string_view decoded(const JsonValue& value, std::string& scratch) {
  if (!value.escaped) return value.text;
  scratch.clear();
  for (std::string_view text = value.text; !text.empty();) {
    const std::size_t plain = std::min(text.find('\\'), text.size());
    scratch.append(text.substr(0, plain));
    text.remove_prefix(plain);
    if (text.empty() || take_letter(text, scratch) || take_unicode(text, scratch)) continue;
    scratch.push_back('\\');
    text.remove_prefix(1);
  }
  return scratch;
}

bool is_escape(std::string_view text) {
  std::string unused;
  std::uint32_t unit = 0;
  return take_letter(text, unused) || take_unit(text, unit);
}

std::string repaired_utf8(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    out.append(length == 0 ? kReplacement : text.substr(0, length));
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

}  // namespace stepscope::kineto
