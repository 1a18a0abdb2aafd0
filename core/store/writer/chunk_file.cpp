// SPDX-License-Identifier: Apache-2.0
#include "core/store/writer/chunk_file.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "core/store/format.hpp"

namespace stepscope::store {
namespace {

Error failed(const char* what, const std::string& path, int error) {
  const bool is_full = error == ENOSPC || error == EDQUOT;
  std::string message =
      std::string(is_full ? "disk full: " : "") + what + " " + path + ": " + std::strerror(error);
  if (is_full) message += "; free some space or give another folder with -o";
  if (error == EACCES || error == EROFS) message += "; give a folder that is writable with -o";
  return io_error(std::move(message));
}

// Whether the process may make its file so much longer. Beyond RLIMIT_FSIZE a write is answered by SIGXFSZ, which ends
// the program that is watched.
bool may_grow(int fd, std::size_t bytes) {
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return true;
  const off_t end = lseek(fd, 0, SEEK_CUR);
  return end < 0 || static_cast<rlim_t>(end) + bytes <= limit.rlim_cur;
}

// Returns 0, or the errno. A short write (a signal, a nearly full disk) is continued.
int write_fully(int fd, const std::uint8_t* at, std::size_t bytes) {
  if (!may_grow(fd, bytes)) return EFBIG;
  while (bytes > 0) {
    const ssize_t done = ::write(fd, at, bytes);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return done < 0 ? errno : ENOSPC;
    at += done;
    bytes -= static_cast<std::size_t>(done);
  }
  return 0;
}

// Unlike that of any other writer of the same file: by the time and the process.
std::uint32_t new_session() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  const std::uint64_t words[] = {static_cast<std::uint64_t>(now.tv_sec),
                                 static_cast<std::uint64_t>(now.tv_nsec),
                                 static_cast<std::uint64_t>(getpid())};
  return crc32c(words, sizeof words) | 2U;  // never 1, the session of create()
}

void put_file_header(ByteSink& out) {
  const std::size_t start = out.size();
  out.put_bytes(kFileMagic.data(), kFileMagic.size());
  out.put(kMajorVersion);
  out.put(kMinorVersion);
  out.put(static_cast<std::uint32_t>(kFileHeaderBytes));
  out.put(std::uint32_t{0});
  out.put(crc32c(out.data() + start, kFileHeaderBytes - 4));
}

void store_chunk_header(ChunkHeader& header, std::uint8_t* at) {
  std::memset(at, 0, kChunkHeaderBytes);
  std::memcpy(at, kChunkMagic.data(), kChunkMagic.size());
  const auto put_all = [&] {
    chunk_header_fields(
        header, [at](int offset, auto& field) { std::memcpy(at + offset, &field, sizeof field); });
  };
  put_all();
  header.header_crc = crc32c(at, kChunkHeaderBytes - 4);
  put_all();
}

}  // namespace

ChunkFile::~ChunkFile() {
  ZSTD_freeCCtx(zstd_);
}

Status ChunkFile::create(const std::string& path, const StoreOptions& options) {
  path_ = path;
  options_ = options;
  const int exists = options.overwrite ? O_TRUNC : O_EXCL;
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | exists, 0644);
  if (!descriptor_.hold(fd)) return failed("cannot create", path, errno);
  needs_header_ = true;
  return Done{};
}

Status ChunkFile::append(const std::string& path, const StoreOptions& options) {
  path_ = path;
  options_ = options;
  session_ = new_session();
  const int fd = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (!descriptor_.hold(fd)) return failed("cannot open", path, errno);
  // Its writer died before the first write, or in it.
  struct stat file {};
  const int held = descriptor_.number();
  if (fstat(held, &file) == 0 && S_ISREG(file.st_mode) &&
      file.st_size < static_cast<off_t>(kFileHeaderBytes)) {
    if (ftruncate(held, 0) != 0) return failed("cannot empty", path, errno);
    needs_header_ = true;
  }
  return Done{};
}

// Leaves the compressed payload after the header's place; false where plain bytes serve better.
bool ChunkFile::compress(const ByteSink& raw, ChunkHeader& header) {
  if (options_.codec != Codec::zstd) return false;
  if (zstd_ == nullptr) zstd_ = ZSTD_createCCtx();
  if (zstd_ == nullptr) return false;
  const std::size_t bound = ZSTD_compressBound(raw.size());
  std::uint8_t* at = encoded_.room(bound);
  const std::size_t size =
      ZSTD_compressCCtx(zstd_, at, bound, raw.data(), raw.size(), options_.zstd_level);
  if (ZSTD_isError(size) || size >= raw.size() || raw.size() > size * kMaxInflation) return false;
  encoded_.advance_to(at + size);
  header.codec = static_cast<std::uint8_t>(Codec::zstd);
  return true;
}

void ChunkFile::encode(ChunkType type, ChunkHeader header, const ByteSink& raw) {
  encoded_.resize_down(0);
  if (needs_header_) put_file_header(encoded_);
  const std::size_t start = encoded_.size();
  encoded_.advance_to(encoded_.room(kChunkHeaderBytes) + kChunkHeaderBytes);
  if (!compress(raw, header)) encoded_.put_bytes(raw.data(), raw.size());
  const std::size_t payload = start + kChunkHeaderBytes;
  header.type = static_cast<std::uint16_t>(type);
  header.stored_bytes = static_cast<std::uint32_t>(encoded_.size() - payload);
  header.raw_bytes = static_cast<std::uint32_t>(raw.size());
  header.session = session_;
  header.sequence = sequence_;
  header.payload_crc = crc32c(encoded_.data() + payload, header.stored_bytes);
  store_chunk_header(header, encoded_.data() + start);
}

Status ChunkFile::write(ChunkType type, ChunkHeader header, const ByteSink& raw) {
  if (!descriptor_.is_held()) return io_error("the store file " + path_ + " is closed");
  if (raw.size() > kMaxRawBytes)
    return usage_error("a batch for " + path_ + " is larger than 64 MiB");
  encode(type, header, raw);
  if (!descriptor_.is_ours() && !descriptor_.reopen(path_.c_str(), O_WRONLY | O_APPEND))
    return failed("the program closed, and there is no opening again of", path_, errno);
  const int fd = descriptor_.number();
  struct stat before {};
  const bool known_size = ::fstat(fd, &before) == 0 && S_ISREG(before.st_mode);
  if (const int error = write_fully(fd, encoded_.data(), encoded_.size()); error != 0) {
    // If this fails, too, a torn tail is left, which the reader leaves out. The write's own error
    // is returned.
    if (known_size && ::ftruncate(fd, before.st_size) != 0) errno = error;
    return failed("cannot write", path_, error);
  }
  needs_header_ = false;
  ++sequence_;
  bytes_ += encoded_.size();
  return Done{};
}

std::uint64_t ChunkFile::next_chunk_at() const {
  struct stat file {};
  const bool known = ::fstat(descriptor_.number(), &file) == 0;
  return std::max(known ? static_cast<std::uint64_t>(file.st_size) : 0,
                  std::uint64_t{kFileHeaderBytes});
}

bool is_whole_chunk(const std::string& path, std::uint64_t at) {
  OwnDescriptor file;
  if (!file.hold(::open(path.c_str(), O_RDONLY | O_CLOEXEC))) return false;
  const auto read_all = [&](std::uint8_t* to, std::size_t bytes, std::uint64_t from) {
    return ::pread(file.number(), to, bytes, static_cast<off_t>(from)) ==
           static_cast<ssize_t>(bytes);
  };
  std::array<std::uint8_t, kChunkHeaderBytes> bytes{};
  if (!read_all(bytes.data(), bytes.size(), at)) return false;
  ChunkHeader header;
  chunk_header_fields(header, [&](int offset, auto& field) {
    std::memcpy(&field, bytes.data() + offset, sizeof field);
  });
  if (!std::equal(kChunkMagic.begin(), kChunkMagic.end(), bytes.begin()) ||
      header.header_crc != crc32c(bytes.data(), kChunkHeaderBytes - 4) ||
      header.stored_bytes > kMaxRawBytes)
    return false;
  std::vector<std::uint8_t> payload(header.stored_bytes);
  return read_all(payload.data(), payload.size(), at + kChunkHeaderBytes) &&
         header.payload_crc == crc32c(payload.data(), payload.size());
}

Status ChunkFile::close() {
  if (descriptor_.close() != 0) return failed("cannot close", path_, errno);
  return Done{};
}

void ChunkFile::abandon() {
  (void)descriptor_.close();
}

}  // namespace stepscope::store
