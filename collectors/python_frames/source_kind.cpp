// SPDX-License-Identifier: Apache-2.0
#include "collectors/python_frames/known_code.hpp"

namespace stepscope::python {
namespace {

constexpr auto npos = std::string_view::npos;

bool starts_with_any(std::string_view text,
                     std::initializer_list<std::string_view> prefixes) noexcept {
  for (const std::string_view prefix : prefixes) {
    if (text.starts_with(prefix)) return true;
  }
  return false;
}

// Returns what follows the last "site-packages/" or "dist-packages/"; empty: neither is there.
std::string_view package_path(std::string_view path) noexcept {
  constexpr std::string_view kSite = "/site-packages/", kDist = "/dist-packages/";
  std::size_t at = path.rfind(kSite);
  if (at == npos) at = path.rfind(kDist);
  return at == npos ? std::string_view{} : path.substr(at + kSite.size());
}

bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

// ".../lib/python3.11/..." or lib64, or inside python311.zip.
bool in_standard_library(std::string_view path) noexcept {
  for (const std::string_view lib : {"/lib/python3.", "/lib64/python3."}) {
    std::size_t at = path.find(lib);
    if (at == npos) continue;
    at += lib.size();
    while (at < path.size() && (is_digit(path[at]) || path[at] == 't')) ++at;
    if (at < path.size() && path[at] == '/') return true;
  }
  const std::size_t zip = path.find("/python3");
  return zip != npos && path.find(".zip/", zip) != npos;
}

// A torch that lives elsewhere: built in its source tree, or unpacked by a packager.
bool in_torch_tree(std::string_view path) noexcept {
  constexpr std::string_view kTorch = "/torch/";
  const std::size_t at = path.rfind(kTorch);
  return at != npos && starts_with_any(path.substr(at + kTorch.size()),
                                       {"nn/modules/", "nn/functional.py", "optim/", "autograd/",
                                        "_dynamo/", "_inductor/", "_ops.py", "_tensor.py",
                                        "utils/data/", "utils/_contextlib.py", "distributed/"});
}

}  // namespace

SourceKind source_kind(std::string_view path) noexcept {
  if (path.starts_with("<")) {
    if (starts_with_any(path, {"<frozen ", "<__array_function__"})) return SourceKind::library;
    if (path == "<string>") return SourceKind::unnamed;
    return path.starts_with("<eval_with_key>") ? SourceKind::torch : SourceKind::user;
  }
  if (const std::string_view package = package_path(path); !package.empty()) {
    const bool torch = starts_with_any(package, {"torch/", "functorch/", "torchgen/"});
    return torch ? SourceKind::torch : SourceKind::package;
  }
  if (path.find("/torchinductor_") != npos || in_torch_tree(path)) return SourceKind::torch;
  return in_standard_library(path) ? SourceKind::library : SourceKind::user;
}

}  // namespace stepscope::python
