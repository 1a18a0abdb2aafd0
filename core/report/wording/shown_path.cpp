// SPDX-License-Identifier: Apache-2.0
#include "core/report/wording/shown_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/summary/run_folder.hpp"
#include "core/support/short_file.hpp"

namespace stepscope {
namespace {

// The first word, which may be quoted, without its folders.
std::string without_folders(std::string_view program) {
  const bool quoted = program.starts_with('\'');
  const std::size_t name = program.rfind('/');
  if (name == std::string_view::npos) return std::string(program);
  return (quoted ? "'" : "") + std::string(program.substr(name + 1));
}

std::size_t end_of_first_word(std::string_view command) {
  if (!command.starts_with('\'')) return std::min(command.find(' '), command.size());
  const std::size_t quote = command.find('\'', 1);
  return quote == std::string_view::npos ? command.size() : quote + 1;
}

}  // namespace

std::string shown_file(std::string_view file, std::string_view folder) {
  if (std::string cell = notebook_cell(file); !cell.empty()) return cell;
  std::string shown = path_below(file, folder);
  for (const char* packages : {"/site-packages/", "/dist-packages/"}) {
    const std::size_t at = shown.rfind(packages);
    if (at != std::string::npos) return shown.substr(at + std::string_view(packages).size());
  }
  return shown;
}

std::string shown_file(std::string_view file, const RunFacts& run) {
  return shown_file(file, folder_of(run));
}

std::string shown_file(std::string_view file, const Comparison& comparison) {
  return shown_file(shown_file(file, comparison.b.run), comparison.a.run);
}

std::string shown_command(const RunFacts& run) {
  const std::string_view command = run.command;
  const std::size_t end = end_of_first_word(command);
  std::string shown = without_folders(command.substr(0, end));
  const std::string folder = std::string(folder_of(run)) + "/";
  for (std::size_t at = end; at < command.size();) {
    const bool word_begins = std::string_view(" '\"=").find(command[at - 1]) != std::string::npos;
    if (folder.size() > 1 && word_begins && command.substr(at).starts_with(folder)) {
      at += folder.size();
    } else {
      shown += command[at++];
    }
  }
  return shown;
}

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
