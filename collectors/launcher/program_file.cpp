// SPDX-License-Identifier: Apache-2.0
#include "collectors/launcher/child.hpp"

#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string_view>
#include <vector>

namespace stepscope::launcher {
namespace {

bool is_executable_file(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && access(path.c_str(), X_OK) == 0;
}

// Reads as much as asked for, or nothing.
template <class T>
bool read_at(std::ifstream& file, std::uint64_t offset, T* to, std::size_t count) {
  file.clear();
  file.seekg(static_cast<std::streamoff>(offset));
  file.read(reinterpret_cast<char*>(to), static_cast<std::streamsize>(count * sizeof(T)));
  return file.good();
}

// The parts of a 64-bit ELF program that say how it is loaded.
class ElfFile {
 public:
  explicit ElfFile(const std::string& path) : file_(path, std::ios::binary) {
    Elf64_Ehdr header{};
    if (!read_at(file_, 0, &header, 1) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(Elf64_Phdr)) {
      return;
    }
    segments_.resize(header.e_phnum);
    is_elf_ = read_at(file_, header.e_phoff, segments_.data(), segments_.size());
    if (!is_elf_) segments_.clear();
  }
  bool is_elf() const { return is_elf_; }
  bool has_segment(Elf64_Word type) const {
    return std::any_of(segments_.begin(), segments_.end(),
                       [&](const Elf64_Phdr& s) { return s.p_type == type; });
  }

  // Names of needed libraries and of dynamic symbols, with zero bytes between.
  std::string dynamic_strings() {
    std::uint64_t address = 0, bytes = 0;
    for (const Elf64_Phdr& segment : segments_) {
      if (segment.p_type != PT_DYNAMIC) continue;
      std::vector<Elf64_Dyn> entries(std::min(segment.p_filesz, kMostDynamicBytes) /
                                     sizeof(Elf64_Dyn));
      if (!read_at(file_, segment.p_offset, entries.data(), entries.size())) return {};
      for (const Elf64_Dyn& entry : entries) {
        if (entry.d_tag == DT_STRTAB) address = entry.d_un.d_ptr;
        if (entry.d_tag == DT_STRSZ) bytes = entry.d_un.d_val;
      }
    }
    std::string text(std::min(bytes, kMostStringBytes), '\0');
    return read_at(file_, offset_of(address), text.data(), text.size()) ? text : std::string();
  }

 private:
  // A damaged file may name any size.
  static constexpr std::uint64_t kMostDynamicBytes = 1U << 20U, kMostStringBytes = 64U << 20U;

  std::uint64_t offset_of(std::uint64_t address) const {
    for (const Elf64_Phdr& s : segments_) {
      if (s.p_type == PT_LOAD && address >= s.p_vaddr && address < s.p_vaddr + s.p_filesz) {
        return address - s.p_vaddr + s.p_offset;
      }
    }
    return ~std::uint64_t{0} >> 1U;
  }
  std::ifstream file_;
  std::vector<Elf64_Phdr> segments_;
  bool is_elf_ = false;
};

}  // namespace

std::string find_program(const std::string& word) {
  if (word.find('/') != std::string::npos) return word;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "/bin:/usr/bin" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::string candidate = (folder.empty() ? "." : folder) + "/" + word;
    if (is_executable_file(candidate)) return candidate;
  }
  return {};
}

bool needs_to_be_first(const std::string& path) {
  constexpr std::array<std::string_view, 4> kMarks = {"__asan_init", "libasan.so", "libtsan.so",
                                                      "__tsan_init"};
  const std::string text = ElfFile(path).dynamic_strings();
  return std::any_of(kMarks.begin(), kMarks.end(),
                     [&](std::string_view mark) { return text.find(mark) != std::string::npos; });
}

bool is_dynamic(const std::string& path) {
  const ElfFile file(path);
  return !file.is_elf() || file.has_segment(PT_INTERP);
}

bool takes_the_device(const std::string& word) {
  constexpr std::string_view kTools[] = {"compute-sanitizer", "cuda-gdb", "ncu", "nsys"};
  const std::string_view name = std::string_view(word).substr(word.find_last_of('/') + 1);
  return std::find(std::begin(kTools), std::end(kTools), name) != std::end(kTools);
}

}  // namespace stepscope::launcher
