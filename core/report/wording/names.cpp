// SPDX-License-Identifier: Apache-2.0
#include "core/report/wording/numbers.hpp"

#include <cctype>

namespace stepscope {
namespace {

bool is_name_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

void erase_all(std::string& text, std::string_view part) {
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at)) {
    text.erase(at, part.size());
  }
}

// "at::native::f<std::array<char*, 3>>" -> "f<array<char*, 3>>"
std::string without_namespaces(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "::") != 0) {
      out += text[i];
      continue;
    }
    while (!out.empty() && is_name_char(out.back())) out.pop_back();
    ++i;
  }
  return out;
}

// The end of the name and its template arguments: the "(" that opens the parameter list.
std::size_t parameters_begin(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<') ++depth;
    if (text[i] == '>') --depth;
    if (text[i] == '(' && depth <= 0 && i > 0) return i;
  }
  return text.size();
}

// "void f<int, 4>" -> "f<int, 4>": what stands before the last blank outside brackets.
std::string_view without_return_type(std::string_view text) {
  int depth = 0;
  for (std::size_t i = text.size(); i-- > 0;) {
    if (text[i] == '>') ++depth;
    if (text[i] == '<') --depth;
    if (text[i] == ' ' && depth == 0) return text.substr(i + 1);
  }
  return text;
}

// cutlass::Kernel2<the kernel> -> the kernel
void unwrap(std::string& text) {
  for (const std::string_view wrapper : {"Kernel2<", "Kernel<"}) {
    if (!text.starts_with(wrapper) || !text.ends_with('>')) continue;
    text = text.substr(wrapper.size(), text.size() - wrapper.size() - 1);
  }
}

}  // namespace

std::string direction_text(Direction direction) {
  return direction == Direction::none ? "" : " " + std::string(name_of(direction));
}

std::string short_kernel_name(std::string_view name) {
  constexpr std::string_view kBecame = " -> ";
  if (const auto arrow = name.find(kBecame); arrow != std::string_view::npos)
    return short_kernel_name(name.substr(0, arrow)) + std::string(kBecame) +
           short_kernel_name(name.substr(arrow + kBecame.size()));
  std::string text(name);
  erase_all(text, "(anonymous namespace)::");
  const std::size_t parameters = parameters_begin(text);
  if (text.starts_with("Mem") || (parameters == text.size() && !text.ends_with('>'))) return text;
  text.resize(parameters);
  while (text.ends_with(' ')) text.pop_back();
  text = without_namespaces(without_return_type(text));
  unwrap(text);
  return text;
}

std::string shortened(std::string_view name, std::size_t most) {
  std::size_t characters = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if ((static_cast<unsigned char>(name[i]) & 0xc0U) == 0x80U) continue;
    if (characters++ == most) return std::string(name.substr(0, i)) + "…";
  }
  return std::string(name);
}

}  // namespace stepscope
