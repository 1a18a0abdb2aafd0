// SPDX-License-Identifier: Apache-2.0
#include "core/symbols/addr2line.hpp"

#include <gmock/gmock.h>

#include <cstdio>
#include <cstdlib>

namespace stepscope {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

std::uint64_t place_that_it_prints(const char* program) {
  std::FILE* pipe = popen(program, "r");
  unsigned long place = 0;
  EXPECT_EQ(std::fscanf(pipe, "%lu", &place), 1);
  pclose(pipe);
  return place;
}

TEST(Addr2line, InlinedFunctionsComeInnermostFirst) {
  const SourceFrames frames = parse_addr2line(
      "0x0000000000001234\nfirst(int)\n/a/./b/one.cpp:7 (discriminator 3)\nsecond()\n/a/two.hpp:9\n"
      "0x0000000000001240\n??\n??:0\n");
  EXPECT_THAT(frames.at(0x1234), ElementsAre(SourceFrame{"first(int)", "/a/b/one.cpp", 7},
                                             SourceFrame{"second()", "/a/two.hpp", 9}));
  EXPECT_THAT(frames.at(0x1240), ElementsAre(SourceFrame{}));
}

TEST(Addr2line, ALineThatIsNotKnownIsNone) {
  EXPECT_THAT(parse_addr2line("0x10\nmain\n/a/main.c:?\n").at(0x10),
              ElementsAre(SourceFrame{"main", "", 0}));
}

TEST(Addr2line, WhatIsCutIsNoFrame) {
  EXPECT_THAT(parse_addr2line(""), IsEmpty());
  EXPECT_THAT(parse_addr2line("noise\nmore\n"), IsEmpty());
  EXPECT_THAT(parse_addr2line("0x10\nmain").at(0x10), IsEmpty());
}

TEST(Addr2line, AProgramsOwnPlaceIsFound) {
  const std::uint64_t place = place_that_it_prints(SYMBOLS_PLACES);
  const Result<SourceFrames> frames = ask_addr2line(SYMBOLS_PLACES, {place});
  ASSERT_TRUE(frames.ok()) << frames.error().message;
  EXPECT_THAT(frames->at(place),
              ElementsAre(Field(&SourceFrame::line, 13), Field(&SourceFrame::line, 18)));
  // A shared compiler cache may hold another checkout's path.
  EXPECT_THAT(frames->at(place)[0].file, EndsWith("/tests/core/symbols/programs/places.cpp"));
  EXPECT_THAT(frames->at(place)[1].function, HasSubstr("outer"));
}

TEST(Addr2line, AFileThatIsNoProgramIsAnErrorThatNamesIt) {
  const Result<SourceFrames> frames = ask_addr2line("/does/not/exist", {1});
  ASSERT_FALSE(frames.ok());
  EXPECT_THAT(frames.error().message, HasSubstr("/does/not/exist"));
}

TEST(Addr2line, WithoutTheToolTheErrorSaysWhatToInstall) {
  setenv("STEPSCOPE_ADDR2LINE", "/does/not/exist", 1);
  const Result<SourceFrames> frames = ask_addr2line(SYMBOLS_PLACES, {1});
  unsetenv("STEPSCOPE_ADDR2LINE");
  ASSERT_FALSE(frames.ok());
  EXPECT_THAT(frames.error().message, HasSubstr("binutils"));
}

}  // namespace
}  // namespace stepscope
