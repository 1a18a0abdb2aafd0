// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/comm/group.hpp"

#include <algorithm>

#include "reference_trainers/comm/nccl_comm.hpp"
#include "reference_trainers/comm/rendezvous.hpp"
#include "reference_trainers/comm/socket_comm.hpp"

namespace stepscope::trainers {
namespace {

// A machine that is busy, or reads libraries from a cold disk, starts some ranks late.
constexpr std::chrono::seconds kToMeet{60};

}  // namespace

Result<std::unique_ptr<Comm>> join_group(const std::optional<RankEnvironment>& environment,
                                         at::Device device, std::chrono::milliseconds patience) {
  if (!environment || environment->size == 1)
    return std::unique_ptr<Comm>(std::make_unique<SingleComm>());
  Result<nccl::Library> library =
      device.is_cuda() ? nccl::load() : Result<nccl::Library>(nccl::Library{});
  if (!library) return library.error();
  Result<std::unique_ptr<Links>> links =
      meet(*environment, std::max<std::chrono::milliseconds>(patience, kToMeet), patience);
  if (!links) return links.error();
  if (device.is_cuda())
    return make_nccl_comm(*library, std::move(*links), environment->size, device, patience);
  return std::unique_ptr<Comm>(std::make_unique<SocketComm>(std::move(*links), environment->size));
}

}  // namespace stepscope::trainers
