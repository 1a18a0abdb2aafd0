// SPDX-License-Identifier: Apache-2.0
#include "core/report/wording/shown_path.hpp"

#include <fmt/format.h>

#include <cctype>

namespace stepscope {

std::string path_below(std::string_view file, std::string_view root) {
  while (root.ends_with('/')) root.remove_suffix(1);
  if (!root.empty() && file.starts_with(root) && file.size() > root.size() + 1 &&
      file[root.size()] == '/')
    return std::string(file.substr(root.size() + 1));
  while (file.starts_with("./")) file.remove_prefix(2);
  return std::string(file);
}

std::string uri_of(std::string_view path) {
  constexpr std::string_view kPlain = "-._~/";  // beside letters and digits (RFC 3986)
  std::string out = path.starts_with('/') ? "file://" : "";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte < 128 && (std::isalnum(byte) != 0 || kPlain.find(c) != kPlain.npos);
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return out;
}

}  // namespace stepscope
