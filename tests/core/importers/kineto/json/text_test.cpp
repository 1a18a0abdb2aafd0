// SPDX-License-Identifier: Apache-2.0
#include "core/importers/kineto/json/text.hpp"

#include <gtest/gtest.h>

namespace stepscope::kineto {
namespace {

std::string decode(std::string_view text) {
  std::string scratch;
  const bool escaped = text.find('\\') != std::string_view::npos;
  return std::string(decoded({text, JsonValue::Kind::string, escaped}, scratch));
}

TEST(KinetoText, ResolvesEscapes) {
  EXPECT_EQ(decode("plain"), "plain");
  EXPECT_EQ(decode(R"(a\"b\\c\/d)"), "a\"b\\c/d");
  EXPECT_EQ(decode(R"(\b\f\n\r\t)"), "\b\f\n\r\t");
  EXPECT_EQ(decode(R"(\u0041\u00e9\u20AC)"), "A\xC3\xA9\xE2\x82\xAC");
  EXPECT_EQ(decode(R"(\ud83d\ude00!)"), "\xF0\x9F\x98\x80!");
}

TEST(KinetoText, KeepsWhatIsNoEscapeAndReplacesHalfPairs) {
  EXPECT_EQ(decode(R"(C:\Work\x.py)"), R"(C:\Work\x.py)");
  EXPECT_EQ(decode(R"(\u12)"), R"(\u12)");
  EXPECT_EQ(decode(R"(\uZZZZ)"), R"(\uZZZZ)");
  EXPECT_EQ(decode(R"(end\)"), R"(end\)");
  EXPECT_EQ(decode(R"(\ud83d)"), "\xEF\xBF\xBD");
  EXPECT_EQ(decode(R"(\ude00x)"), "\xEF\xBF\xBDx");
  EXPECT_EQ(decode(R"(\ud83d\u0041)"),
            "\xEF\xBF\xBD"
            "A");
}

TEST(KinetoText, RepairsUtf8ByteByByte) {
  EXPECT_EQ(repaired_utf8("gr\xC3\xBC\xC3\x9F \xE2\x82\xAC \xF0\x9F\x98\x80"),
            "gr\xC3\xBC\xC3\x9F \xE2\x82\xAC \xF0\x9F\x98\x80");
  const std::string mark = "\xEF\xBF\xBD";
  EXPECT_EQ(repaired_utf8("a\xFFz"), "a" + mark + "z");
  EXPECT_EQ(repaired_utf8("\xC0\x80"), mark + mark) << "overlong";
  EXPECT_EQ(repaired_utf8("\xED\xA0\x80"), mark + mark + mark) << "surrogate";
  EXPECT_EQ(repaired_utf8("\xF4\x90\x80\x80"), mark + mark + mark + mark) << "above U+10FFFF";
  EXPECT_EQ(repaired_utf8("\xE2\x82"), mark + mark) << "cut";
}

}  // namespace
}  // namespace stepscope::kineto
