// SPDX-License-Identifier: Apache-2.0
#include "core/support/short_file.hpp"

#include <algorithm>

namespace stepscope {
namespace {

std::string_view digits_at(std::string_view text, std::size_t at) {
  return text.substr(at, std::min(text.find_first_not_of("0123456789", at), text.size()) - at);
}

}  // namespace

std::string notebook_cell(std::string_view file) {
  constexpr std::string_view kNumbered = "<ipython-input-", kFolder = "/ipykernel_";
  constexpr std::size_t kShown = 4;
  if (file.starts_with(kNumbered)) {
    const std::string_view number = digits_at(file, kNumbered.size());
    return number.empty() ? "" : "cell [" + std::string(number) + "]";
  }
  const std::size_t name = file.rfind('/');
  if (name == std::string_view::npos || file.find(kFolder) == std::string_view::npos) return "";
  const std::string_view hash = digits_at(file, name + 1);
  if (hash.size() < kShown || file.substr(name + 1 + hash.size()) != ".py") return "";
  return "notebook cell " + std::string(hash.substr(hash.size() - kShown));
}

std::string short_file(std::string_view file) {
  std::string cell = notebook_cell(file);
  return cell.empty() ? std::string(file.substr(file.rfind('/') + 1)) : cell;  // npos + 1 is 0
}

}  // namespace stepscope
