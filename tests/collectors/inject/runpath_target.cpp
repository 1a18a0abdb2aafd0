// SPDX-License-Identifier: Apache-2.0
// A library that makes a process group through the constructor's exported name, as PyTorch's do.

namespace c10d {

struct __attribute__((visibility("default"))) Backend {
  Backend(int rank, int size);
  int both = 0;
};

Backend::Backend(int rank, int size) : both(100 * rank + size) {}

}  // namespace c10d

struct ProcessGroup : c10d::Backend {  // its constructor calls the one that is interposed
  using Backend::Backend;
};

extern "C" __attribute__((visibility("default"))) int make_process_group(int rank, int size) {
  return ProcessGroup(rank, size).both;
}
