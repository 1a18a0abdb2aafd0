// SPDX-License-Identifier: Apache-2.0
// The description of a folder of activations, read before anything is trained: README.md has the
// format. Only the headers of the chunks are read (names, sizes, types), no values.
#pragma once

#include <c10/core/ScalarType.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/support/result.hpp"

namespace stepscope::trainers {

struct ActivationFiles {
  struct Chunk {
    std::string path;
    std::int64_t rows;
  };

  std::string folder;
  std::int64_t layers, d_model;
  at::ScalarType type;
  std::vector<Chunk> chunks;  // in the order of their numbers

  std::int64_t rows() const;
  std::int64_t bytes_per_row() const;  // over all layers, inputs and targets
};

// An Error names the file and the dataset that does not fit.
Result<ActivationFiles> look_at(const std::string& folder, std::int64_t layers,
                                std::int64_t d_model);

}  // namespace stepscope::trainers
