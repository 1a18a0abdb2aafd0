// SPDX-License-Identifier: Apache-2.0
// Text in a room that may be too narrow for it: what a box on the timeline says of its name, where a
// text is cut, where its lines end. Pure: the font is the caller's function.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope::viewer {

using TextWidth = std::function<float(std::string_view)>;

// Which parts a name has: causes are separated by dots, operations and Python functions by "::",
// folders and the file before the function.
enum class NameParts : std::uint8_t { dotted, scoped };

// The name, then what is left of it without its first part, its first two, ...: longest first.
std::vector<std::string_view> tails_of(std::string_view name, NameParts parts);

// Names that are drawn side by side. Where a name does not fit, it loses its first parts, which it
// mostly shares with its neighbours, as long as what is left distinguishes it from all of them.
class SideBySide {
 public:
  SideBySide(std::vector<std::string> names, NameParts parts);

  // The longest form of the name that fits: with the text that follows it, else without, else its
  // shortest form cut at the end. Empty where not even a few letters fit.
  std::string fitted(const std::string& name, const std::string& followed_by, float room,
                     const TextWidth& width) const;

 private:
  bool is_of_another(const std::string& name, std::string_view tail) const;

  std::vector<std::string> names_;
  NameParts parts_;
};

// The text, or its begin and "..."; empty where not even a few letters fit.
std::string cut_to(const std::string& text, float room, const TextWidth& width);

// The text in lines that fit. A line ends at a blank, never inside a name or between a number and
// its unit, unless that alone is wider than the room.
std::string wrapped_to(std::string_view text, float room, const TextWidth& width);

}  // namespace stepscope::viewer
