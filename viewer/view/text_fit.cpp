// SPDX-License-Identifier: Apache-2.0
#include "viewer/view/text_fit.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "core/report/wording/numbers.hpp"

namespace stepscope::viewer {
namespace {

// Fewer letters of a text that is cut say nothing.
constexpr std::size_t kLeastLetters = 4;

constexpr std::array<std::string_view, 1> kDots = {"."};
constexpr std::array<std::string_view, 3> kScopes = {"::", ": ", "/"};

std::span<const std::string_view> separators_of(NameParts parts) {
  if (parts == NameParts::dotted) return kDots;
  return kScopes;
}

bool is_inside_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

// Whole characters from the front, as many as fit.
std::string_view front_that_fits(std::string_view text, float room, const TextWidth& width) {
  std::size_t low = 0;
  std::size_t high = text.size();
  while (low < high) {
    const std::size_t middle = (low + high + 1) / 2;
    if (width(text.substr(0, middle)) <= room) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  while (low > 0 && low < text.size() && is_inside_character(text[low])) --low;
  return text.substr(0, low);
}

// Returns where a name that is wider than the room is broken: behind a mark in the second half of
// what fits, else where the room ends.
std::size_t break_in(std::string_view word, float room, const TextWidth& width) {
  std::size_t fits = std::max<std::size_t>(1, front_that_fits(word, room, width).size());
  while (fits < word.size() && is_inside_character(word[fits])) ++fits;
  const std::size_t mark = word.substr(0, fits).find_last_of("_/,:<>;");
  return mark != std::string_view::npos && mark + 1 > fits / 2 ? mark + 1 : fits;
}

void add_word(std::vector<std::string>& lines, std::string word, float room,
              const TextWidth& width) {
  const std::string joined = lines.back().empty() ? word : lines.back() + " " + word;
  if (width(joined) <= room) {
    lines.back() = joined;
    return;
  }
  if (!lines.back().empty()) lines.emplace_back();
  while (width(word) > room) {
    const std::size_t at = break_in(word, room, width);
    if (at >= word.size()) break;
    lines.back() = word.substr(0, at);
    lines.emplace_back();
    word.erase(0, at);
  }
  lines.back() = word;
}

// A line of code keeps its indentation.
void add_line(std::vector<std::string>& lines, const std::string& line, float room,
              const TextWidth& width) {
  lines.emplace_back();
  for (std::size_t from = 0; from < line.size();) {
    const std::size_t word = std::min(line.find_first_not_of(' ', from), line.size());
    const std::size_t end = std::min(line.find(' ', word), line.size());
    add_word(lines, line.substr(from == 0 ? 0 : word, end - (from == 0 ? 0 : word)), room, width);
    from = end;
  }
}

}  // namespace

std::vector<std::string_view> tails_of(std::string_view name, NameParts parts) {
  std::vector<std::string_view> out = {name};
  for (std::size_t i = 0; i < name.size(); ++i) {
    for (const std::string_view separator : separators_of(parts)) {
      const std::string_view rest = name.substr(i);
      if (rest.starts_with(separator) && rest.size() > separator.size())
        out.push_back(rest.substr(separator.size()));
    }
  }
  return out;
}

SideBySide::SideBySide(std::vector<std::string> names, NameParts parts)
    : names_(std::move(names)), parts_(parts) {
  std::sort(names_.begin(), names_.end());
  names_.erase(std::unique(names_.begin(), names_.end()), names_.end());
}

bool SideBySide::is_of_another(const std::string& name, std::string_view tail) const {
  return std::any_of(names_.begin(), names_.end(), [&](const std::string& other) {
    if (other == name) return false;
    const std::vector<std::string_view> tails = tails_of(other, parts_);
    return std::find(tails.begin(), tails.end(), tail) != tails.end();
  });
}

std::string SideBySide::fitted(const std::string& name, const std::string& followed_by, float room,
                               const TextWidth& width) const {
  const auto fits = [&](std::string_view text) { return width(text) <= room; };
  if (fits(name + followed_by)) return name + followed_by;
  std::vector<std::string_view> tails = tails_of(name, parts_);
  std::erase_if(tails,
                [&](std::string_view tail) { return tail != name && is_of_another(name, tail); });
  for (const std::string_view tail : tails) {
    if (fits(std::string(tail) + followed_by)) return std::string(tail) + followed_by;
  }
  for (const std::string_view tail : tails) {
    if (fits(tail)) return std::string(tail);
  }
  return cut_to(std::string(tails.back()), room, width);
}

std::string cut_to(const std::string& text, float room, const TextWidth& width) {
  if (width(text) <= room) return text;
  const std::string_view front = front_that_fits(text, room - width("..."), width);
  return front.size() < kLeastLetters ? "" : std::string(front) + "...";
}

std::string wrapped_to(std::string_view text, float room, const TextWidth& width) {
  const std::string kept = unbroken(text);
  std::vector<std::string> lines;
  for (std::size_t from = 0; from <= kept.size();) {
    const std::size_t end = std::min(kept.find('\n', from), kept.size());
    add_line(lines, kept.substr(from, end - from), room, width);
    from = end + 1;
  }
  std::string out;
  for (const std::string& line : lines) out += with_blanks(line) + "\n";
  out.pop_back();
  return out;
}

}  // namespace stepscope::viewer
