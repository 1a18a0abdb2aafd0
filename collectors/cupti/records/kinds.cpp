// SPDX-License-Identifier: Apache-2.0
#include "collectors/cupti/records/kinds.hpp"

#include <array>

#include "collectors/recorder/recorder.hpp"

namespace stepscope::cupti {
namespace {

// Kernels without copies and sets would leak device memory with CUDA graphs on CUPTI 13.0.
constexpr std::array kDevice = {ActivityKind::memcpy, ActivityKind::memset,
                                ActivityKind::memcpy_peer, ActivityKind::concurrent_kernel};

// Older records of just-in-time compilation do not say of which thread they are.
constexpr std::uint32_t kFirstWithJitThreads = 130000;

// Read until the last instruction.
constinit std::array<ActivityKind, kDevice.size() + 3> kinds{};
constinit std::size_t count = 0;

Status enable(const Library& library, ActivityKind kind, Begin begin) noexcept {
  const Status status = begin == Begin::now ? library.enable(kind) : kSuccess;
  if (status == kSuccess) kinds[count++] = kind;
  return status;
}

void enable_jit(const Library& library, Begin begin) noexcept {
  std::uint32_t version = 0;
  (void)library.get_version(&version);
  if (version < kFirstWithJitThreads || enable(library, ActivityKind::jit, begin) != kSuccess)
    recorder::note("this libcupti does not tell of just-in-time compilation by thread: CUDA 13");
}

void enable_whole_graphs(const Library& library, Begin begin) noexcept {
  if (enable(library, ActivityKind::graph_trace, begin) != kSuccess)
    recorder::note("this libcupti does not record CUDA graphs whole: it records their nodes");
}

}  // namespace

// Whole graphs first: no graph is to be traced by its nodes for a moment.
Status enable_kinds(const Library& library, const KindOptions& options) noexcept {
  if (options.whole_graphs && options.device) enable_whole_graphs(library, options.begin);
  for (const ActivityKind kind : kDevice) {
    if (!options.device) break;
    if (const Status status = enable(library, kind, options.begin); status != kSuccess)
      return status;
  }
  if (options.bare) return kSuccess;
  if (options.overhead) (void)enable(library, ActivityKind::overhead, options.begin);
  if (options.level == Level::deep) enable_jit(library, options.begin);
  return kSuccess;
}

void disable_kinds(const Library& library) noexcept {
  for (const ActivityKind kind : our_kinds()) (void)library.disable(kind);
}

std::span<const ActivityKind> our_kinds() noexcept {
  return {kinds.data(), count};
}

}  // namespace stepscope::cupti
