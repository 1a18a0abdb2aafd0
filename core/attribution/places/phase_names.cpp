// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/places/phase_names.hpp"

#include <algorithm>
#include <iterator>

namespace stepscope {
namespace {

bool begins(std::string_view text, std::string_view prefix) {
  return text.starts_with(prefix);
}

}  // namespace

bool is_group_collective(std::string_view name) {
  constexpr std::string_view kBackends[] = {"nccl:", "gloo:", "mpi:", "ucc:"};
  return std::any_of(std::begin(kBackends), std::end(kBackends),
                     [name](std::string_view backend) { return begins(name, backend); });
}

std::string_view torch_mark(std::string_view name) {
  if (begins(name, "Optimizer.")) return "optimizer";
  if (begins(name, "enumerate(DataLoader)")) return "data";
  if (is_group_collective(name) || begins(name, "c10d::") || begins(name, "_c10d_functional::") ||
      begins(name, "record_param_comms")) {
    return "comm";
  }
  // The engine's op around a node: where ops are recorded, it is the outer one of the two.
  if (begins(name, "autograd::engine::evaluate_function")) return "backward";
  if (begins(name, "DistributedDataParallel.forward")) return "forward";
  return {};
}

bool is_library_domain(std::string_view domain) {
  constexpr std::string_view kDomains[] = {"CCCL",    "NCCL",    "cuBLAS",   "cuBLASLt",
                                           "cuDNN",   "cuFFT",   "cuSPARSE", "cuSOLVER",
                                           "libcudf", "NVSHMEM", "TSL"};
  return std::find(std::begin(kDomains), std::end(kDomains), domain) != std::end(kDomains);
}

bool is_internal(std::string_view name) {
  return begins(name, "## ") || begins(name, "TorchDynamo") || begins(name, "Torch-Compiled") ||
         begins(name, "PyTorch Profiler") || begins(name, "ProfilerStep");
}

}  // namespace stepscope
