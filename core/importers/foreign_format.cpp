// SPDX-License-Identifier: Apache-2.0
#include "core/importers/load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "core/importers/byte_source.hpp"

namespace stepscope {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kHeadBytes = 512;

struct Format {
  std::size_t at = 0;
  std::string_view bytes;
  std::string_view what;  // it is, and what to do
};

constexpr std::array kFormats = {
    Format{0, "\x28\xb5\x2f\xfd"sv, "compressed with zstd: unpack it with zstd -d"},
    Format{0, "\x1f\x8b"sv, "compressed with gzip once more: unpack it once with gunzip"},
    Format{0, "PK\x03\x04"sv, "a zip archive: unpack it with unzip, and give the trace in it"},
    Format{0, "BZh"sv, "compressed with bzip2: unpack it with bunzip2"},
    Format{0,
           "\xfd"
           "7zXZ"sv,
           "compressed with xz: unpack it with unxz"},
    Format{0, "\x04\x22\x4d\x18"sv, "compressed with lz4: unpack it with lz4 -d"},
    Format{257, "ustar"sv, "a tar archive: unpack it with tar -xf, and give the trace in it"},
    Format{0, "version https://git-lfs"sv,
           "a pointer of Git LFS in place of the file: fetch that with git lfs pull"},
    Format{0, "<!DOCTYPE"sv, "a web page: was the trace downloaded with its address alone?"},
    Format{0, "<html"sv, "a web page: was the trace downloaded with its address alone?"},
    Format{0, "\xff\xfe"sv, "text in UTF-16: convert it with iconv -f UTF-16 -t UTF-8"},
    Format{0, "\xfe\xff"sv, "text in UTF-16: convert it with iconv -f UTF-16 -t UTF-8"},
    Format{0, "\x80\x02"sv, "a pickle of Python, such as a memory snapshot, which is no trace"},
    Format{0, "\x80\x03"sv, "a pickle of Python, such as a memory snapshot, which is no trace"},
    Format{0, "\x80\x04"sv, "a pickle of Python, such as a memory snapshot, which is no trace"},
    Format{0, "\x80\x05"sv, "a pickle of Python, such as a memory snapshot, which is no trace"},
};

// The first bytes of the content; fewer where it is shorter or cannot be read.
std::string first_bytes(importers::ByteSource& source) {
  std::string out(kHeadBytes, '\0');
  std::size_t filled = 0;
  while (filled < out.size()) {
    const Result<std::size_t> got = source.read(out.data() + filled, out.size() - filled);
    if (!got.ok() || *got == 0) break;
    filled += *got;
  }
  out.resize(filled);
  return out;
}

}  // namespace

std::optional<Error> foreign_format_error(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return {};
  const Result<std::unique_ptr<importers::ByteSource>> source = importers::open_bytes(path);
  if (!source.ok()) return {};
  const std::string head = first_bytes(**source);
  const auto found = std::find_if(kFormats.begin(), kFormats.end(), [&](const Format& format) {
    return head.size() > format.at &&
           std::string_view(head).substr(format.at).starts_with(format.bytes);
  });
  if (found == kFormats.end()) return {};
  return bad_input(fmt::format("{} is {}{}", path.string(),
                               (*source)->compressed() ? "within gzip " : "", found->what));
}

}  // namespace stepscope
