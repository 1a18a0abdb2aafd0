// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/tensor_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <torch/csrc/jit/serialization/pickle.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <vector>

namespace stepscope::clt {
namespace {

Error failed(const std::string& kind, const std::string& path, const char* what) {
  return bad_input(fmt::format("{} {}: {}: {}", kind, path, what, std::strerror(errno)));
}

// Closes the file in every case.
bool write_all(int file, const std::vector<char>& bytes) {
  std::size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t count = write(file, bytes.data() + written, bytes.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    written += static_cast<std::size_t>(count);
  }
  const bool good = written == bytes.size() && fsync(file) == 0;
  const int error = errno;
  const bool closed = close(file) == 0;
  if (!good) errno = error;
  return good && closed;
}

}  // namespace

Dictionary empty_dictionary() {
  return Dictionary(c10::AnyType::get(), c10::AnyType::get());
}

const c10::IValue* find(const Dictionary& all, const std::string& name) {
  const auto found = all.find(c10::IValue(name));
  return found == all.end() ? nullptr : &found->value();
}

Status check_writable(const std::string& kind, const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code none;
  const bool taken = std::filesystem::is_directory(path, none);
  if (taken) errno = EISDIR;
  if (taken || access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) != 0)
    return failed(kind, path, "cannot be written");
  return Done{};
}

Status write_tensor_file(const std::string& kind, const std::string& path, const Dictionary& all,
                         const std::function<void()>& on_disk) {
  const std::vector<char> bytes = torch::jit::pickle_save(all);
  const std::string partial = path + ".partial";
  const int file = open(partial.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) return failed(kind, path, "cannot be written");
  const bool written = write_all(file, bytes);
  if (written && on_disk) on_disk();
  if (written && std::rename(partial.c_str(), path.c_str()) == 0) return Done{};
  const Error error = failed(kind, path, "cannot be written");
  (void)unlink(partial.c_str());
  return error;
}

Result<Dictionary> read_tensor_file(const std::string& kind, const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return failed(kind, path, "cannot be opened");
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  try {
    const c10::IValue value = torch::jit::pickle_load(bytes);
    if (value.isGenericDict()) return value.toGenericDict();
  } catch (const std::exception&) {  // said below: LibTorch's text has its own source lines
  }
  return bad_input(fmt::format("{} {}: it is damaged, or no {} of train_clt", kind, path, kind));
}

}  // namespace stepscope::clt
