// SPDX-License-Identifier: Apache-2.0
// PyTorch's ops as torch.autograd.profiler.emit_nvtx (and nsys --pytorch=autograd-nvtx) writes them
// into NVTX ranges: "aten::mm, seq = 12, op_id = 314290, sizes = [[8, 8], [8, 8]]". Each call has a
// name of its own there, so without this every op would be a phase of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/model/events.hpp"

namespace stepscope::nsys {

struct OpAnnotation {
  std::string_view name;  // without what follows
  HostKind kind = HostKind::op;
  std::uint32_t sequence = kNoSequence;
};

// Nothing for what the program named itself; record_function under emit_nvtx gives a user_scope.
std::optional<OpAnnotation> parse_op_annotation(std::string_view text);

}  // namespace stepscope::nsys
