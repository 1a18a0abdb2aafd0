// SPDX-License-Identifier: Apache-2.0
#include "collectors/launcher/preload_path.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>

namespace stepscope::launcher {
namespace {

namespace fs = std::filesystem;

Error cannot_link(const std::string& library, const std::string& why) {
  return {ErrorCode::bad_input,
          fmt::format("LD_PRELOAD cannot hold the path {}, and no link to it can be made: {}. "
                      "Install stepscope at a path without spaces, colons and dollar signs",
                      library, why)};
}

// Somebody else's folder of this name could hold somebody else's library.
std::string why_not_own(const std::string& folder) {
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    return fmt::format("{}: {}", folder, std::strerror(errno));
  struct stat is {};
  if (lstat(folder.c_str(), &is) != 0) return fmt::format("{}: {}", folder, std::strerror(errno));
  if (S_ISDIR(is.st_mode) && is.st_uid == geteuid() && (is.st_mode & (S_IWGRP | S_IWOTH)) == 0)
    return "";
  return folder + " is not a folder that only you can write to";
}

bool leads_to(const std::string& link, const std::string& library) {
  std::error_code error;
  return fs::read_symlink(link, error) == library && !error;
}

// A new link takes the old one's place in one step, so that another run finds either.
std::string why_not_linked(const std::string& link, const std::string& library) {
  const std::string fresh = fmt::format("{}.{}", link, getpid());
  std::error_code error;
  fs::create_symlink(library, fresh, error);
  if (!error) fs::rename(fresh, link, error);
  return error ? fmt::format("{}: {}", link, error.message()) : "";
}

}  // namespace

bool is_preloadable(const std::string& path) {
  return path.find_first_of(" :$") == std::string::npos;
}

std::string link_folder() {
  std::error_code error;
  const std::string given = fs::temp_directory_path(error).string();
  const std::string above = error || !is_preloadable(given) ? "/tmp" : given;
  return fmt::format("{}/stepscope-{}", above, geteuid());
}

Result<std::string> preload_path(const std::string& library, const std::string& folder) {
  if (is_preloadable(library)) return library;
  const std::string inner = fmt::format("{}/{:016x}", folder, std::hash<std::string>{}(library));
  const std::string link = inner + "/" + fs::path(library).filename().string();
  for (const std::string& made : {folder, inner}) {
    if (const std::string why = why_not_own(made); !why.empty()) return cannot_link(library, why);
  }
  if (leads_to(link, library)) return link;
  if (const std::string why = why_not_linked(link, library); !why.empty())
    return cannot_link(library, why);
  return link;
}

}  // namespace stepscope::launcher
