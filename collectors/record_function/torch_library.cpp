// SPDX-License-Identifier: Apache-2.0
#include "collectors/record_function/torch_library.hpp"

#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/support/dynamic_library.hpp"

namespace stepscope {
namespace {

constexpr const char* kLibrary = "libtorch_cpu.so";
// Versions whose header has the layout of torch_abi.hpp and whose library has the five symbols.
// scripts/test-matrix also counts a program's ops as torch.profiler does;
// docs/measurements/compatibility.md lists the versions for which the counts agree.
constexpr std::string_view kTested[] = {"2.4",  "2.5",  "2.6",  "2.7",  "2.8",  "2.9",
                                        "2.10", "2.11", "2.12", "2.13", "2.14", "2.15"};

// Whether the user takes the risk of an untested version.
bool trusts_any_version() noexcept {
  const char* trust = std::getenv("STEPSCOPE_TRUST_TORCH");
  return trust != nullptr && std::strcmp(trust, "1") == 0;
}

using Path = std::array<char, 4096>;

int keep_torch_path(dl_phdr_info* info, std::size_t /*size*/, void* path) {
  const std::string_view name = info->dlpi_name == nullptr ? "" : info->dlpi_name;
  if (!name.ends_with(kLibrary) || name.size() >= std::tuple_size_v<Path>) return 0;
  std::memcpy(static_cast<Path*>(path)->data(), name.data(), name.size() + 1);
  return 1;
}

// <torch>/lib/libtorch_cpu.so lies beside <torch>/version.py (wheel) or <torch>/build-version
// (LibTorch).
void read_version(const Path& library, std::array<char, 64>& version) {
  const std::string_view path = library.data();
  const std::size_t folder = path.rfind('/');
  if (folder == std::string_view::npos) return;
  for (const char* file : {"../version.py", "../build-version"}) {
    std::array<char, 4200> candidate{};
    std::snprintf(candidate.data(), candidate.size(), "%.*s/%s", static_cast<int>(folder),
                  path.data(), file);
    const int fd = open(candidate.data(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) continue;
    std::array<char, 4096> text{};
    const ssize_t bytes = read(fd, text.data(), text.size());
    close(fd);
    const std::string_view found =
        version_in({text.data(), static_cast<std::size_t>(std::max<ssize_t>(bytes, 0))});
    if (found.empty()) continue;
    std::memcpy(version.data(), found.data(), std::min(found.size(), version.size() - 1));
    return;
  }
}

}  // namespace

// A nightly build may already be laid out as the version behind it.
bool is_tested_torch(std::string_view version) noexcept {
  if (version.find(".dev") != std::string_view::npos) return false;
  return std::any_of(std::begin(kTested), std::end(kTested), [&](std::string_view tested) {
    return version.starts_with(tested) && version.size() > tested.size() &&
           version[tested.size()] == '.';
  });
}

std::string_view version_in(std::string_view text) noexcept {
  constexpr std::string_view kKey = "__version__ = '";
  const std::size_t key = text.find(kKey);
  if (key != std::string_view::npos) text.remove_prefix(key + kKey.size());
  const std::size_t end = text.find_first_not_of("0123456789.+abcdefghijklmnopqrstuvwxyz");
  text = text.substr(0, end);
  return !text.empty() && text.front() >= '0' && text.front() <= '9' ? text : std::string_view();
}

TorchLibrary find_torch_library() noexcept {
  TorchLibrary torch;
  Path path{};
  torch.mapped = dl_iterate_phdr(keep_torch_path, &path) == 1;
  if (!torch.mapped) return torch;
  read_version(path, torch.version);
  // It is kept open, so that callbacks never dangle.
  const DynamicLibrary library(path.data(), RTLD_NOLOAD | RTLD_NOW);
  if (!library.is_open()) {
    torch.why_not = "PyTorch's libtorch_cpu.so could not be opened again; its ops are not recorded";
    return torch;
  }
  (void)library.find(torch_abi::kAddGlobalCallback, torch.add_global_callback);
  (void)library.find(torch_abi::kDisableCallback, torch.disable_callback);
  (void)library.find(torch_abi::kReenableCallback, torch.reenable_callback);
  (void)library.find(torch_abi::kName, torch.name);
  (void)library.find(torch_abi::kIsAsync, torch.is_async);
  (void)library.find(torch_abi::kPeekSequence, torch.peek_sequence);
  (void)library.find(torch_abi::kCurrentThreadId, torch.current_thread_id);
  (void)library.find(torch_abi::kConstruct, torch.construct);
  (void)library.find(torch_abi::kBefore, torch.before);
  (void)library.find(torch_abi::kDestroy, torch.destroy);
  if (!is_tested_torch(torch.version.data()) && !trusts_any_version()) {
    torch.why_not =
        "PyTorch's ops and scopes are not recorded: its version is not among those tested (2.4 to "
        "2.15); STEPSCOPE_TRUST_TORCH=1 takes it for the newest of them, at your own risk";
  } else if (torch.add_global_callback == nullptr || torch.name == nullptr ||
             torch.is_async == nullptr) {
    torch.why_not =
        "PyTorch's libtorch_cpu.so exports no RecordFunction symbols; its ops and scopes are not "
        "recorded";
  } else {
    torch.usable = true;
  }
  return torch;
}

}  // namespace stepscope
