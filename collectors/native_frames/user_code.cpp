// SPDX-License-Identifier: Apache-2.0
#include "collectors/native_frames/user_code.hpp"

#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "collectors/recorder/recorder.hpp"

namespace stepscope::native {
namespace {

constexpr std::string_view kSystemFolders[] = {
    "/lib/",      "/lib64/", "/usr/lib/",  "/usr/lib64/",  "/usr/bin/",       "/usr/sbin/",
    "/bin/",      "/snap/",  "/proc/",     "/dev/",        "/usr/local/cuda", "/usr/local/nvidia/",
    "/opt/cuda/", "/memfd:", "/opt/cuda-", "/opt/nvidia/", "/nix/store/"};
// Only folders that nobody calls a project of their own: a preset named cuda builds into /cuda/.
constexpr std::string_view kFrameworkFolders[] = {"/site-packages/", "/dist-packages/",
                                                  "/torch/lib/"};
constexpr std::string_view kFrameworkNames[] = {
    "libtorch",   "libc10",      "libcuda.so", "libcudart",    "libcudadebugger", "libcublas",
    "libcudnn",   "libcufft",    "libcufile",  "libcurand",    "libcusolver",     "libcusparse",
    "libcupti",   "libcutensor", "libnvrtc",   "libnvJitLink", "libnvToolsExt",   "libnvidia-",
    "libnvshmem", "libnvperf",   "libnvinfer", "libnccl",      "libcaffe2",       "libstepscope",
    "libstdc++",  "libc++",      "libgcc",     "libgomp",      "libiomp",         "libmkl",
    "libmpi",     "libopen-pal", "libucx",     "libdnnl",      "libasan",         "libtsan",
    "libubsan",   "linux-vdso"};

// "python", "python3.11", "python3.13t", "python3-dbg": not "python_free_trainer".
bool is_interpreter(std::string_view name) noexcept {
  return name.starts_with("python") &&
         name.find_first_not_of("0123456789.dtbg-", std::string_view("python").size()) ==
             std::string_view::npos;
}

struct Found {
  std::span<CodeRange> room;
  std::size_t size = 0;
};

const char* path_of(const dl_phdr_info& library) noexcept {
  if (library.dlpi_name != nullptr && library.dlpi_name[0] != '\0') return library.dlpi_name;
  static char program[1024];
  if (program[0] != '\0') return program;
  const ssize_t size = readlink("/proc/self/exe", program, sizeof(program) - 1);
  if (size > 0) program[size] = '\0';
  return program;
}

// Interned, for the loader's own text ends with the library.
const char* lasting(const char* path) noexcept {
  return recorder::name_text(recorder::intern_name(path, std::strlen(path)));
}

int add_library(dl_phdr_info* library, std::size_t /*size*/, void* to) noexcept {
  auto& found = *static_cast<Found*>(to);
  const char* path = path_of(*library);
  if (!is_user_code(path)) return 0;
  for (int i = 0; i < library->dlpi_phnum && found.size < found.room.size(); ++i) {
    const ElfW(Phdr)& segment = library->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    const std::uintptr_t begin = library->dlpi_addr + segment.p_vaddr;
    found.room[found.size++] = {begin, begin + segment.p_memsz, library->dlpi_addr, lasting(path)};
  }
  return 0;
}

int read_changes(dl_phdr_info* library, std::size_t /*size*/, void* to) noexcept {
  *static_cast<unsigned long long*>(to) = library->dlpi_adds + library->dlpi_subs;
  return 1;
}

}  // namespace

bool is_user_code(const char* text) noexcept {
  const std::string_view path = text;
  const std::string_view name = path.substr(path.rfind('/') + 1);
  if (path.empty() || is_interpreter(name) || name.starts_with("libpython")) return false;
  return std::none_of(std::begin(kSystemFolders), std::end(kSystemFolders),
                      [&](std::string_view folder) { return path.starts_with(folder); }) &&
         std::none_of(std::begin(kFrameworkFolders), std::end(kFrameworkFolders),
                      [&](std::string_view folder) {
                        return path.find(folder) != std::string_view::npos;
                      }) &&
         std::none_of(std::begin(kFrameworkNames), std::end(kFrameworkNames),
                      [&](std::string_view known) { return name.starts_with(known); });
}

void UserCode::refresh() noexcept {
  unsigned long long changes = 0;
  dl_iterate_phdr(read_changes, &changes);
  if (changes == changes_.load() || refreshing_.exchange(true)) return;
  changes_.store(changes);
  if (const std::size_t next = published_.load(); next < kTables) {
    Table& table = tables_[next];
    Found found{table.ranges};
    dl_iterate_phdr(add_library, &found);
    table.size = found.size;
    const std::span<const CodeRange> made(table.ranges.data(), table.size), now = ranges();
    if (!std::equal(made.begin(), made.end(), now.begin(), now.end()))
      published_.store(next + 1, std::memory_order_release);
  }
  refreshing_.store(false);
}

std::span<const CodeRange> UserCode::ranges() const noexcept {
  const std::size_t count = published_.load(std::memory_order_acquire);
  if (count == 0) return {};
  const Table& last = tables_[count - 1];
  return {last.ranges.data(), last.size};
}

const CodeRange* UserCode::find(std::uintptr_t address) const noexcept {
  for (const CodeRange& range : ranges()) {
    if (address >= range.begin && address < range.end) return &range;
  }
  return nullptr;
}

}  // namespace stepscope::native
