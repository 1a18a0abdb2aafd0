// SPDX-License-Identifier: Apache-2.0
// How text looks where it is read: colour or none, Unicode or ASCII, names cut to fit a terminal or
// whole. Widths are in columns: one code point is one column, escape sequences none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace stepscope {

enum class Colour : std::uint8_t { plain, bold, dim, red, green, yellow, blue, magenta, cyan };

struct Style {
  bool colour = false;
  bool unicode = true;
  bool whole_names = false;  // nothing is cut: for files and other programs

  std::string paint(Colour colour, std::string_view text) const;
  // `share` of 1 fills `width` columns; eighths of a column where Unicode allows.
  std::string bar(double share, std::size_t width) const;
  std::string_view dot() const { return unicode ? " \u00b7 " : " | "; }
  std::string_view ellipsis() const { return unicode ? "\u2026" : "..."; }
  // Cut to `width` columns, at the end or (paths) at the front, unless names stay whole.
  std::string cut_end(std::string_view text, std::size_t width) const;
  std::string cut_front(std::string_view text, std::size_t width) const;
};

std::size_t columns_of(std::string_view text);

// Names of the program's own as a terminal may show them: what moves the cursor, paints, ends a
// line or turns the direction of writing is replaced, so a name cannot pass for a line of the
// report.

// Each replaced character becomes one column: a blank for what separates words, else "?".
std::string one_line(std::string_view text);

}  // namespace stepscope
