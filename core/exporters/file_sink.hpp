// SPDX-License-Identifier: Apache-2.0
// A file that is written in order through a buffer. A failure is remembered and returned by
// finish().
#pragma once

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include "core/support/result.hpp"

namespace stepscope::exporting {

class FileSink {
 public:
  explicit FileSink(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "wb")) {
    if (file_ == nullptr) error_ = errno;
  }
  ~FileSink() {
    if (file_ != nullptr) std::fclose(file_);
  }
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;

  void write(std::string_view bytes) {
    buffer_ += bytes;
    if (buffer_.size() >= kBlock_bytes) flush();
  }
  bool failed() const { return error_ != 0; }

  Status finish() {
    flush();
    if (file_ != nullptr && std::fclose(file_) != 0 && error_ == 0) error_ = errno;
    file_ = nullptr;
    if (error_ == 0) return Done{};
    return io_error(path_ + ": writing failed: " + std::strerror(error_) +
                    "; choose another place with -o FILE");
  }

 private:
  static constexpr std::size_t kBlock_bytes = std::size_t{1} << 20U;

  void flush() {
    if (file_ != nullptr && error_ == 0 &&
        std::fwrite(buffer_.data(), 1, buffer_.size(), file_) != buffer_.size())
      error_ = errno == 0 ? EIO : errno;
    buffer_.clear();
  }

  std::string path_;
  std::FILE* file_;
  std::string buffer_;
  int error_ = 0;
};

}  // namespace stepscope::exporting
