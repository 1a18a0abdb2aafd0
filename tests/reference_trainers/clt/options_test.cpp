// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/options.hpp"

#include <gmock/gmock.h>

#include <vector>

#include "reference_trainers/clt/variants.hpp"

namespace stepscope::clt {
namespace {

using testing::HasSubstr;

Result<Request> parsed(std::vector<const char*> arguments) {
  return parse(arguments);
}

std::string error_of(std::vector<const char*> arguments) {
  const Result<Request> request = parse(arguments);
  return request.ok() ? "no error" : request.error().message;
}

TEST(Options, DefaultsWithoutArguments) {
  const auto request = parsed({});
  ASSERT_TRUE(request.ok()) << request.error().message;
  EXPECT_EQ(request->config.variant, "baseline");
  EXPECT_EQ(request->config.features, Config().features);
  EXPECT_FALSE(request->print.has_value());
}

TEST(Options, FlagsReachTheConfiguration) {
  const auto request = parsed({"--layers", "2", "--features=64", "--k", "5", "--seed", "9",
                               "--device", "cpu", "--lr", "0.5", "--eval-every", "0"});
  ASSERT_TRUE(request.ok()) << request.error().message;
  EXPECT_EQ(request->config.layers, 2);
  EXPECT_EQ(request->config.features, 64);
  EXPECT_EQ(request->config.k, 5);
  EXPECT_EQ(request->config.seed, 9U);
  EXPECT_EQ(request->config.device, trainers::DeviceWish::cpu);
  EXPECT_EQ(request->config.learning_rate, 0.5);
  EXPECT_EQ(request->config.eval_every, 0);
}

TEST(Options, MessagesNameTheFlag) {
  EXPECT_THAT(error_of({"--layers", "0"}), HasSubstr("--layers"));
  EXPECT_THAT(error_of({"--batch", "1"}), HasSubstr("--batch"));
  EXPECT_THAT(error_of({"--steps", "many"}), HasSubstr("--steps"));
  EXPECT_THAT(error_of({"--device", "tpu"}), HasSubstr("--device"));
  EXPECT_THAT(error_of({"--variant", "fastest"}), HasSubstr("--variant"));
  EXPECT_THAT(error_of({"--widht", "3"}), HasSubstr("--widht"));
  EXPECT_THAT(error_of({"--lr", "-1"}), HasSubstr("--lr"));
}

TEST(Options, RealNumbersAreFinite) {
  for (const char* flag :
       {"--lr", "--sparsity-lambda", "--sparsity-c", "--preact-coef", "--aux-k-coef"}) {
    for (const char* number : {"nan", "inf", "-1", "1e999", "0.1x"})
      EXPECT_THAT(error_of({flag, number}), testing::StartsWith(std::string(flag) + ": " + number +
                                                                " is not a finite number"));
  }
  EXPECT_THAT(error_of({"--lr", "0"}), HasSubstr("--lr: 0 is not a finite number > 0"));
  EXPECT_TRUE(parsed({"--sparsity-lambda", "0", "--aux-k-coef", "1e-3"}).ok());
}

TEST(Options, FixesAreTheVariantsAndThoseThatAreNamed) {
  const auto fixes = [](std::vector<const char*> arguments) {
    const auto request = parsed(arguments);
    EXPECT_TRUE(request.ok()) << (request.ok() ? "" : request.error().message);
    return request.ok() ? names_of(request->config.fixes) : std::vector<std::string>();
  };
  EXPECT_THAT(fixes({}), testing::IsEmpty());
  EXPECT_THAT(fixes({"--with", "fused_adam,device_data"}),
              testing::ElementsAre("device_data", "fused_adam"));
  EXPECT_EQ(fixes({"--variant", "optimized"}), names_of(every_fix()));
  const auto without = fixes({"--variant", "optimized", "--without", "cached_encode"});
  EXPECT_EQ(without.size(), names_of(every_fix()).size() - 1);
  EXPECT_THAT(without, testing::Not(testing::Contains("cached_encode")));
  EXPECT_THAT(fixes({"--rung", "R0"}), testing::IsEmpty());
  EXPECT_THAT(fixes({"--rung", "R2"}), testing::ElementsAre("cached_encode", "device_data"));
  EXPECT_EQ(fixes({"--rung", "R11"}), names_of(every_fix()));
  EXPECT_THAT(error_of({"--rung", "R12"}), HasSubstr("--rung: 'R12' is no fix"));
  EXPECT_THAT(*parsed({"--list-switches"})->print, HasSubstr("stepscope.trainer/1"));
  EXPECT_THAT(fixes({"--with", "sparse_adam"}), testing::ElementsAre("sparse_step", "sparse_adam"));
  EXPECT_THAT(fixes({"--variant", "fused", "--without", "sparse_step"}), testing::IsEmpty());
  EXPECT_THAT(fixes({"--variant", "fused", "--without", "sparse_decoder"}),
              testing::ElementsAre("sparse_step", "select_kernel", "sparse_adam", "sparse_encoder",
                                   "moments_8bit"));
  EXPECT_THAT(error_of({"--with", "faster"}),
              HasSubstr("--with: 'faster' is no fix; there are: R0 baseline, R1 cached_encode"));
  EXPECT_THAT(error_of({"--without", "faster"}), HasSubstr("--without: 'faster' is no fix"));
  EXPECT_THAT(error_of({"--with", "sparse_adam", "--without", "cached_encode,sparse_step"}),
              HasSubstr("--with sparse_adam: --without cached_encode,sparse_step"));
}

TEST(Options, HierarchicalRanksAreTheVariantsOrNamed) {
  EXPECT_EQ(parsed({})->config.hierarchical_ranks, 1);
  EXPECT_EQ(parsed({"--variant", "hierarchical"})->config.hierarchical_ranks, 4);
  EXPECT_EQ(parsed({"--hierarchical-ranks", "2"})->config.hierarchical_ranks, 2);
  EXPECT_EQ(
      parsed({"--variant", "hierarchical", "--hierarchical-ranks", "1"})->config.hierarchical_ranks,
      1);
}

TEST(Options, HierarchicalRanksMustOfferSomething) {
  EXPECT_THAT(error_of({"--k", "1", "--batch", "2", "--hierarchical-ranks", "9"}),
              HasSubstr("--hierarchical-ranks 9"));
  EXPECT_TRUE(parsed({"--k", "1", "--batch", "2", "--hierarchical-ranks", "8"}));
}

TEST(Options, TheSelectKernelIsExact) {
  EXPECT_THAT(error_of({"--variant", "fused", "--hierarchical-ranks", "2"}),
              HasSubstr("--without select_kernel"));
  EXPECT_TRUE(
      parsed({"--variant", "fused", "--hierarchical-ranks", "2", "--without", "select_kernel"}));
}

TEST(Options, SizesMustFitEachOther) {
  EXPECT_THAT(error_of({"--layers", "2", "--features", "4", "--k", "9"}),
              HasSubstr("--k 9 exceeds"));
  EXPECT_THAT(error_of({"--rows", "10", "--batch", "11"}), HasSubstr("--rows 10 is less"));
}

TEST(Options, DataComesFromAFolderOrIsWrittenToOne) {
  const auto request = parsed({"--data", "there", "--rows", "3"});
  ASSERT_TRUE(request.ok()) << request.error().message;
  EXPECT_EQ(request->config.data, "there");
  const auto writing = parsed({"--write-data", "there", "--write-type", "bf16"});
  ASSERT_TRUE(writing.ok()) << writing.error().message;
  EXPECT_EQ(writing->config.write_type, at::kBFloat16);
  EXPECT_THAT(error_of({"--write-type", "fp64"}), HasSubstr("--write-type"));
  EXPECT_THAT(error_of({"--data", "a", "--write-data", "b"}), HasSubstr("--write-data"));
}

TEST(Options, AFlagWithoutEffectIsRefused) {
  EXPECT_THAT(error_of({"--chunk-rows", "5"}), HasSubstr("--chunk-rows requires --write-data"));
  EXPECT_THAT(error_of({"--write-type", "bf16"}), HasSubstr("--write-type requires --write-data"));
  EXPECT_THAT(error_of({"--checkpoint-every", "5"}),
              HasSubstr("--checkpoint-every requires --checkpoint"));
}

TEST(Options, HelpNamesEveryVariant) {
  const auto request = parsed({"--help"});
  ASSERT_TRUE(request.ok() && request->print.has_value());
  for (const Variant& variant : all_variants())
    EXPECT_THAT(*request->print, HasSubstr(variant.summary));
  EXPECT_THAT(*request->print, HasSubstr("stepscope profile"));
}

}  // namespace
}  // namespace stepscope::clt
