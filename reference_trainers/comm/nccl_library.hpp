// SPDX-License-Identifier: Apache-2.0
// The part of NCCL that a group on GPUs uses, found at run time in the libnccl that LibTorch's CUDA
// libraries have brought along; no NCCL headers are needed to build. Types and values are those of
// nccl.h 2.x, which has kept them since 2.10; a test compares them where that header is there.
#pragma once

#include <cstddef>

#include "core/support/result.hpp"

struct CUstream_st;

namespace stepscope::trainers::nccl {

struct Communicator;  // opaque: ncclComm

struct UniqueId {
  char bytes[128];
};

enum Answer : int { kSuccess = 0 };
enum Type : int {
  kUint8 = 1,
  kInt32 = 2,
  kInt64 = 4,
  kFloat16 = 6,
  kFloat32 = 7,
  kFloat64 = 8,
  kBfloat16 = 9
};
enum Operation : int { kSum = 0, kMax = 2, kMin = 3 };

struct Library {
  Answer (*get_unique_id)(UniqueId*);
  Answer (*comm_init_rank)(Communicator**, int size, UniqueId, int rank);
  Answer (*comm_destroy)(Communicator*);
  Answer (*comm_abort)(Communicator*);
  Answer (*all_reduce)(const void* in, void* out, std::size_t count, Type, Operation, Communicator*,
                       CUstream_st*);
  Answer (*all_gather)(const void* in, void* out, std::size_t count, Type, Communicator*,
                       CUstream_st*);
  Answer (*reduce_scatter)(const void* in, void* out, std::size_t count_out, Type, Operation,
                           Communicator*, CUstream_st*);
  Answer (*broadcast)(const void* in, void* out, std::size_t count, Type, int root, Communicator*,
                      CUstream_st*);
  const char* (*get_error_string)(Answer);
};

// Loads the library into this process. An Error says what is missing.
Result<Library> load();

}  // namespace stepscope::trainers::nccl
