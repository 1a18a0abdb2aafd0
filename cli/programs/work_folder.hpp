// SPDX-License-Identifier: Apache-2.0
// Where a verb that runs programs keeps their traces and outputs: a folder that the user named, or
// one under TMPDIR that goes with this.
#pragma once

#include <string>

#include "core/support/result.hpp"

namespace stepscope {

class WorkFolder {
 public:
  // `keep`: the user's, made where it is missing; empty: one of our own, whose name begins with
  // `prefix`.
  static Result<WorkFolder> make(const std::string& keep, const std::string& prefix);
  WorkFolder(WorkFolder&& other) noexcept;
  WorkFolder& operator=(WorkFolder&&) = delete;
  ~WorkFolder();

  std::string at(const std::string& name) const;
  bool kept() const { return kept_; }

 private:
  WorkFolder(std::string path, bool kept) : path_(std::move(path)), kept_(kept) {}
  std::string path_;
  bool kept_;
};

}  // namespace stepscope
