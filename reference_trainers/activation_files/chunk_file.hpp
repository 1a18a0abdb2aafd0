// SPDX-License-Identifier: Apache-2.0
// One chunk of a store: an HDF5 file with the datasets layer_{l}/inputs and layer_{l}/targets, each
// [rows, d_model]. The HDF5 library stays behind this header: a build without it has
// chunk_file_absent.cpp, whose functions say so. Each Error names the file, and the dataset.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/support/result.hpp"

namespace stepscope::trainers {

struct DatasetShape {
  at::ScalarType type;
  std::int64_t rows, width;
};

// side 0: inputs, 1: targets.
std::string dataset_name(std::int64_t layer, std::int64_t side);

class ChunkFile {
 public:
  ChunkFile() = default;
  virtual ~ChunkFile() = default;
  ChunkFile(const ChunkFile&) = delete;
  ChunkFile& operator=(const ChunkFile&) = delete;

  // Groups layer_0, layer_1, ... up to the first that is not there.
  virtual std::int64_t layers() const = 0;
  virtual Result<DatasetShape> shape(const std::string& dataset) const = 0;
  // Rows from `first` on into `out`, [rows, width] of the dataset's type, on the host.
  virtual Status read(const std::string& dataset, std::int64_t first,
                      const at::Tensor& out) const = 0;
};

Result<std::unique_ptr<ChunkFile>> open_chunk(const std::string& path);

// A new file; each tensor [rows, width], on the host, of one of kElementKinds.
using NamedRows = std::vector<std::pair<std::string, at::Tensor>>;
Status write_chunk(const std::string& path, const NamedRows& datasets);

// Whether this build can do either.
Status chunk_files_work();

}  // namespace stepscope::trainers
