// SPDX-License-Identifier: Apache-2.0
#include "cli/output.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace stepscope {
namespace {

bool is_special(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode);
}

}  // namespace

Output::Output(std::string path, std::string temporary, std::FILE* file)
    : path_(std::move(path)), temporary_(std::move(temporary)), file_(file) {}

Output::Output(Output&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      file_(std::exchange(other.file_, nullptr)) {}

Output::~Output() {
  if (file_ != nullptr && file_ != stdout) std::fclose(file_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

Error Output::failed(const char* what) const {
  const std::string name = is_stdout() ? "standard output" : path_;
  return io_error(fmt::format("{}: {}: {}; choose another place with -o FILE", name, what,
                              std::strerror(errno)));
}

Result<Output> Output::open(const std::string& path) {
  if (path.empty()) return Output({}, {}, stdout);
  const std::string temporary = is_special(path) ? "" : fmt::format("{}.{}.tmp", path, getpid());
  Output out(path, {}, std::fopen((temporary.empty() ? path : temporary).c_str(), "wb"));
  if (out.file_ == nullptr) return out.failed("cannot be written");
  out.temporary_ = temporary;
  return out;
}

Status Output::finish(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), file_) == text.size();
  if (!written || std::fflush(file_) != 0) return failed("writing failed");
  if (file_ == stdout) return Done{};
  if (!temporary_.empty() && fsync(fileno(file_)) != 0) return failed("writing failed");
  if (std::fclose(std::exchange(file_, nullptr)) != 0) return failed("writing failed");
  if (temporary_.empty()) return Done{};
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) return failed("cannot be replaced");
  temporary_.clear();
  return Done{};
}

}  // namespace stepscope
