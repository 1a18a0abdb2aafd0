// SPDX-License-Identifier: Apache-2.0
#include "core/store/reader/file_bytes.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace stepscope::store {
namespace {

struct OpenFile {
  int fd;
  ~OpenFile() {
    if (fd >= 0) ::close(fd);
  }
};

Error failed(const char* what, const std::filesystem::path& path) {
  return io_error(std::string("cannot ") + what + " " + path.string() + ": " +
                  std::strerror(errno));
}

}  // namespace

Result<FileBytes> FileBytes::read(const std::filesystem::path& path, std::size_t limit) {
  const OpenFile file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.fd < 0) return failed("open", path);
  struct stat facts {};
  if (::fstat(file.fd, &facts) != 0) return failed("inspect", path);
  if (!S_ISREG(facts.st_mode)) return io_error(path.string() + " is not a file");
  FileBytes out;
  const std::size_t size = std::min(limit, static_cast<std::size_t>(facts.st_size));
  out.bytes_ = std::make_unique_for_overwrite<std::uint8_t[]>(size);
  while (out.size_ < size) {
    const ssize_t got = ::read(file.fd, out.bytes_.get() + out.size_, size - out.size_);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed("read", path);
    if (got == 0) break;  // it has shrunk meanwhile
    out.size_ += static_cast<std::size_t>(got);
  }
  return out;
}

}  // namespace stepscope::store
