// SPDX-License-Identifier: Apache-2.0
#include "reports/text/style.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace stepscope {
namespace {

constexpr std::array<std::string_view, 9> kCodes = {"",   "1",  "2",  "31", "32",
                                                    "33", "34", "35", "36"};

bool continues(char c) {
  return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U;
}

// The byte at which column `column` begins.
std::size_t byte_of(std::string_view text, std::size_t column) {
  std::size_t at = 0;
  while (at < text.size() && (column > 0 || continues(text[at]))) {
    if (!continues(text[at])) {
      if (column == 0) break;
      --column;
    }
    ++at;
  }
  while (at < text.size() && continues(text[at])) ++at;
  return at;
}

}  // namespace

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\x1b')
      at = std::min(text.find('m', at), text.size());
    else if (!continues(text[at]))
      ++columns;
  }
  return columns;
}

std::string Style::paint(Colour which, std::string_view text) const {
  const std::string_view code = kCodes[static_cast<std::size_t>(which)];
  if (!colour || code.empty() || text.empty()) return std::string(text);
  return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

std::string Style::bar(double share, std::size_t width) const {
  constexpr std::array<std::string_view, 8> kEighths = {"",       "\u258f", "\u258e", "\u258d",
                                                        "\u258c", "\u258b", "\u258a", "\u2589"};
  const double columns =
      std::isfinite(share) ? std::clamp(share, 0.0, 1.0) * static_cast<double>(width) : 0;
  if (!unicode) return std::string(static_cast<std::size_t>(std::lround(columns)), '#');
  const auto eighths = static_cast<std::size_t>(std::lround(columns * 8));
  std::string out;
  for (std::size_t i = 0; i < eighths / 8; ++i) out += "\u2588";
  out += kEighths[eighths % 8];
  return out;
}

std::string Style::cut_end(std::string_view raw, std::size_t width) const {
  std::string text = one_line(raw);
  if (whole_names || columns_of(text) <= width) return text;
  const std::size_t keep = width - std::min(width, columns_of(ellipsis()));
  return text.substr(0, byte_of(text, keep)) + std::string(ellipsis());
}

std::string Style::cut_front(std::string_view raw, std::size_t width) const {
  std::string text = one_line(raw);
  const std::size_t columns = columns_of(text);
  if (whole_names || columns <= width) return text;
  const std::size_t keep = width - std::min(width, columns_of(ellipsis()));
  return std::string(ellipsis()) + text.substr(byte_of(text, columns - keep));
}

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
