// SPDX-License-Identifier: Apache-2.0
#include "reports/text/style.hpp"

namespace stepscope {
namespace {

bool begins(std::string_view text, unsigned char first, unsigned char second) {
  return text.size() >= 2 && static_cast<unsigned char>(text[0]) == first &&
         static_cast<unsigned char>(text[1]) == second;
}

// U+0080..9F, the second set of control characters.
bool is_late_control(std::string_view text) {
  return text.size() >= 2 && static_cast<unsigned char>(text[0]) == 0xc2 &&
         static_cast<unsigned char>(text[1]) < 0xa0;
}

// U+2028..202E and U+2066..2069: line ends and marks of direction.
bool is_format(std::string_view text) {
  if (text.size() < 3) return false;
  const auto last = static_cast<unsigned char>(text[2]);
  return (begins(text, 0xe2, 0x80) && last >= 0xa8 && last <= 0xae) ||
         (begins(text, 0xe2, 0x81) && last >= 0xa6 && last <= 0xa9);
}

}  // namespace

std::string one_line(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto c = static_cast<unsigned char>(text.front());
    std::size_t taken = 1;
    if (c == '\n' || c == '\r' || c == '\t') {
      out += ' ';
    } else if (c < 0x20 || c == 0x7f) {
      out += '?';
    } else if (is_late_control(text) || is_format(text)) {
      taken = c == 0xc2 ? 2 : 3;
      out += '?';
    } else {
      out += text.front();
    }
    text.remove_prefix(taken);
  }
  return out;
}

}  // namespace stepscope
