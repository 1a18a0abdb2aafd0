// SPDX-License-Identifier: Apache-2.0
// The memory of a process, our own or another: by process_vm_readv, and where a sandbox forbids
// that call, through /proc/PID/mem. Another process must be one that we may trace: a child of the
// same user is, unless the system forbids it (kernel.yama.ptrace_scope above 1).
#pragma once

#include <sys/types.h>

#include "collectors/host_sampler/memory.hpp"

namespace stepscope::host_sampler {

class ProcessMemory final : public Memory {
 public:
  explicit ProcessMemory(pid_t pid) noexcept : pid_(pid) {}
  ~ProcessMemory();
  ProcessMemory(const ProcessMemory&) = delete;
  ProcessMemory& operator=(const ProcessMemory&) = delete;

  using Memory::read;
  bool read(std::span<const Piece> pieces) const noexcept override;

  pid_t pid() const noexcept { return pid_; }
  // Whether a known good address can be read at all, by either way.
  bool works(Address good) noexcept;

 private:
  bool read_file(std::span<const Piece> pieces) const noexcept;

  pid_t pid_;
  int file_ = -1;  // /proc/PID/mem, where that is the way
};

}  // namespace stepscope::host_sampler
