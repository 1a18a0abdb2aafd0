// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/common/first_line.hpp"

#include <string_view>

namespace stepscope::trainers {

std::string first_line(const std::exception& thrown) {
  const std::string_view text = thrown.what();
  const std::size_t begin = text.find_first_not_of('\n');
  if (begin == std::string_view::npos) return "an exception without a message";
  return std::string(text.substr(begin, text.find('\n', begin) - begin));
}

}  // namespace stepscope::trainers
