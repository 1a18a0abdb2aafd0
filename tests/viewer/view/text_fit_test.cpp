// SPDX-License-Identifier: Apache-2.0
// Every character is one unit wide.
#include "viewer/view/text_fit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "viewer/view/desk.hpp"

namespace stepscope::viewer {
namespace {

using ::testing::ElementsAre;

float columns(std::string_view text) {
  return static_cast<float>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

TEST(TextFit, ANameIsLeftWithoutItsFirstParts) {
  EXPECT_THAT(tails_of("host.compute.gemm", NameParts::dotted),
              ElementsAre("host.compute.gemm", "compute.gemm", "gemm"));
  EXPECT_THAT(tails_of("aten::linear", NameParts::scoped), ElementsAre("aten::linear", "linear"));
  EXPECT_THAT(tails_of("nn/module.py(17): call", NameParts::scoped),
              ElementsAre("nn/module.py(17): call", "module.py(17): call", "call"));
  EXPECT_THAT(tails_of("", NameParts::dotted), ElementsAre(""));
  EXPECT_THAT(tails_of("ends.", NameParts::dotted), ElementsAre("ends."));
}

TEST(TextFit, SideBySideANameGivesUpWhatItSharesWithItsNeighbours) {
  const SideBySide names({"host.compute.gemm", "host.compute.reduce", "host.python"},
                         NameParts::dotted);
  EXPECT_EQ(names.fitted("host.compute.gemm", "  3 ms", 30, columns), "host.compute.gemm  3 ms");
  EXPECT_EQ(names.fitted("host.compute.gemm", "  3 ms", 20, columns), "compute.gemm  3 ms");
  EXPECT_EQ(names.fitted("host.compute.gemm", "  3 ms", 10, columns), "gemm  3 ms");
  EXPECT_EQ(names.fitted("host.compute.gemm", "  3 ms", 9, columns), "gemm");
  EXPECT_EQ(names.fitted("host.compute.reduce", "  3 ms", 7, columns), "reduce");
  EXPECT_EQ(names.fitted("host.compute.elementwise", "  3 ms", 9, columns), "elemen...");
  EXPECT_EQ(names.fitted("host.python", "  3 ms", 3, columns), "");
}

TEST(TextFit, WhatIsLeftOfANameIsNeverANeighboursToo) {
  const SideBySide names({"host.compute.gemm", "gpu.gemm", "gemm"}, NameParts::dotted);
  EXPECT_EQ(names.fitted("host.compute.gemm", "", 12, columns), "compute.gemm");
  EXPECT_EQ(names.fitted("host.compute.gemm", "", 9, columns), "comput...");
  EXPECT_EQ(names.fitted("gpu.gemm", "", 7, columns), "gpu....");
  EXPECT_EQ(names.fitted("gemm", "", 4, columns), "gemm");
}

TEST(TextFit, LinesEndAtBlanksNeverWithinANameOrBetweenANumberAndItsUnit) {
  EXPECT_EQ(wrapped_to("it owns 13.6 us of host.between_calls", 18, columns),
            "it owns 13.6 us of\nhost.between_calls");
  EXPECT_EQ(wrapped_to("it owns 13.6 us", 12, columns), "it owns\n13.6 us");
  EXPECT_EQ(wrapped_to("one\n  two three", 9, columns), "one\n  two\nthree");
  EXPECT_EQ(wrapped_to("", 5, columns), "");
}

TEST(TextFit, OnlyANameThatIsWiderThanTheRoomIsBroken) {
  EXPECT_EQ(wrapped_to("a sm90_gemm_128x128", 12, columns), "a\nsm90_gemm_\n128x128");
  EXPECT_EQ(wrapped_to("abcdefgh", 3, columns), "abc\ndef\ngh");
  for (const float room : {0.0F, 1.0F, 2.0F}) {
    std::string letters;
    std::istringstream lines(wrapped_to("1 us \u00fc\u00fc", room, columns));
    for (std::string word; lines >> word;) letters += word;
    EXPECT_EQ(letters, "1us\u00fc\u00fc") << room;
  }
}

TEST(TextFit, ALegendLeavesRoomForHowManyMoreThereAre) {
  EXPECT_EQ(items_that_fit({10, 10, 10}, 30, 5), 3U);
  EXPECT_EQ(items_that_fit({10, 10, 10}, 29, 5), 2U);
  EXPECT_EQ(items_that_fit({10, 10, 10}, 24, 5), 1U);
  EXPECT_EQ(items_that_fit({10}, 3, 5), 0U);
  EXPECT_EQ(items_that_fit({}, 3, 5), 0U);
}

}  // namespace
}  // namespace stepscope::viewer
