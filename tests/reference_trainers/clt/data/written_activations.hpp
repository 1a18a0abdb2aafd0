// SPDX-License-Identifier: Apache-2.0
// A test on the activations that a configuration would make, written to files.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <utility>

#include "reference_trainers/clt/config.hpp"
#include "reference_trainers/clt/data/write_data.hpp"

namespace stepscope::clt {

class WrittenActivations : public testing::Test {
 protected:
  WrittenActivations()
      : folder_(std::filesystem::temp_directory_path() /
                ("written_activations." + std::to_string(getpid()))) {}
  ~WrittenActivations() override { std::filesystem::remove_all(folder_); }

  // A configuration that reads what `config` would make.
  Config written(Config config, std::int64_t chunk_rows = 0,
                 at::ScalarType type = at::kFloat) const {
    config.write_data = folder_ / "data";
    config.chunk_rows = chunk_rows;
    config.write_type = type;
    const Status done = write_data(config, [](const std::string&) {});
    EXPECT_TRUE(done) << (done ? "" : done.error().message);
    config.data = std::exchange(config.write_data, "");
    return config;
  }

  std::filesystem::path folder_;
};

}  // namespace stepscope::clt
