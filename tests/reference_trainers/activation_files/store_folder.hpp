// SPDX-License-Identifier: Apache-2.0
// A folder of its own for each test, and small stores in it.
#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "reference_trainers/activation_files/write_activations.hpp"
#include "reference_trainers/common/random.hpp"

namespace stepscope::trainers {

class StoreFolder : public testing::Test {
 protected:
  StoreFolder()
      : folder_(std::filesystem::temp_directory_path() /
                ("activation_files." + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~StoreFolder() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ / name; }

  // Each value encodes its row, layer, side and column: row + (2 * layer + side) / 8 + column / 64,
  // exact in fp32. The first column of layer 0's inputs is the row itself, exact in bf16 up to 256.
  static NewActivations numbered(std::int64_t rows, std::int64_t layers = 2,
                                 std::int64_t d_model = 4) {
    NewActivations all;
    const at::Tensor row = at::arange(rows, at::kFloat).unsqueeze(1);
    const at::Tensor column = at::arange(d_model, at::kFloat).unsqueeze(0) / 64;
    for (std::int64_t layer = 0; layer < layers; ++layer) {
      all.inputs.push_back(row + column + static_cast<double>(2 * layer) / 8);
      all.targets.push_back(row + column + static_cast<double>(2 * layer + 1) / 8);
    }
    return all;
  }

  // numbered(rows) in chunks of so many rows.
  std::string written(std::int64_t rows, std::int64_t chunk_rows, const std::string& name = "store",
                      at::ScalarType type = at::kFloat) const {
    NewActivations all = numbered(rows);
    all.type = type;
    all.chunk_rows = chunk_rows;
    const Status done = write_activations(path(name), all);
    EXPECT_TRUE(done) << (done ? "" : done.error().message);
    return path(name);
  }

  static std::string bytes_of(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static void put(const std::string& file, const std::string& bytes) {
    std::ofstream(file, std::ios::binary) << bytes;
  }

  std::filesystem::path folder_;
};

}  // namespace stepscope::trainers
