// SPDX-License-Identifier: Apache-2.0
#include "cli/output/whole_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

namespace stepscope {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kPlainPermissions = 0666;  // less the umask, as fopen gives them

Error cannot(const std::string& target, const char* what) {
  return io_error(fmt::format("{}: {}: {}; choose another place with -o FILE", target, what,
                              std::strerror(errno)));
}

// The file that links lead to; the path itself where nothing is there yet.
std::string followed(const std::string& path) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(path, error);
  return error || real.empty() ? path : real.string();
}

mode_t permissions_for(const std::string& target) {
  struct stat info {};
  if (stat(target.c_str(), &info) == 0) return info.st_mode & 07777;
  const mode_t mask = umask(0);
  umask(mask);
  return kPlainPermissions & ~mask;
}

}  // namespace

Status refuse_input(const std::string& target, std::span<const std::string> inputs) {
  struct stat out {};
  if (target.empty() || stat(target.c_str(), &out) != 0 || !S_ISREG(out.st_mode)) return Done{};
  for (const std::string& input : inputs) {
    struct stat in {};
    if (stat(input.c_str(), &in) == 0 && in.st_dev == out.st_dev && in.st_ino == out.st_ino)
      return usage_error(fmt::format(
          "{}: is the file that is read, which would be lost; choose another place to write to",
          target));
  }
  return Done{};
}

Result<WholeFile> WholeFile::open(const std::string& given) {
  const std::string target = followed(given);
  struct stat info {};
  const bool there = stat(target.c_str(), &info) == 0;
  if (there && !S_ISREG(info.st_mode))
    return io_error(given + ": is there and is no file; choose another place with -o FILE");
  if (there && access(target.c_str(), W_OK) != 0) return cannot(given, "cannot be written");
  std::string path = target + ".XXXXXX";
  const int file = mkstemp(path.data());
  if (file < 0) return cannot(given, "cannot be written");
  // Some file systems (FAT, a few network ones) keep no permissions; the file counts more.
  [[maybe_unused]] const int kept = fchmod(file, permissions_for(target));
  close(file);
  return WholeFile(given, target, path);
}

WholeFile::WholeFile(std::string given, std::string target, std::string path)
    : given_(std::move(given)), target_(std::move(target)), path_(std::move(path)) {}

WholeFile::WholeFile(WholeFile&& other) noexcept
    : given_(std::move(other.given_)),
      target_(std::move(other.target_)),
      path_(std::exchange(other.path_, {})) {}

WholeFile::~WholeFile() {
  if (!path_.empty()) unlink(path_.c_str());
}

Status WholeFile::take_place() {
  if (std::rename(path_.c_str(), target_.c_str()) != 0) return cannot(given_, "cannot be replaced");
  path_.clear();
  return Done{};
}

std::string repository_root() {
  const char* workspace = std::getenv("GITHUB_WORKSPACE");
  if (workspace != nullptr && *workspace != '\0') return workspace;
  std::error_code error;
  return std::filesystem::current_path(error).string();
}

}  // namespace stepscope
