// SPDX-License-Identifier: Apache-2.0
#include "core/store/reader/file_mark.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <vector>

#include "core/store/format.hpp"

namespace stepscope::store {
namespace {

class Marker {
 public:
  explicit Marker(const std::filesystem::path& path) : file_(path, std::ios::binary) {}

  Result<FileMark> mark(const std::filesystem::path& path) {
    file_.seekg(0, std::ios::end);
    const auto end = static_cast<std::int64_t>(file_.tellg());
    if (!file_ || end < 0) return io_error("cannot read " + path.string());
    size_ = static_cast<std::uint64_t>(end);
    std::uint64_t at = after_file_header();
    while (const std::uint64_t length = chunk_at(at)) at += length;
    read_the_rest(at);
    if (!file_) return io_error("cannot read " + path.string());
    return FileMark{path.filename().string(), size_, crc32c(seen_.data(), seen_.size())};
  }

 private:
  // False where the file ends before that.
  bool read(std::uint64_t at, std::uint64_t bytes, std::uint8_t* into) {
    if (at > size_ || size_ - at < bytes) return false;
    file_.seekg(static_cast<std::streamoff>(at));
    file_.read(reinterpret_cast<char*>(into), static_cast<std::streamsize>(bytes));
    return static_cast<bool>(file_);
  }

  std::uint64_t after_file_header() {
    std::array<std::uint8_t, kFileHeaderBytes> header{};
    if (!read(0, header.size(), header.data()) ||
        !std::equal(kFileMagic.begin(), kFileMagic.end(), header.begin()))
      return 0;
    seen_.insert(seen_.end(), header.begin(), header.end());
    return std::max<std::uint64_t>(kFileHeaderBytes, load_as<std::uint32_t>(header.data() + 12));
  }

  // Returns the length of the chunk; 0: no chunk lies there whole.
  std::uint64_t chunk_at(std::uint64_t at) {
    std::array<std::uint8_t, kChunkHeaderBytes> header{};
    if (!read(at, header.size(), header.data()) ||
        !std::equal(kChunkMagic.begin(), kChunkMagic.end(), header.begin()))
      return 0;
    const std::uint64_t length = kChunkHeaderBytes + load_as<std::uint32_t>(header.data() + 8);
    if (length > size_ - at) return 0;
    seen_.insert(seen_.end(), header.begin(), header.end());
    return length;
  }

  void read_the_rest(std::uint64_t at) {
    std::vector<std::uint8_t> block;
    for (; at < size_; at += block.size()) {
      block.resize(std::min<std::uint64_t>(std::uint64_t{1} << 20U, size_ - at));
      if (!read(at, block.size(), block.data())) return;
      const std::uint32_t crc = crc32c(block.data(), block.size());
      const auto* bytes = reinterpret_cast<const std::uint8_t*>(&crc);
      seen_.insert(seen_.end(), bytes, bytes + sizeof crc);
    }
  }

  std::ifstream file_;
  std::uint64_t size_ = 0;
  std::vector<std::uint8_t> seen_;
};

}  // namespace

Result<FileMark> mark_of_file(const std::filesystem::path& path) {
  return Marker(path).mark(path);
}

}  // namespace stepscope::store
