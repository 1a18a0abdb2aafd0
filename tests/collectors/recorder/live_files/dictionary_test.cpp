// SPDX-License-Identifier: Apache-2.0
#include "collectors/recorder/live_files/dictionary.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "collectors/recorder/live_files/numbered_name.hpp"

namespace stepscope::recorder {
namespace {

class DictionaryTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(dictionary_->open()); }

  std::string text(RangeName name) const {
    const std::string_view pattern = dictionary_->view().name(name.id());
    return std::string(with_numbers(pattern, name.numbers()).view());
  }
  std::uint32_t names() const { return dictionary_->view().header().names; }

  std::unique_ptr<Dictionary> dictionary_ = std::make_unique<Dictionary>();
};

TEST_F(DictionaryTest, ATextHasOneNameHoweverItIsAskedFor) {
  const NameId topk = dictionary_->name("topk");
  EXPECT_EQ(dictionary_->range_name("topk"), RangeName(topk));
  const RangeName step = dictionary_->range_name("step 1");
  EXPECT_EQ(dictionary_->name("step 1"), step.id());
  EXPECT_EQ(step.numbers(), 0U);
  EXPECT_EQ(dictionary_->range_name(""), RangeName(0));
}

TEST_F(DictionaryTest, FewNamesOfAPatternHaveAnEntryEach) {
  const std::uint32_t before = names();
  for (std::uint32_t i = 0; i < kNamesOfAPattern; ++i)
    EXPECT_EQ(dictionary_->range_name("layer " + std::to_string(i)).numbers(), 0U);
  EXPECT_EQ(names(), before + kNamesOfAPattern);
}

TEST_F(DictionaryTest, ManyNamesOfAPatternShareOne) {
  const std::uint32_t before = names();
  for (int i = 0; i < 300'000; ++i) {
    const std::string step = "step " + std::to_string(i);
    ASSERT_EQ(text(dictionary_->range_name(step)), step);
  }
  EXPECT_EQ(names(), before + kNamesOfAPattern + 1);
  // What was interned before stays what it was, and other names get in.
  EXPECT_EQ(dictionary_->range_name("step 7").numbers(), 0U);
  EXPECT_NE(dictionary_->name("later"), kTooManyNames);
}

TEST_F(DictionaryTest, ThePatternOfSeveralNumbersIsOne) {
  const std::uint32_t before = names();
  for (int epoch = 0; epoch < 100; ++epoch) {
    for (int i = 0; i < 100; ++i) {
      const std::string step = "epoch " + std::to_string(epoch) + "/iter " + std::to_string(i);
      ASSERT_EQ(text(dictionary_->range_name(step)), step);
    }
  }
  EXPECT_EQ(names(), before + kNamesOfAPattern + 1);
}

// Names of any number of patterns leave room for those that have no number.
TEST_F(DictionaryTest, NumberedNamesNeverFillTheTable) {
  for (int pattern = 0; pattern < 2'000; ++pattern) {
    const std::string letters{static_cast<char>('a' + pattern % 50),
                              static_cast<char>('a' + pattern / 50)};
    for (int i = 0; i < 200; ++i) {
      const std::string name = letters + " " + std::to_string(i);
      ASSERT_EQ(text(dictionary_->range_name(name)), name);
    }
  }
  EXPECT_LT(names(), kMaxNames / 4 * 3 + 3'000);
  EXPECT_NE(dictionary_->range_name("without a number").id(), kTooManyNames);
}

TEST_F(DictionaryTest, AFullTableSaysSo) {
  for (std::uint32_t i = 0; i < kMaxNames; ++i) (void)dictionary_->name("x" + std::to_string(i));
  EXPECT_EQ(names(), kMaxNames);
  EXPECT_EQ(dictionary_->name("one more"), kTooManyNames);
  EXPECT_EQ(text(dictionary_->range_name("step 1")), "(too many names)");
}

TEST_F(DictionaryTest, SitesAreFoundAgain) {
  const NameId file = dictionary_->name("train.py"), function = dictionary_->name("main");
  const SiteRef site = dictionary_->site(file, 12, function);
  EXPECT_NE(site, 0U);
  EXPECT_EQ(dictionary_->site(file, 12, function), site);
  EXPECT_NE(dictionary_->site(file, 13, function), site);
  EXPECT_EQ(dictionary_->view().site(site).line, 12U);
}

// A bit that was set between the copy into the file and its mapping was lost.
TEST(SharedDictionary, KeepsWhatIsCollectedWhileItMovesIntoItsFile) {
  const std::string path = testing::TempDir() + "shared_dictionary." + std::to_string(getpid());
  for (int round = 0; round < 30; ++round) {
    const auto dictionary = std::make_unique<Dictionary>();
    ASSERT_TRUE(dictionary->open());
    std::atomic<bool> shared{false};
    std::uint32_t set = 0;
    std::thread setter([&] {
      for (std::uint32_t bit = 1; bit != 0 && !shared.load(); bit <<= 1) {
        dictionary->add_collected(bit);
        set |= bit;
        std::this_thread::sleep_for(std::chrono::microseconds(5));
      }
    });
    ASSERT_TRUE(dictionary->share(path.c_str()));
    shared.store(true);
    setter.join();
    std::filesystem::remove(path);
    EXPECT_EQ(dictionary->view().header().collected.load(), set) << round;
  }
}

}  // namespace
}  // namespace stepscope::recorder
