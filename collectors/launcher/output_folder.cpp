// SPDX-License-Identifier: Apache-2.0
#include "collectors/launcher/output_folder.hpp"

#include <sys/stat.h>
#include <sys/statvfs.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>

#include "collectors/recorder/mapped_file.hpp"
#include "collectors/recorder/shared_layout.hpp"

namespace stepscope::launcher {
namespace {

constexpr std::string_view kSuffix = ".scope";
constexpr std::uint64_t kLeastBytes = 32U << 20U;

std::string stem_of(const std::string& word) {
  return std::filesystem::path(word).stem().string();
}

bool looks_like_script(const std::string& word) {
  return !word.starts_with('-') && std::filesystem::path(word).has_extension();
}

}  // namespace

std::string default_name(const std::vector<std::string>& command, std::int64_t now_s) {
  std::string name = stem_of(command.front());
  for (std::size_t i = 1; i < command.size() && i < 8; ++i) {
    if (!looks_like_script(command[i])) continue;
    name = stem_of(command[i]);
    break;
  }
  const std::time_t time = now_s;
  std::tm local{};
  localtime_r(&time, &local);
  char text[32];
  std::strftime(text, sizeof(text), "-%Y%m%d-%H%M%S", &local);
  return name + text;
}

Result<std::string> make_output_folder(const std::string& name) {
  std::error_code error;
  std::string base = std::filesystem::absolute(name, error).lexically_normal().string();
  while (base.size() > 1 && base.ends_with('/')) base.pop_back();
  if (base.ends_with(kSuffix)) base.resize(base.size() - kSuffix.size());
  std::filesystem::create_directories(std::filesystem::path(base).parent_path(), error);
  for (int number = 1; number < 10'000; ++number) {
    const std::string folder =
        base + (number == 1 ? std::string() : std::string(".").append(std::to_string(number))) +
        std::string(kSuffix);
    if (mkdir(folder.c_str(), 0755) == 0 && mkdir((folder + "/live").c_str(), 0755) == 0)
      return folder;
    if (errno != EEXIST) {
      return io_error("cannot make " + folder + ": " + std::strerror(errno) +
                      "; name a writable place with -o");
    }
  }
  return io_error(base + ".scope and 9,998 more exist; give another name with -o");
}

Status check_space(const std::string& folder) {
  if (!recorder::may_be_as_large(recorder::kSessionBytes)) {
    return io_error("the limit on the size of files (ulimit -f) is below the " +
                    std::to_string((recorder::kSessionBytes >> 20U) + 1) +
                    " MiB that a recording needs; raise it");
  }
  struct statvfs disk {};
  if (statvfs(folder.c_str(), &disk) != 0) return Done{};
  const std::uint64_t free_bytes = std::uint64_t{disk.f_bavail} * disk.f_frsize;
  if (free_bytes >= kLeastBytes) return Done{};
  return io_error("only " + std::to_string(free_bytes >> 20U) + " MiB free for " + folder +
                  "; free some space or give another place with -o");
}

}  // namespace stepscope::launcher
