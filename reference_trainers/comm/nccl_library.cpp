// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/comm/nccl_library.hpp"

#include <dlfcn.h>

#include <string>

namespace stepscope::trainers::nccl {
namespace {

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace

Result<Library> load() {
  void* const library = dlopen("libnccl.so.2", RTLD_NOW);
  if (library == nullptr)
    return usage_error("ranks on GPUs need NCCL, which does not load: " + std::string(dlerror()));
  Library found{};
  const bool all = find(library, "ncclGetUniqueId", found.get_unique_id) &&
                   find(library, "ncclCommInitRank", found.comm_init_rank) &&
                   find(library, "ncclCommDestroy", found.comm_destroy) &&
                   find(library, "ncclCommAbort", found.comm_abort) &&
                   find(library, "ncclAllReduce", found.all_reduce) &&
                   find(library, "ncclAllGather", found.all_gather) &&
                   find(library, "ncclReduceScatter", found.reduce_scatter) &&
                   find(library, "ncclBroadcast", found.broadcast) &&
                   find(library, "ncclGetErrorString", found.get_error_string);
  if (!all) return usage_error("the NCCL that is there lacks a function that ranks need");
  return found;
}

}  // namespace stepscope::trainers::nccl
