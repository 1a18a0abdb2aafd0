// SPDX-License-Identifier: Apache-2.0
#include "core/summary/rows/operation_rows.hpp"

namespace stepscope {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f');
}

std::string without_numbers(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (!is_digit(c)) {
      out += c;
    } else if (out.empty() || out.back() != '#') {
      out += '#';
    }
  }
  return out;
}

// "<built-in method astype of numpy.ndarray object at 0x7fdfbd6c1a10>": the address is another in
// each run.
void erase_addresses(std::string& name) {
  constexpr std::string_view kMark = " at 0x";
  for (auto at = name.find(kMark); at != std::string::npos; at = name.find(kMark, at)) {
    auto end = at + kMark.size();
    while (end < name.size() && is_hex(name[end])) ++end;
    name.erase(at, end - at);
  }
}

// "train.py(147): load": the line is the row's own, and moves when the file is edited above it.
void erase_line(std::string& name) {
  const auto close = name.find("): ");
  if (close == std::string::npos) return;
  auto open = close;
  while (open > 0 && is_digit(name[open - 1])) --open;
  if (open == 0 || open == close || name[open - 1] != '(') return;
  name.erase(open - 1, close + 1 - (open - 1));
}

}  // namespace

std::string operation_name(std::string_view name, bool is_annotation) {
  if (is_annotation) return without_numbers(name);
  std::string out(name);
  erase_addresses(out);
  erase_line(out);
  return out;
}

}  // namespace stepscope
