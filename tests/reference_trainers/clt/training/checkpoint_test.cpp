// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/training/checkpoint.hpp"

#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/jit/serialization/pickle.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "reference_trainers/clt/run.hpp"
#include "reference_trainers/clt/training/training.hpp"
#include "reference_trainers/common/tensor_file.hpp"
#include "tests/reference_trainers/clt/tiny_config.hpp"

namespace stepscope::clt {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Checkpoint : public testing::Test {
 protected:
  Checkpoint()
      : folder_(std::filesystem::temp_directory_path() /
                ("checkpoint_test." + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~Checkpoint() override { std::filesystem::remove_all(folder_); }

  std::string path(const char* name) const { return folder_ / name; }

  static Result<RunResult> train(const Config& config) {
    return run(config, [](const std::string&) {});
  }
  // Returns the checkpoint of a run of 10 steps, written at its end.
  std::string written(Config config = tiny_config()) const {
    config.steps = 10;
    config.checkpoint = path("written");
    EXPECT_TRUE(train(config));
    return config.checkpoint;
  }
  static std::string contents_of(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  static std::string bytes_of(const TrainerState& state, const std::string& name) {
    for (const auto& [other, tensor] : state) {
      if (other == name)
        return {static_cast<const char*>(tensor.const_data_ptr()), tensor.nbytes()};
    }
    return {};
  }
  static std::string error_of(Config config, const std::string& resume) {
    config.resume = resume;
    const Result<RunResult> result = train(config);
    return result ? "" : result.error().message;
  }

  std::filesystem::path folder_;
};

class ResumedCheckpoint : public Checkpoint, public testing::WithParamInterface<std::string> {};

TEST_P(ResumedCheckpoint, GoesOnToTheBit) {
  Config second = tiny_config();
  if (!GetParam().empty()) {
    ASSERT_TRUE(switch_fixes(second.fixes, {GetParam()}, true));
  }
  Config whole = second, first = second;
  whole.checkpoint = path("whole");
  ASSERT_TRUE(train(whole));

  first.checkpoint = path("first");
  first.steps = 13;
  ASSERT_TRUE(train(first));
  second.resume = first.checkpoint;
  second.checkpoint = path("second");
  const Result<RunResult> resumed = train(second);
  ASSERT_TRUE(resumed) << resumed.error().message;
  EXPECT_EQ(resumed->resumed_from, 13);

  const auto one = make_training(second, at::kCPU), other = make_training(second, at::kCPU);
  const TrainerState a = one->state(), b = other->state();
  EXPECT_EQ(*read_checkpoint(path("whole"), second, a), 20);
  EXPECT_EQ(*read_checkpoint(path("second"), second, b), 20);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_TRUE(at::equal(a[i].second, b[i].second)) << a[i].first;
}
INSTANTIATE_TEST_SUITE_P(Fixes, ResumedCheckpoint,
                         testing::Values("", "fused_adam", "device_data", "sparse_step",
                                         "moments_8bit"),
                         [](const auto& about) {
                           return about.param.empty() ? "baseline" : about.param;
                         });

TEST_F(Checkpoint, IsWrittenEveryNSteps) {
  Config config = tiny_config();
  config.checkpoint = path("often");
  config.checkpoint_every = 6;
  config.steps = 20;
  const Result<RunResult> result = run(config, [&](const std::string& line) {
    if (!line.starts_with("step 10")) return;  // said behind 6 steps, before 12
    const auto trainer = make_training(config, at::kCPU);
    EXPECT_EQ(*read_checkpoint(config.checkpoint, config, trainer->state()), 6);
  });
  ASSERT_TRUE(result);
  const auto trainer = make_training(config, at::kCPU);
  EXPECT_EQ(*read_checkpoint(config.checkpoint, config, trainer->state()), 20);
}

TEST_F(Checkpoint, MomentsOfTheOtherKindAreRefusedWithTheFix) {
  Config floats = tiny_config();
  floats.fixes.sparse_step = true;
  Config codes = floats;
  codes.fixes.moments_8bit = true;
  EXPECT_THAT(error_of(codes, written(floats)),
              AllOf(HasSubstr("encoder.first_moments is Float, this run's is Byte"),
                    HasSubstr("go on with --without moments_8bit")));
  EXPECT_THAT(error_of(floats, written(codes)),
              AllOf(HasSubstr("encoder.first_moments is Byte, this run's is Float"),
                    HasSubstr("go on with --with moments_8bit")));
}

TEST_F(Checkpoint, AMissingFileIsNamed) {
  EXPECT_THAT(error_of(tiny_config(), path("none")),
              AllOf(HasSubstr(path("none")), HasSubstr("No such file")));
}

TEST_F(Checkpoint, ADamagedFileIsNamed) {
  const std::string file = written();
  std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
  EXPECT_THAT(error_of(tiny_config(), file), HasSubstr("damaged"));
  std::ofstream(file) << "no checkpoint";
  EXPECT_THAT(error_of(tiny_config(), file), HasSubstr("damaged"));
}

TEST_F(Checkpoint, OverwrittenBytesAreNoticed) {
  const std::string file = written();
  const std::string whole = contents_of(file);
  const auto trainer = make_training(tiny_config(), at::kCPU);
  (void)read_checkpoint(file, tiny_config(), trainer->state());
  for (const char* name : {"silent_steps", "parameter.0", "second_moment.3"}) {
    const std::size_t at = whole.find(bytes_of(trainer->state(), name));
    ASSERT_NE(at, std::string::npos) << name;
    std::string damaged = whole;
    damaged[at + 9] ^= 4;
    std::ofstream(file, std::ios::binary) << damaged;
    EXPECT_THAT(error_of(tiny_config(), file),
                AllOf(HasSubstr("checkpoint " + file), HasSubstr("it is damaged")))
        << name;
  }
  std::ofstream(file, std::ios::binary) << whole;
  EXPECT_EQ(error_of(tiny_config(), file), "");
}

TEST_F(Checkpoint, AFileWithoutAChecksumIsRefused) {
  const trainers::Dictionary all = trainers::empty_dictionary();
  all.insert(c10::IValue("schema"), c10::IValue("stepscope.clt/1"));
  const std::vector<char> bytes = torch::jit::pickle_save(all);
  std::ofstream(path("older"), std::ios::binary).write(bytes.data(), std::ssize(bytes));
  EXPECT_THAT(error_of(tiny_config(), path("older")), HasSubstr("it has no checksum"));
}

TEST_F(Checkpoint, OtherFixesAreNamedEitherWay) {
  Config sparse = tiny_config();
  ASSERT_TRUE(switch_fixes(sparse.fixes, {"sparse_step", "fused_adam"}, true));
  const std::string file = written(sparse);
  Config other = tiny_config();
  other.fixes.late_readback = true;
  EXPECT_THAT(error_of(other, file),
              testing::EndsWith("--with fused_adam,sparse_step --without late_readback"));
}

TEST_F(Checkpoint, WhatDoesNotFitIsNamed) {
  const std::string file = written();
  Config other = tiny_config();
  other.seed = 5;
  EXPECT_THAT(error_of(other, file), HasSubstr("written with --seed 0, this run has 5"));
  other = tiny_config();
  other.features = 128;
  EXPECT_THAT(error_of(other, file), HasSubstr("with --features 64, this run has 128"));
  other = tiny_config();
  other.layers = 4;
  EXPECT_THAT(error_of(other, file), HasSubstr("with --layers 3, this run has 4"));
  other = tiny_config();
  other.d_model = 32;
  EXPECT_THAT(error_of(other, file), HasSubstr("with --d-model 16, this run has 32"));
  other = tiny_config();
  other.fixes.sparse_step = true;
  EXPECT_THAT(error_of(other, file),
              AllOf(HasSubstr("no tensor encoder.parameters"),
                    testing::EndsWith("other fixes; go on with --without sparse_step")));
  other = tiny_config();
  other.steps = 10;
  EXPECT_THAT(error_of(other, file), HasSubstr("--steps 10 asks for no more"));
}

// What cannot be written leaves what was there.
TEST_F(Checkpoint, AFailedWriteIsNamedAndLeavesTheOldFile) {
  const std::string file = written();
  const auto size = std::filesystem::file_size(file);
  std::filesystem::create_directory(file + ".partial");
  Config config = tiny_config();
  config.checkpoint = file;
  const Result<RunResult> result = train(config);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr(file));
  EXPECT_EQ(std::filesystem::file_size(file), size);
}

}  // namespace
}  // namespace stepscope::clt
