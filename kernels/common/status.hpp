// SPDX-License-Identifier: Apache-2.0
// What a kernel's host function answers: fine, a bad argument by name, or CUDA's own error. Kernels
// stand alone, so this is their small counterpart of core's Result. Both texts are literals: making
// and passing a status allocates nothing.
#pragma once

#include <string>

namespace stepscope::kernels {

class [[nodiscard]] Status {
 public:
  Status() = default;
  static Status bad_argument(const char* name, const char* problem) { return {name, problem}; }
  static Status cuda_error(const char* call, const char* problem) { return {call, problem}; }

  bool ok() const { return problem_ == nullptr; }
  // The argument's or the CUDA call's name; empty where ok.
  const char* where() const { return where_; }
  std::string message() const { return ok() ? "" : std::string(where_) + ": " + problem_; }

 private:
  Status(const char* where, const char* problem) : where_(where), problem_(problem) {}

  const char* where_ = "";
  const char* problem_ = nullptr;
};

}  // namespace stepscope::kernels
