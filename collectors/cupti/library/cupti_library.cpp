// SPDX-License-Identifier: Apache-2.0
#include "collectors/cupti/library/cupti_library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "collectors/recorder/recorder.hpp"
#include "core/support/dynamic_library.hpp"

namespace stepscope::cupti {
namespace {

constexpr const char* kNames[] = {"libcupti.so.13", "libcupti.so.12"};
using Path = std::array<char, 4096>;

void* mapped_library() noexcept {
  for (const char* name : kNames) {
    if (void* handle = dlopen(name, RTLD_NOW | RTLD_NOLOAD)) return handle;
  }
  return nullptr;
}

int keep_torch_folder(dl_phdr_info* info, std::size_t /*size*/, void* folder) {
  const std::string_view name = info->dlpi_name == nullptr ? "" : info->dlpi_name;
  const std::size_t end = name.rfind("/lib/libtorch_cpu.so");
  if (end == std::string_view::npos || end >= std::tuple_size_v<Path>) return 0;
  std::memcpy(static_cast<Path*>(folder)->data(), name.data(), end);
  return 1;
}

void* open_below(const char* folder, const char* below) noexcept {
  for (const char* name : kNames) {
    Path path{};
    std::snprintf(path.data(), path.size(), "%s/%s/%s", folder, below, name);
    if (void* handle = dlopen(path.data(), RTLD_NOW)) return handle;
  }
  return nullptr;
}

// The wheels lie beside torch: .../site-packages/{torch,nvidia}.
void* library_of_torch() noexcept {
  Path torch{};
  if (dl_iterate_phdr(keep_torch_folder, &torch) == 0) return nullptr;
  for (const char* below : {"../nvidia/cu13/lib", "../nvidia/cuda_cupti/lib", "lib"}) {
    if (void* handle = open_below(torch.data(), below)) return handle;
  }
  return nullptr;
}

void* library_of_toolkit() noexcept {
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* folder = std::getenv(variable);
    if (folder == nullptr) continue;
    for (const char* below : {"extras/CUPTI/lib64", "lib64"}) {
      if (void* handle = open_below(folder, below)) return handle;
    }
  }
  for (const char* name : kNames) {
    if (void* handle = dlopen(name, RTLD_NOW)) return handle;
  }
  return open_below("/usr/local/cuda", "extras/CUPTI/lib64");
}

// The first missing name, or null.
const char* resolve_all(const DynamicLibrary& library, Library& to) noexcept {
  const char* missing = nullptr;
  const auto find = [&](const char* name, auto& function) {
    if (!library.find(name, function)) missing = name;
    return function != nullptr;
  };
  (void)(find("cuptiGetVersion", to.get_version) && find("cuptiSubscribe", to.subscribe) &&
         find("cuptiUnsubscribe", to.unsubscribe) &&
         find("cuptiEnableCallback", to.enable_callback) &&
         find("cuptiEnableDomain", to.enable_domain) &&
         find("cuptiActivityRegisterCallbacks", to.register_buffers) &&
         find("cuptiActivityEnable", to.enable) && find("cuptiActivityDisable", to.disable) &&
         find("cuptiActivityFlushAll", to.flush_all) &&
         find("cuptiActivityGetNextRecord", to.next_record) &&
         find("cuptiActivityGetNumDroppedRecords", to.dropped_records) &&
         find("cuptiSetThreadIdType", to.set_thread_id_type) &&
         find("cuptiGetStreamIdEx", to.stream_id) && find("cuptiGetDeviceId", to.device_id) &&
         find("cuptiGetResultString", to.result_text));
  (void)library.find("cuptiGetGraphNodeId", to.graph_node_id);
  (void)library.find("cuptiGetCallbackName", to.callback_name);
  return missing;
}

}  // namespace

FoundLibrary find_library() noexcept {
  FoundLibrary found;
  void* handle = mapped_library();
  if (handle == nullptr) handle = library_of_torch();
  if (handle == nullptr) handle = library_of_toolkit();
  if (handle == nullptr) {
    std::snprintf(
        found.why_not.data(), found.why_not.size(),
        "no libcupti.so.13 or .12 was found: pip install nvidia-cuda-cupti, or set CUDA_HOME "
        "to a CUDA toolkit");
    return found;
  }
  if (const char* missing = resolve_all(DynamicLibrary(handle), found.functions)) {
    std::snprintf(found.why_not.data(), found.why_not.size(),
                  "this libcupti has no %s: CUDA 12.2 or later is needed", missing);
    return found;
  }
  Dl_info where{};
  if (dladdr(reinterpret_cast<void*>(found.functions.get_version), &where) != 0) {
    std::snprintf(found.path.data(), found.path.size(), "%s", where.dli_fname);
  }
  found.usable = true;
  return found;
}

void note_refusal(const Library& library, const char* what, Status status) noexcept {
  const char* text = nullptr;
  (void)library.result_text(status, &text);
  const char* remedy = "";
  if (status == kMultipleSubscribers)
    remedy = "; another tool (nsys, ncu, cuda-gdb, compute-sanitizer) traces this process";
  if (status == kNotInitialized)
    remedy = "; this libcupti is newer than the driver: use the one of the driver's CUDA version";
  if (status == kInsufficientPrivileges || status == kVirtualizedNoPrivileges)
    remedy = "; the driver restricts profiling to administrators";
  std::array<char, 512> sentence{};
  std::snprintf(sentence.data(), sentence.size(),
                "no device work is recorded: %s failed with %d %s%s", what, status,
                text == nullptr ? "" : text, remedy);
  recorder::note(sentence.data());
}

}  // namespace stepscope::cupti
