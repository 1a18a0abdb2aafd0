// SPDX-License-Identifier: Apache-2.0
#include "reports/markup/markup.hpp"

#include <gtest/gtest.h>

namespace stepscope {
namespace {

TEST(Markup, TextAndAttributesAreEscaped) {
  const std::string hostile = "</script><b a='1' b=\"2\">&amp;";
  EXPECT_EQ(text(hostile).str(), "&lt;/script&gt;&lt;b a=&#39;1&#39; b=&quot;2&quot;&gt;&amp;amp;");
  EXPECT_EQ(element("td", {{"title", "a\"b<c"}}, text("x")).str(),
            "<td title=\"a&quot;b&lt;c\">x</td>");
}

TEST(Markup, EmptyAttributesAreLeftOut) {
  EXPECT_EQ(element("p", {{"class", ""}, {"id", "a"}}, {}).str(), "<p id=\"a\"></p>");
  EXPECT_EQ(empty_element("rect", {{"x", "1"}}).str(), "<rect x=\"1\"/>");
}

TEST(Markup, ValidUtf8StaysAndTheRestIsReplaced) {
  EXPECT_EQ(printable("ä€😀"), "ä€😀");
  const std::string replaced = "\xef\xbf\xbd";
  EXPECT_EQ(printable("a\xff"
                      "b"),
            "a" + replaced + "b");
  EXPECT_EQ(printable("\xc3"), replaced);                 // cut off
  EXPECT_EQ(printable("\xc0\xaf"), replaced + replaced);  // overlong
  EXPECT_EQ(printable("\xe0\x80\xaf"), replaced + replaced + replaced);
  EXPECT_EQ(printable("\xed\xa0\x80"), replaced + replaced + replaced);  // surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), replaced + replaced + replaced + replaced);
}

TEST(Markup, ControlCharactersAreReplaced) {
  const std::string replaced = "\xef\xbf\xbd";
  EXPECT_EQ(printable("a\tb\nc"), "a\tb\nc");
  EXPECT_EQ(printable(std::string_view("\0\x1b\x7f", 3)), replaced + replaced + replaced);
  EXPECT_EQ(printable("\xc2\x80\xc2\x9f"), replaced + replaced);
  EXPECT_EQ(printable("\xc2\xa0"), "\xc2\xa0");
  EXPECT_EQ(printable("\xef\xbf\xbe\xef\xbf\xbf"), replaced + replaced);
}

}  // namespace
}  // namespace stepscope
