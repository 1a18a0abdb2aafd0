// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/llm/run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "reference_trainers/llm/data/corpus.hpp"
#include "reference_trainers/llm/data/token_shard.hpp"
#include "tests/reference_trainers/llm/small_run.hpp"

namespace stepscope::llm {
namespace {

using testing::HasSubstr;

// In a folder of its own, because a failed run leaves its batch in the working directory.
class RunIn : public testing::Test {
 protected:
  void SetUp() override {
    before_ = std::filesystem::current_path();
    std::filesystem::create_directories(temporary("here"));
    std::filesystem::current_path(temporary_);
  }
  void TearDown() override { std::filesystem::current_path(before_); }
  std::string temporary(const std::string& name) { return temporary_ = llm::temporary(name); }

 private:
  std::filesystem::path before_;
  std::string temporary_;
};

TEST(Run, ShardsOnDiskTrainAsTheMadeCorpusDoes) {
  Config config = small_config();
  config.write_data = temporary("shards");
  ASSERT_TRUE(write_made_corpus(config, [](const std::string&) {}));
  const RunResult made = run_quietly(config);
  config.data = config.write_data;
  const RunResult read = run_quietly(config);
  for (std::size_t i = 0; i < made.log.size(); ++i) EXPECT_EQ(made.log[i].loss, read.log[i].loss);
}

TEST(Run, TokensOfAnotherVocabularyStopIt) {
  Config config = small_config();
  config.data = temporary("other.bin");
  ASSERT_TRUE(write_shard(config.data, std::vector<std::uint16_t>(500, 999)));
  EXPECT_THAT(error_of(config), HasSubstr("is 999, but the vocabulary has 256"));
  config.rungs.prefetch = true;
  EXPECT_THAT(error_of(config), HasSubstr("is 999, but the vocabulary has 256"));
}

TEST(Run, ASequenceLongerThanTheDataStopsIt) {
  Config config = small_config();
  config.data = temporary("short.bin");
  ASSERT_TRUE(write_shard(config.data, std::vector<std::uint16_t>(20, 1)));
  EXPECT_THAT(error_of(config), HasSubstr("--sequence 32: no shard holds"));
}

TEST_F(RunIn, ALossThatIsNotFiniteStopsItWithTheBatchKept) {
  for (const bool late : {false, true}) {
    Config config = small_config(20);
    config.rungs.fused_adamw = late;
    config.learning_rate = 1e30;
    config.lr_warm_up = 0;
    const std::string message = error_of(config);
    EXPECT_THAT(message, HasSubstr("try a smaller --lr"));
    const std::size_t begin = message.find("train_llm.step");
    ASSERT_NE(begin, std::string::npos) << message;
    const auto shard = TokenShard::open(message.substr(begin, message.find(' ', begin) - begin));
    ASSERT_TRUE(shard) << shard.error().message;
    EXPECT_EQ(shard->size(), 2 * 33);
  }
}

std::string read_text(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// So that memory runs out on machines that promise more than they have, too.
class AddressLimit {
 public:
  AddressLimit() {
    getrlimit(RLIMIT_AS, &before_);
    rlimit limit = before_;
    limit.rlim_cur = rlim_t{1} << 37;  // 128 GiB, of which LibTorch maps some
    setrlimit(RLIMIT_AS, &limit);
  }
  ~AddressLimit() { setrlimit(RLIMIT_AS, &before_); }

 private:
  rlimit before_{};
};

TEST(Run, OutOfMemorySaysWhichRungsAndWhatToLower) {
  const AddressLimit limit;
  Config config = small_config();
  config.sequence = 1 << 19;  // its mask alone has 256 GiB
  config.corpus_tokens = (1 << 20) + 4;
  const std::string message = error_of(config);
  EXPECT_THAT(message, HasSubstr("out of memory at rungs R0 (attention's scores alone are"));
  EXPECT_THAT(message, HasSubstr("--with sdpa keeps none"));
  EXPECT_THAT(message, HasSubstr("halve --micro-batch (now 2) and double --accumulate (now 1)"));
  EXPECT_THAT(message, HasSubstr("a step takes at least"));
}

// What no sum of the step's sizes foresees: the documents' mask.
TEST(Run, MemoryThatLibTorchIsRefusedIsTheSameMessage) {
  const AddressLimit limit;
  Config config = small_config();
  config.rungs.sdpa = true;
  config.documents.treat = Documents::masked;
  config.sequence = 1 << 19;
  config.corpus_tokens = (1 << 20) + 4;
  EXPECT_THAT(error_of(config), HasSubstr("out of memory at rungs sdpa: halve --micro-batch"));
}

TEST_F(RunIn, LossesAreAFileThatAResumedRunGoesOnWith) {
  Config config = small_config(6);
  config.log = "losses.csv";
  const RunResult whole = run_quietly(config);
  const std::string six = read_text("losses.csv");
  EXPECT_EQ(std::count(six.begin(), six.end(), '\n'), 7);
  EXPECT_THAT(six, testing::StartsWith("step,loss,gradient_norm,learning_rate\n1,5."));
  config.steps = 4;
  config.lr_steps = 6;
  config.checkpoint = "four";
  (void)run_quietly(config);
  std::ofstream("losses.csv", std::ios::app) << "5,9,9,9\n6,9";  // killed behind the checkpoint
  config.steps = 6;
  config.resume = "four";
  (void)run_quietly(config);
  EXPECT_EQ(read_text("losses.csv"), six);
  config.resume = "";
  config.log = "none/losses.csv";
  EXPECT_THAT(error_of(config), HasSubstr("--log none/losses.csv: cannot be written"));
}

TEST(Run, JsonTakesAPathOfAnyBytes) {
  Config config = small_config(5);
  config.data = "shards\xff";
  EXPECT_EQ(nlohmann::json::parse(to_json(config, {}))["config"]["data"], "shards\uFFFD");
}

TEST(Run, JsonSaysWhatALadderReads) {
  const Config config = small_config(5);
  const auto json = nlohmann::json::parse(to_json(config, run_quietly(config)));
  EXPECT_EQ(json["schema"], "stepscope.train/1");
  EXPECT_EQ(json["losses"].size(), 5U);
  EXPECT_EQ(json["timed_steps"], 2);
  EXPECT_EQ(json["tokens_a_step"], 64);
  EXPECT_NEAR(json["tokens_per_s"].get<double>(), 64e3 / json["ms_per_step"].get<double>(), 1);
  EXPECT_FALSE(json.contains("mfu"));
  const auto rungs = nlohmann::json::parse(list_switches())["rungs"];
  EXPECT_EQ(rungs[1]["name"], "tf32");
  EXPECT_FALSE(rungs[1].contains("needs"));
  EXPECT_EQ(rungs[10]["needs"], "packed") << rungs[10];
}

}  // namespace
}  // namespace stepscope::llm
