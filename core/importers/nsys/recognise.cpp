// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <string_view>

#include "core/importers/byte_source.hpp"
#include "core/importers/nsys/nsys.hpp"

namespace stepscope {
namespace {

constexpr std::string_view kSqliteMagic("SQLite format 3\0", 16);

// The first bytes of the content; fewer where the file is shorter or cannot be read.
std::string content_head(const std::filesystem::path& path, std::size_t size) {
  Result<std::unique_ptr<importers::ByteSource>> source = importers::open_bytes(path);
  if (!source.ok()) return "";
  std::string head(size, '\0');
  std::size_t filled = 0;
  while (filled < size) {
    const Result<std::size_t> got = (*source)->read(head.data() + filled, size - filled);
    if (!got.ok() || *got == 0) break;
    filled += *got;
  }
  head.resize(filled);
  return head;
}

}  // namespace

bool is_nsys_report(const std::filesystem::path& path) {
  const std::string kind = path.extension().string();
  return kind == ".nsys-rep" || kind == ".qdrep" || kind == ".qdstrm";
}

Error nsys_report_error(const std::filesystem::path& path) {
  const std::string file = path.string();
  return {
      ErrorCode::unsupported,
      fmt::format("{}: a report in Nsight Systems' own format, which only nsys can read. Export "
                  "it, then give the new file: nsys export --type sqlite --output {}.sqlite {}",
                  file, path.stem().string(), file)};
}

bool sniff_nsys(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  return content_head(path, kSqliteMagic.size()) == kSqliteMagic || is_nsys_report(path);
}

}  // namespace stepscope
