// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/common/tensor_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <torch/csrc/jit/serialization/pickle.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

#include "reference_trainers/common/checksum.hpp"

namespace stepscope::trainers {
namespace {

constexpr const char* kChecksum = "checksum";

Error failed(const std::string& kind, const std::string& path, const char* what,
             int number = errno) {
  return bad_input(fmt::format("{} {}: {}: {}", kind, path, what, std::strerror(number)));
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

std::uint64_t checksum_of(const at::Tensor& tensor) {
  const at::Tensor host = tensor.detach().cpu().contiguous();
  const at::IntArrayRef sizes = host.sizes();
  const auto type = static_cast<std::uint64_t>(host.scalar_type());
  return checksum(host.const_data_ptr(), host.nbytes(),
                  checksum(sizes.data(), 8 * sizes.size(), type));
}

// Returns the checksum of everything but the checksum itself; a dictionary has no order.
std::int64_t checksum_of(const Dictionary& all) {
  std::uint64_t sum = 0;
  for (const auto& entry : all) {
    const std::string name = entry.key().isString() ? entry.key().toStringRef() : "";
    if (name == kChecksum) continue;
    const c10::IValue& value = entry.value();
    const std::uint64_t of = value.isTensor() ? checksum_of(value.toTensor()) : 0;
    const std::string other = value.isString() ? value.toStringRef()
                              : value.isInt()  ? std::to_string(value.toInt())
                                               : "";
    sum += checksum(other.data(), other.size(), checksum(name.data(), name.size(), of));
  }
  return static_cast<std::int64_t>(sum);
}

Result<std::vector<char>> bytes_of(const std::string& kind, const std::string& path) {
  std::error_code problem;
  const std::uintmax_t size = std::filesystem::file_size(path, problem);
  if (problem) return failed(kind, path, "cannot be opened", problem.value());
  std::ifstream file(path, std::ios::binary);
  if (!file) return failed(kind, path, "cannot be opened");
  std::vector<char> bytes(size);
  if (!file.read(bytes.data(), static_cast<std::streamsize>(size)))
    return failed(kind, path, "cannot be read");
  return bytes;
}

Error damaged(const std::string& kind, const std::string& path) {
  return bad_input(fmt::format("{} {}: it is damaged, or no {} of a trainer", kind, path, kind));
}

Status check_whole(const std::string& kind, const std::string& path, const Dictionary& all) {
  const c10::IValue* checksum = find(all, kChecksum);
  if (checksum == nullptr || !checksum->isInt())
    return bad_input(fmt::format(
        "{} {}: it has no checksum: it is damaged, or not written by this version", kind, path));
  if (checksum->toInt() == checksum_of(all)) return Done{};
  return bad_input(
      fmt::format("{} {}: it is damaged: its checksum is not that of its contents", kind, path));
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
  const Dictionary with_checksum = all.copy();
  with_checksum.insert(c10::IValue(kChecksum), c10::IValue(checksum_of(all)));
  const std::vector<char> bytes = torch::jit::pickle_save(with_checksum);
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
  const Result<std::vector<char>> bytes = bytes_of(kind, path);
  if (!bytes) return bytes.error();
  try {
    const c10::IValue value = torch::jit::pickle_load(*bytes);
    if (!value.isGenericDict()) return damaged(kind, path);
    Dictionary all = value.toGenericDict();
    if (const Status whole = check_whole(kind, path, all); !whole) return whole.error();
    return all;
  } catch (const std::exception&) {  // LibTorch's text has its own source lines
    return damaged(kind, path);
  }
}

}  // namespace stepscope::trainers
