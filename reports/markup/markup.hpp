// SPDX-License-Identifier: Apache-2.0
// Text that is HTML or SVG already, as a type of its own: names out of a trace become markup only
// by text() or as an attribute's value, both of which escape, so that nothing in a trace can open a
// tag.
//
// What is not UTF-8, and control characters that a page may not hold, become U+FFFD.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stepscope {

class Markup {
 public:
  Markup() = default;
  // Markup that the writer itself wrote: a literal, never a name out of a trace.
  template <std::size_t N>
  explicit Markup(const char (&literal)[N]) : text_(literal, N - 1) {}
  static Markup trusted(std::string text);  // a file of reports/html/assets

  Markup& operator+=(const Markup& other) {
    text_ += other.text_;
    return *this;
  }
  friend Markup operator+(Markup a, const Markup& b) { return a += b; }

  const std::string& str() const { return text_; }
  bool empty() const { return text_.empty(); }

 private:
  std::string text_;
};

Markup text(std::string_view unescaped);

using Attributes = std::vector<std::pair<std::string_view, std::string>>;

// <name a="1">content</name>; an attribute with an empty value is left out.
Markup element(std::string_view name, const Attributes& attributes, const Markup& content);
Markup element(std::string_view name, const Markup& content);
// <name a="1"/>: for elements that hold nothing.
Markup empty_element(std::string_view name, const Attributes& attributes);

// Valid UTF-8 without control characters but tab and newline.
std::string printable(std::string_view bytes);

}  // namespace stepscope
