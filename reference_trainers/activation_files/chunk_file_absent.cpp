// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/activation_files/chunk_file.hpp"

namespace stepscope::trainers {
namespace {

Error absent() {
  return {ErrorCode::unsupported,
          "this build cannot read or write HDF5 files: install libhdf5-dev and configure with "
          "-DSTEPSCOPE_WITH_HDF5=ON"};
}

}  // namespace

Result<std::unique_ptr<ChunkFile>> open_chunk(const std::string& /*path*/) {
  return absent();
}

Status write_chunk(const std::string& /*path*/, const NamedRows& /*datasets*/) {
  return absent();
}

Status chunk_files_work() {
  return absent();
}

}  // namespace stepscope::trainers
