// SPDX-License-Identifier: Apache-2.0
#include "core/importers/byte_source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

namespace stepscope::importers {
namespace {

class File {
 public:
  File(int descriptor, std::uint64_t bytes) : descriptor_(descriptor), bytes_(bytes) {}
  ~File() { ::close(descriptor_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  std::uint64_t bytes() const { return bytes_; }

  Result<std::size_t> read(char* to, std::size_t size) {
    for (;;) {
      const ssize_t got = ::read(descriptor_, to, size);
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) return io_error(fmt::format("cannot read: {}", std::strerror(errno)));
    }
  }

 private:
  int descriptor_;
  std::uint64_t bytes_;
};

// The bytes that were read to find the kind come first.
class PlainSource final : public ByteSource {
 public:
  PlainSource(std::unique_ptr<File> file, std::string head)
      : file_(std::move(file)), head_(std::move(head)) {}

  Result<std::size_t> read(char* to, std::size_t size) override {
    if (position_ >= head_.size()) return count(file_->read(to, size));
    const std::size_t used = std::min(size, head_.size() - static_cast<std::size_t>(position_));
    std::memcpy(to, head_.data() + position_, used);
    return count(used);
  }

  bool compressed() const override { return false; }
  std::uint64_t file_position() const override { return position_; }
  std::uint64_t file_bytes() const override { return file_->bytes(); }

 private:
  Result<std::size_t> count(Result<std::size_t> got) {
    if (got.ok()) position_ += *got;
    return got;
  }

  std::unique_ptr<File> file_;
  std::string head_;
  std::uint64_t position_ = 0;
};

constexpr int kGzipOnly = 15 + 16;  // window bits of 32 KiB, gzip header and CRC required

class GzipSource final : public ByteSource {
 public:
  explicit GzipSource(std::unique_ptr<ByteSource> file)
      : file_(std::move(file)), input_(std::size_t{256} * 1024) {
    if (inflateInit2(&stream_, kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  ~GzipSource() override { inflateEnd(&stream_); }

  Result<std::size_t> read(char* to, std::size_t size) override {
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = static_cast<uInt>(std::min(size, std::size_t{1} << 30U));
    const uInt wanted = stream_.avail_out;
    while (stream_.avail_out == wanted && !finished_) {
      if (const Status step = inflate_some(); !step.ok()) return step.error();
    }
    return std::size_t{wanted - stream_.avail_out};
  }

  bool compressed() const override { return true; }
  std::uint64_t file_position() const override { return file_->file_position() - stream_.avail_in; }
  std::uint64_t file_bytes() const override { return file_->file_bytes(); }

 private:
  Status inflate_some() {
    if (stream_.avail_in == 0) {
      if (const Status filled = refill(); !filled.ok()) return filled.error();
      if (stream_.avail_in == 0) return at_file_end();
    }
    if (between_members_ && !begins_member()) return Done{};
    const uInt room = stream_.avail_out;
    const int code = inflate(&stream_, Z_NO_FLUSH);
    content_ += room - stream_.avail_out;
    if (code == Z_STREAM_END) {
      between_members_ = true;
      inflateReset(&stream_);
      return Done{};
    }
    if (code == Z_OK || code == Z_BUF_ERROR) return Done{};
    return bad_input(fmt::format(
        "damaged gzip data ({}) at byte {} of the file, byte {} of its content. Copy the "
        "file again from where it was recorded and compare checksums",
        stream_.msg == nullptr ? "unreadable" : stream_.msg, file_position(), content_));
  }

  // Zero bytes may pad a finished member; anything else must begin another one.
  bool begins_member() {
    while (stream_.avail_in > 0 && *stream_.next_in == 0) ++stream_.next_in, --stream_.avail_in;
    between_members_ = stream_.avail_in == 0;
    return !between_members_;
  }

  Status refill() {
    Result<std::size_t> got = file_->read(input_.data(), input_.size());
    if (!got.ok()) return got.error();
    stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
    stream_.avail_in = static_cast<uInt>(*got);
    return Done{};
  }

  Status at_file_end() {
    finished_ = true;
    if (between_members_) return Done{};
    return bad_input(fmt::format(
        "the gzip file ends early, at byte {} of the file, byte {} of its content: it was cut "
        "while it was written or copied. Copy it again, or record the run again",
        file_position(), content_));
  }

  std::unique_ptr<ByteSource> file_;
  std::vector<char> input_;
  z_stream stream_{};
  std::uint64_t content_ = 0;
  bool between_members_ = false;
  bool finished_ = false;
};

Result<std::string> read_head(File& file) {
  std::array<char, 2> head{};
  std::size_t size = 0;
  while (size < head.size()) {
    const Result<std::size_t> got = file.read(head.data() + size, head.size() - size);
    if (!got.ok()) return got.error();
    if (*got == 0) break;
    size += *got;
  }
  return std::string(head.data(), size);
}

}  // namespace

Result<std::unique_ptr<ByteSource>> open_bytes(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return io_error(fmt::format("cannot open: {}", std::strerror(errno)));
  struct stat facts {};
  const bool regular = ::fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode);
  auto file =
      std::make_unique<File>(descriptor, regular ? static_cast<std::uint64_t>(facts.st_size) : 0);
  Result<std::string> head = read_head(*file);
  if (!head.ok()) return head.error();
  const bool gzip = *head == "\x1f\x8b";
  std::unique_ptr<ByteSource> source =
      std::make_unique<PlainSource>(std::move(file), std::move(head).value());
  if (gzip) source = std::make_unique<GzipSource>(std::move(source));
  return source;
}

}  // namespace stepscope::importers
