// SPDX-License-Identifier: Apache-2.0
#include "cli/output/output.hpp"

#include <langinfo.h>
#include <unistd.h>

#include <clocale>
#include <cstdlib>
#include <string_view>

namespace stepscope {
namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool locale_is_utf8() {
  std::setlocale(LC_CTYPE, "");
  return std::string_view(nl_langinfo(CODESET)) == "UTF-8";
}

}  // namespace

Style style_for(bool to_terminal) {
  const bool wanted = environment("NO_COLOR").empty() && environment("TERM") != "dumb";
  return {.colour = to_terminal && wanted,
          .unicode = locale_is_utf8(),
          .whole_names = !to_terminal && environment("COLUMNS").empty()};
}

bool stdout_is_terminal() {
  return isatty(STDOUT_FILENO) != 0;
}
bool stderr_is_terminal() {
  return isatty(STDERR_FILENO) != 0;
}

}  // namespace stepscope
