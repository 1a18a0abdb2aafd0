// SPDX-License-Identifier: Apache-2.0
// A file that appears whole or not at all: it is written under another name beside its place, and
// takes the place at the end. A symbolic link stays one, and what it points to is replaced; a file
// that is replaced passes its permissions on.
#pragma once

#include <span>
#include <string>

#include "core/support/result.hpp"

namespace stepscope {

// An Error (usage) where `target` is one of the files that are read.
Status refuse_input(const std::string& target, std::span<const std::string> inputs);

class WholeFile {
 public:
  // An Error where the target may not be written: said before the work begins.
  static Result<WholeFile> open(const std::string& target);
  WholeFile(WholeFile&& other) noexcept;
  WholeFile& operator=(WholeFile&&) = delete;
  ~WholeFile();  // without take_place(), nothing is left behind

  const std::string& path() const { return path_; }  // empty, and there already
  Status take_place();

 private:
  WholeFile(std::string given, std::string target, std::string path);

  std::string given_;   // as the user named it
  std::string target_;  // what links lead to
  std::string path_;
};

// The folder that annotations and code scanning count paths from.

// Returns the repository's folder by GitHub Actions' variable; else the working directory.
std::string repository_root();

}  // namespace stepscope
