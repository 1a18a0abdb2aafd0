// SPDX-License-Identifier: Apache-2.0
// Files that other writers take for JSON: what has one plain reading is read and counted, all else
// is refused with its place.
#include <gmock/gmock.h>

#include "tests/core/importers/kineto/kineto_maker.hpp"

namespace stepscope {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

// An op with that text between its name's quotes, between two plain ones.
std::string with_name(const std::string& name) {
  const auto op = [](const std::string& text, int ts) {
    return R"({"ph": "X", "cat": "cpu_op", "name": ")" + text + R"(", "pid": 1, "tid": 1, "ts": )" +
           std::to_string(ts) + R"(, "dur": 5, "args": {"External id": 1, "Ev Idx": 3}})";
  };
  return document(op("before", 10) + ", " + op(name, 20) + ", " + op("after", 30));
}

TEST(MendedText, QuotesInNamesAreOfTheName) {
  for (const char* name :
       {R"({"device": "cpu", "dtype": "float32"}(12): run)", R"(say "hi")", R"("all of it")",
        R"(f("x", {"y": [1, 2]}), "z")", R"(<a href="b">)", R"(ends with ")", R"(", "a)",
        R"({"k": "v"})", R"(["a", "b"])", R"("": "")"}) {
    const TraceData data = read_good(with_name(name));
    ASSERT_EQ(data.host_ranges.size(), 3U) << name;
    EXPECT_EQ(data.strings.view(data.host_ranges.name[1]), name);
    EXPECT_EQ(data.host_ranges.begin[1], 20'000) << name;
    EXPECT_EQ(data.strings.view(data.host_ranges.name[2]), "after") << name;
    EXPECT_THAT(data.health.notes, Contains(HasSubstr("1 event of this file is no JSON"))) << name;
    EXPECT_EQ(data.health.missing_fields, 0U) << name;
  }
}

TEST(MendedText, EveryWindowSizeGivesTheSame) {
  const std::string text = with_name(R"({"device": "cpu"}(12): run)");
  for (std::size_t bytes = 1; bytes < 500; bytes += 7) {
    const TraceData data = read_good(text, {.window_bytes = bytes});
    ASSERT_EQ(data.host_ranges.size(), 3U) << bytes;
    EXPECT_EQ(data.strings.view(data.host_ranges.name[1]), R"({"device": "cpu"}(12): run)");
  }
}

TEST(MendedText, EscapesInAMendedNameStay) {
  const TraceData data = read_good(with_name(R"(a \"b\" "c" \\ \u0041 d:\temp)"));
  EXPECT_EQ(data.strings.view(data.host_ranges.name.at(1)), "a \"b\" \"c\" \\ A d:\temp");
}

TEST(MendedText, ASingleBackslashAtTheEndOfAStringIsOfTheString) {
  const TraceData data = read_good(with_name(R"(C:\work\)"));
  ASSERT_EQ(data.host_ranges.size(), 3U);
  EXPECT_EQ(data.strings.view(data.host_ranges.name[1]), R"(C:\work\)");
  const TraceData last = read_good(
      R"({"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "mm", "pid": 1, "tid": 1, "ts": 1, "dur": 2}],
          "traceName": "C:\logs\"})");
  EXPECT_EQ(last.host_ranges.size(), 1U);
}

TEST(MendedText, BackslashesAndControlBytesInNamesAreKeptAndCounted) {
  const TraceData data = read_good(with_name("d:\\path\\x\x01y"));
  EXPECT_EQ(data.strings.view(data.host_ranges.name.at(1)), "d:\\path\\x\x01y");
  EXPECT_THAT(data.health.notes,
              Contains(HasSubstr("1 text of this file holds single backslashes")));
}

TEST(MendedText, AWordThatIsNoValueIsUnknown) {
  for (const char* value : {"N/A", "None", "True", "undefined", "-nan(ind)", "", "#REF"}) {
    const TraceData data = read_events(
        std::string(
            R"({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 10, "dur": 5,
              "args": {"device": 0, "stream": 7, "correlation": 3, "registers per thread": )") +
        value + R"(, "blocks per SM": )" + value + "}}");
    ASSERT_EQ(data.device_ops.size(), 1U) << value;
    EXPECT_EQ(data.device_ops.end[0], 15'000) << value;
    EXPECT_THAT(data.health.notes, Contains(HasSubstr("no JSON"))) << value;
  }
}

TEST(MendedText, CommasBetweenEventsAreCounted) {
  const std::string event =
      R"({"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 1, "ts": 5, "dur": 1})";
  for (const char* between : {" ", ", ,", ",\n,,\n"}) {
    for (const std::size_t bytes : {7U, 4096U}) {
      const TraceData data = read_good(document(event + between + event), {.window_bytes = bytes});
      EXPECT_EQ(data.host_ranges.size(), 2U) << between;
      EXPECT_THAT(data.health.notes, Contains(HasSubstr("1 event of this file is no JSON")))
          << between;
    }
  }
}

TEST(MendedText, NumbersMayHaveASignOrBeHexadecimal) {
  const TraceData data = read_good(document(
      R"({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": +5.5, "dur": +2, "args": {"correlation": 0x1f}})"));
  EXPECT_EQ(data.device_ops.begin.at(0), 5'500);
  EXPECT_EQ(data.device_ops.end.at(0), 7'500);
  EXPECT_EQ(data.device_ops.correlation.at(0), 31U);
}

TEST(MendedText, TheCauseOfWhatIsRefusedIsNamed) {
  EXPECT_THAT(read_error("{'traceEvents': []}"), HasSubstr("how Python prints a dictionary"));
  EXPECT_THAT(read_error(document(R"({"ph": "X", "ts": 1234,5, "dur": 3})")),
              HasSubstr("under a locale"));
}

TEST(MendedText, FactsOfTheDocumentAreMendedToo) {
  const TraceData data = read_events(
      R"({"ph": "X", "cat": "cpu_op", "name": "mm", "pid": 1, "tid": 1, "ts": 10, "dur": 5})",
      R"("host": "the "big" one", "power": N/A, "baseTimeNanoseconds": 1790857026000000000)");
  EXPECT_EQ(data.host_ranges.begin.at(0), 1790857026000010000);
  EXPECT_EQ(data.processes.at(0).facts.at("kineto.host"), "the \"big\" one");
}

TEST(MendedText, WhatHasNoPlainReadingIsRefusedWithItsPlace) {
  EXPECT_THAT(read_error(document(R"({"ph": "X", "name": "a" "b" 3, "ts": 1})")),
              HasSubstr("there is no plain reading of it"));
  EXPECT_THAT(read_error(R"({"traceEvents": [{"ts": @}]})"),
              HasSubstr("byte 24: expected a value"));
}

TEST(MendedText, TwoProcessesThatWroteIntoOneFileAreNamed) {
  const std::string one = with_name("op"), other = with_name("another one");
  const std::string interleaved =
      one.substr(0, 180) + other.substr(0, 90) + one.substr(180) + other.substr(90);
  for (const std::string& text :
       {one + other, one + "\n" + other, interleaved, other + one.substr(one.size() - 40),
        one + other.substr(0, 150)}) {
    EXPECT_THAT(read_error(text), HasSubstr("Two processes wrote into this file")) << text;
    EXPECT_THAT(read_error(text), HasSubstr("byte ")) << text;
  }
  EXPECT_THAT(read_error(one.substr(0, 200)), Not(HasSubstr("Two processes")));
}

}  // namespace
}  // namespace stepscope
