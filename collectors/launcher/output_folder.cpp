// SPDX-License-Identifier: Apache-2.0
#include "collectors/launcher/output_folder.hpp"

#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <string_view>

#include "collectors/recorder/live_files/numbered_name.hpp"
#include "collectors/recorder/live_files/shared_layout.hpp"

namespace stepscope::launcher {
namespace {

constexpr std::string_view kSuffix = ".scope";
constexpr std::uint64_t kLeastBytes = 32U << 20U;

std::string stem_of(const std::string& word) {
  return std::filesystem::path(word).stem().string();
}

bool looks_like_script(const std::string& word) {
  const std::filesystem::path path(word);
  std::error_code error;
  if (word.starts_with('-') || !path.has_extension()) return false;
  return path.extension() == ".py" || path.extension() == ".sh" ||
         std::filesystem::is_regular_file(path, error);
}

// The script, else Python's module, else the program. Behind -c there is code, and then its
// arguments.
std::string main_word(const std::vector<std::string>& command) {
  std::string module;
  for (std::size_t i = 1; i < command.size() && i < 8 && command[i] != "-c"; ++i) {
    if (looks_like_script(command[i])) return stem_of(command[i]);
    if (command[i - 1] == "-m" && module.empty())
      module = command[i].substr(command[i].find_last_of('.') + 1);
  }
  return module.empty() ? stem_of(command.front()) : module;
}

std::string as_file_name(std::string text) {
  constexpr std::size_t kMostBytes = 100;
  static constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._+-";
  if (text.size() > kMostBytes) text.resize(kMostBytes);
  std::replace_if(
      text.begin(), text.end(), [](char c) { return kPlain.find(c) == std::string_view::npos; },
      '_');
  return text.empty() ? "run" : text;
}

// "/a/b" of "/a/b/c/d" where /a alone is there; empty where all of it is.
std::string first_missing(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::path missing;
  for (std::filesystem::path at = folder; !at.empty() && !std::filesystem::exists(at, error);
       at = at.parent_path())
    missing = at;
  return missing.string();
}

void remove_empty_folders(std::filesystem::path from, const std::string& up_to) {
  if (up_to.empty()) return;
  while (rmdir(from.c_str()) == 0 && from != up_to) from = from.parent_path();
}

OutputFolder named(OutputFolder folder, const std::string& made) {
  folder.made = made;
  return folder;
}

}  // namespace

void remove_output_folder(const OutputFolder& folder) {
  std::error_code error;
  std::filesystem::remove_all(folder.made, error);
  remove_empty_folders(std::filesystem::path(folder.made).parent_path(), folder.above);
}

std::string default_name(const std::vector<std::string>& command, std::int64_t now_s) {
  const std::time_t time = now_s;
  std::tm local{};
  localtime_r(&time, &local);
  char text[32];
  std::strftime(text, sizeof(text), "-%Y%m%d-%H%M%S", &local);
  return program_name(command) + text;
}

std::string program_name(const std::vector<std::string>& command) {
  return as_file_name(main_word(command));
}

Result<OutputFolder> make_output_folder(const std::string& name) {
  std::error_code error;
  std::string base = std::filesystem::absolute(name, error).lexically_normal().string();
  while (base.size() > 1 && base.ends_with('/')) base.pop_back();
  if (base.ends_with(kSuffix)) base.resize(base.size() - kSuffix.size());
  const std::filesystem::path parent = std::filesystem::path(base).parent_path();
  OutputFolder made{"", base + std::string(kSuffix), first_missing(parent)};
  std::filesystem::create_directories(parent, error);
  for (int number = 1; number < 10'000; ++number) {
    const std::string folder =
        base + (number == 1 ? std::string() : std::string(".").append(std::to_string(number))) +
        std::string(kSuffix);
    if (mkdir(folder.c_str(), 0755) == 0) {
      if (mkdir((folder + "/live").c_str(), 0755) == 0) return named(std::move(made), folder);
      const int why = errno;
      rmdir(folder.c_str());  // a full disk leaves no folder that is no recording
      errno = why;
    }
    if (errno != EEXIST) {
      const int why = errno;
      remove_empty_folders(parent, made.above);
      errno = why;
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
