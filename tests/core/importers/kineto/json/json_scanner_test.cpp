// SPDX-License-Identifier: Apache-2.0
#include "core/importers/kineto/json/json_scanner.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace stepscope::kineto {
namespace {

using State = JsonScanner::State;

// Text with the padding that the scanner asks for.
class Padded {
 public:
  explicit Padded(std::string text) : size_(text.size()), text_(std::move(text)) {
    text_.append(JsonScanner::kPadding, '\0');
  }
  JsonScanner scanner() const { return {text_.data(), text_.data() + size_}; }

 private:
  std::size_t size_;
  std::string text_;
};

struct Outcome {
  State state;
  std::string text;
};

Outcome value_of(const std::string& text) {
  const Padded padded(text);
  JsonScanner scanner = padded.scanner();
  JsonValue value;
  scanner.value(value);
  return {scanner.state(), std::string(value.text)};
}

TEST(KinetoJsonScanner, TakesValuesWhole) {
  const std::pair<const char*, const char*> rows[] = {
      {"12.5,", "12.5"},
      {"  -3 }", "-3"},
      {"true]", "true"},
      {"NaN,", "NaN"},
      {"-Infinity,", "-Infinity"},
      {R"("a\"b" )", R"(a\"b)"},
      {R"("ends with \\" )", R"(ends with \\)"},
      {"[] ", "[]"},
      {R"([[1, 2], {"a": "]}\""}, []] ,)", R"([[1, 2], {"a": "]}\""}, []])"},
      {R"({"a": {"b": "{{{"}})", R"({"a": {"b": "{{{"}})"},
  };
  for (const auto& [text, expected] : rows) {
    const Outcome outcome = value_of(text);
    EXPECT_EQ(outcome.state, State::good) << text;
    EXPECT_EQ(outcome.text, expected) << text;
  }
}

// A block of the file was never written: events up to the next quote are gone.
TEST(KinetoJsonScanner, AHoleInAStringIsNoText) {
  const std::string hole(4096, '\0'), few(3, '\0');
  for (const auto& [before, after] :
       {std::pair{R"("Ev )", R"( Idx")"}, {R"({"a": "b)", R"(c"})"}, {R"([1, "b)", R"(", 2])"}}) {
    EXPECT_EQ(value_of(before + hole + after).state, State::wrong) << before;
    EXPECT_EQ(value_of(before + few + after).state, State::good) << before;
  }
}

TEST(KinetoJsonScanner, EveryPrefixOfAValueNeedsMore) {
  const std::string whole =
      R"({"key \" with {quotes}": [1.5, "text ]", {"a": [[], {}]}, null, "\\"], "long": "0123456789abcdefghij"})";
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(value_of(whole.substr(0, size)).state, State::window_ended) << whole.substr(0, size);
  }
  EXPECT_EQ(value_of(whole).state, State::good);
}

// Quotes, escapes and brackets at every position relative to the 16-byte strides of the search.
TEST(KinetoJsonScanner, FindsTheEndAtEveryAlignment) {
  for (std::size_t pad = 0; pad < 40; ++pad) {
    const std::string fill(pad, 'x');
    for (const std::string& text :
         {"\"" + fill + "\"", "\"" + fill + "\\\"" + fill + "\"", "[\"" + fill + "]\\\\\"]",
          "{\"" + fill + "\": [" + std::string(pad, ' ') + "]}"}) {
      const Outcome outcome = value_of(text + ",\"other\"]");
      EXPECT_EQ(outcome.state, State::good) << text;
      EXPECT_EQ(outcome.text.size(), text.front() == '"' ? text.size() - 2 : text.size()) << text;
    }
  }
}

TEST(KinetoJsonScanner, SaysWhereTextIsWrong) {
  struct Row {
    const char* text;
    std::ptrdiff_t at;
    const char* why;
  };
  const Row rows[] = {
      {"  @", 2, "expected a value"},      {"}", 0, "expected a value"},
      {"[1, 2}", 5, "mismatched bracket"}, {R"({"a": 1])", 7, "mismatched bracket"},
      {"'x'", 0, "expected a value"},
  };
  for (const Row& row : rows) {
    const Padded padded(row.text);
    JsonScanner scanner = padded.scanner();
    const char* const begin = scanner.at();
    JsonValue value;
    EXPECT_FALSE(scanner.value(value)) << row.text;
    EXPECT_EQ(scanner.state(), State::wrong) << row.text;
    EXPECT_EQ(scanner.at() - begin, row.at) << row.text;
    EXPECT_STREQ(scanner.why(), row.why) << row.text;
  }
}

TEST(KinetoJsonScanner, NestingHasALimitAndNoRecursion) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_EQ(value_of(nested(JsonScanner::kMaxDepth)).state, State::good);
  EXPECT_EQ(value_of(nested(JsonScanner::kMaxDepth + 1)).state, State::wrong);
  EXPECT_EQ(value_of(std::string(10'000'000, '[')).state, State::wrong);
}

TEST(KinetoJsonScanner, MembersOfAnObject) {
  const auto members = [](const std::string& text, State expected) {
    const Padded padded(text);
    JsonScanner scanner = padded.scanner();
    std::vector<std::string> out;
    for_each_member(scanner, [&out](const JsonValue& key, JsonScanner& inner) {
      JsonValue value;
      if (!inner.value(value)) return false;
      out.push_back(std::string(key.text) + "=" + std::string(value.text));
      return true;
    });
    EXPECT_EQ(scanner.state(), expected) << text;
    return out;
  };
  using Strings = std::vector<std::string>;
  EXPECT_EQ(members(R"( { "a" : 1 , "b":[2], "":"" } )", State::good),
            (Strings{"a=1", "b=[2]", "="}));
  EXPECT_EQ(members("{}", State::good), Strings{});
  members(R"({"a": 1,})", State::wrong);
  members(R"({"a" 1})", State::wrong);
  members(R"({a: 1})", State::wrong);
  members(R"({"a": 1 "b": 2})", State::wrong);
  members(R"({"a": 1,)", State::window_ended);
  members(R"([)", State::wrong);
}

}  // namespace
}  // namespace stepscope::kineto
