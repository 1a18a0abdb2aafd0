// SPDX-License-Identifier: Apache-2.0
#include "reports/github/workflow_command.hpp"

#include <fmt/format.h>

#include "reports/markup/markup.hpp"

namespace stepscope::github {
namespace {

std::string command(const char* level, const Annotation& one) {
  std::string place;
  if (!one.file.empty()) place = "file=" + escaped_property(one.file) + ",";
  if (!one.file.empty() && one.line > 0) place += fmt::format("line={},", one.line);
  return fmt::format("::{} {}title={}::{}\n", level, place, escaped_property(one.title),
                     escaped_message(one.message));
}

}  // namespace

std::string escaped_message(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    if (c == '%') out += "%25";
    if (c == '\r') out += "%0D";
    if (c == '\n') out += "%0A";
    if (c != '%' && c != '\r' && c != '\n') out += c;
  }
  return out;
}

std::string escaped_property(std::string_view text) {
  std::string out;
  for (const char c : escaped_message(text)) {
    if (c == ':') out += "%3A";
    if (c == ',') out += "%2C";
    if (c != ':' && c != ',') out += c;
  }
  return out;
}

std::string commands(const char* level, const std::vector<Annotation>& all, std::size_t most,
                     std::string_view tool) {
  const std::size_t shown = all.size() <= most ? all.size() : most - 1;
  std::string out;
  for (std::size_t i = 0; i < shown; ++i) out += command(level, all[i]);
  if (shown == all.size()) return out;
  std::string names;
  for (std::size_t i = shown; i < all.size(); ++i)
    names += (names.empty() ? "" : ", ") + all[i].name;
  return out + command(level, {.title = std::string(tool),
                               .message = fmt::format("{} more: {}", all.size() - shown, names)});
}

}  // namespace stepscope::github
