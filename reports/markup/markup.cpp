// SPDX-License-Identifier: Apache-2.0
#include "reports/markup/markup.hpp"

#include <cstdint>

namespace stepscope {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

// Bytes of the sequence that `bytes` begins with; 0 where it is not UTF-8 (overlong, surrogate,
// beyond U+10FFFF, cut off).
std::size_t sequence_length(std::string_view bytes) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned first = at(0);
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xC2 ? 0
                             : first < 0xE0 ? 2
                             : first < 0xF0 ? 3
                             : first < 0xF5 ? 4
                                            : 0;
  if (length == 0 || length > bytes.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((at(i) & 0xC0U) != 0x80U) return 0;
  }
  if (first == 0xE0 && at(1) < 0xA0) return 0;
  if (first == 0xED && at(1) >= 0xA0) return 0;
  if (first == 0xF0 && at(1) < 0x90) return 0;
  if (first == 0xF4 && at(1) >= 0x90) return 0;
  return length;
}

// Control characters, U+FFFE and U+FFFF: no XML document may hold them.
bool is_forbidden(std::string_view sequence) {
  const auto first = static_cast<unsigned char>(sequence[0]);
  if (sequence.size() == 1)
    return (first < 0x20 && first != '\t' && first != '\n') || first == 0x7F;
  if (first == 0xC2) return static_cast<unsigned char>(sequence[1]) < 0xA0;
  return sequence == "\xef\xbf\xbe" || sequence == "\xef\xbf\xbf";
}

void append_escaped(std::string& out, std::string_view bytes) {
  for (const char c : printable(bytes)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
}

void append_opening(std::string& out, std::string_view name, const Attributes& attributes) {
  out += '<';
  out += name;
  for (const auto& [key, value] : attributes) {
    if (value.empty()) continue;
    out += ' ';
    out += key;
    out += "=\"";
    append_escaped(out, value);
    out += '"';
  }
}

}  // namespace

Markup Markup::trusted(std::string text) {
  Markup out;
  out.text_ = std::move(text);
  return out;
}

std::string printable(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    const std::size_t length = sequence_length(bytes);
    const std::string_view sequence = bytes.substr(0, length == 0 ? 1 : length);
    out += length == 0 || is_forbidden(sequence) ? kReplacement : sequence;
    bytes.remove_prefix(sequence.size());
  }
  return out;
}

Markup text(std::string_view unescaped) {
  std::string out;
  append_escaped(out, unescaped);
  return Markup::trusted(std::move(out));
}

Markup element(std::string_view name, const Attributes& attributes, const Markup& content) {
  std::string out;
  append_opening(out, name, attributes);
  out += '>';
  out += content.str();
  out += "</";
  out += name;
  out += '>';
  return Markup::trusted(std::move(out));
}

Markup element(std::string_view name, const Markup& content) {
  return element(name, {}, content);
}

Markup empty_element(std::string_view name, const Attributes& attributes) {
  std::string out;
  append_opening(out, name, attributes);
  out += "/>";
  return Markup::trusted(std::move(out));
}

}  // namespace stepscope
