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

// Backends that PyTorch brings may name anything; another one is known by its operation.
bool is_group_collective(std::string_view name) {
  constexpr std::string_view kBackends[] = {"nccl", "gloo", "mpi", "ucc"};
  constexpr std::string_view kOperations[] = {"all_reduce", "allreduce",      "all_gather",
                                              "allgather",  "all_to_all",     "alltoall",
                                              "broadcast",  "reduce_scatter", "barrier"};
  const std::size_t colon = name.find(':');
  if (colon == std::string_view::npos) return false;
  const std::string_view backend = name.substr(0, colon), operation = name.substr(colon + 1);
  const bool is_word = !backend.empty() && std::all_of(backend.begin(), backend.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
  if (!is_word) return false;
  return std::find(std::begin(kBackends), std::end(kBackends), backend) != std::end(kBackends) ||
         std::any_of(std::begin(kOperations), std::end(kOperations),
                     [operation](std::string_view known) { return begins(operation, known); });
}

std::string_view torch_mark(std::string_view name) {
  if (begins(name, "Optimizer.")) return "optimizer";
  if (begins(name, "enumerate(DataLoader)")) return "data";
  if (is_group_collective(name) || begins(name, "c10d::") || begins(name, "_c10d_functional::") ||
      begins(name, "record_param_comms")) {
    return "comm";
  }
  // FSDP's hooks, one for each of its units: they gather parameters, spread gradients and free both.
  if (begins(name, "FSDP::") || begins(name, "FullyShardedDataParallel._")) return "comm";
  // The engine's op around a node: where ops are recorded, it is the outer one of the two.
  if (begins(name, "autograd::engine::evaluate_function")) return "backward";
  if (begins(name, "DistributedDataParallel.forward") ||
      begins(name, "FullyShardedDataParallel.forward")) {
    return "forward";
  }
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
