// SPDX-License-Identifier: Apache-2.0
// A regular expression of the user (ECMAScript), searched in names of events: --step-marker,
// --phase.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/support/result.hpp"

namespace stepscope {

class NamePattern {
 public:
  // `option` is named by the error where the text is no regular expression.
  static Result<NamePattern> compile(std::string_view option, const std::string& text);

  // Searched in the first 512 characters: the search recurses by the length of the name.
  bool is_in(std::string_view name) const;

 private:
  struct Compiled;
  explicit NamePattern(std::shared_ptr<const Compiled> compiled) : compiled_(std::move(compiled)) {}
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace stepscope
