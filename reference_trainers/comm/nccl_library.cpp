// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/comm/nccl_library.hpp"

#include <dlfcn.h>

#include <string>

#include "core/support/dynamic_library.hpp"

namespace stepscope::trainers::nccl {

Result<Library> load() {
  const DynamicLibrary library("libnccl.so.2");
  if (!library.is_open())
    return usage_error("ranks on GPUs need NCCL, which does not load: " + std::string(dlerror()));
  Library found{};
  const bool all = library.find("ncclGetUniqueId", found.get_unique_id) &&
                   library.find("ncclCommInitRank", found.comm_init_rank) &&
                   library.find("ncclCommDestroy", found.comm_destroy) &&
                   library.find("ncclCommAbort", found.comm_abort) &&
                   library.find("ncclAllReduce", found.all_reduce) &&
                   library.find("ncclAllGather", found.all_gather) &&
                   library.find("ncclReduceScatter", found.reduce_scatter) &&
                   library.find("ncclBroadcast", found.broadcast) &&
                   library.find("ncclGetErrorString", found.get_error_string);
  if (!all) return usage_error("the NCCL that is there lacks a function that ranks need");
  return found;
}

}  // namespace stepscope::trainers::nccl
