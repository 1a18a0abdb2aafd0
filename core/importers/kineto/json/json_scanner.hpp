// SPDX-License-Identifier: Apache-2.0
// A forward-only reader of JSON text that lies in one window of a longer document.
//
// Every call returns true and moves on, or returns false and leaves the reason in state(): the
// window ended too early (the caller slides it and starts the unit again) or the text is not JSON
// (at() is the offending byte, why() says what was expected). Nothing is copied and nothing
// recurses: values that are not wanted are skipped by matching brackets, at most kMaxDepth deep.
//
// Tolerated beyond the standard, because profilers write it: NaN, Infinity, inf and the like, any
// bytes in strings. Requires end[0] == '\0' and kPadding readable bytes from end on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace stepscope::kineto {

struct JsonValue {
  enum class Kind : std::uint8_t { absent, string, scalar, object, array };
  std::string_view text;  // string: between the quotes, still escaped; others: the whole value
  Kind kind = Kind::absent;
  bool escaped = false;  // string: holds a backslash
};

class JsonScanner {
 public:
  static constexpr std::size_t kPadding = 64;
  static constexpr std::size_t kMaxDepth = 1024;
  enum class State : std::uint8_t { good, window_ended, wrong };

  JsonScanner(const char* begin, const char* end) : at_(begin), end_(end) {}

  State state() const { return state_; }
  const char* at() const { return at_; }
  const char* why() const { return why_; }
  // Values taken that are words which JSON does not have: NaN, Infinity, None.
  unsigned odd_words() const { return odd_words_; }

  // Skips space; true where c follows, which it does not take.
  bool next_is(char c) { return skip_space() && *at_ == c; }
  // Skips space and takes c; where another character follows, take fails and take_if does not.
  bool take(char c, const char* wanted) {
    if (!skip_space()) return false;
    return *at_ == c ? (++at_, true) : fail(wanted);
  }
  bool take_if(char c) { return next_is(c) && (++at_, true); }
  bool string(JsonValue& out);
  bool value(JsonValue& out);
  bool fail(const char* why) { return why_ = why, state_ = State::wrong, false; }

 private:
  bool skip_space() {
    while (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r') ++at_;
    return at_ < end_ || short_of_text();
  }
  bool short_of_text() { return at_ = end_, state_ = State::window_ended, false; }
  bool scalar(JsonValue& out);
  bool container(JsonValue& out);

  const char* at_;
  const char* end_;
  const char* why_ = "";
  unsigned odd_words_ = 0;
  State state_ = State::good;
};

// Calls member(key, scanner) for each member of the object that follows; member takes the value and
// returns whether that went well.
template <class Member>
bool for_each_member(JsonScanner& scanner, Member member) {
  if (!scanner.take('{', "expected '{'")) return false;
  if (scanner.take_if('}')) return true;
  while (scanner.state() == JsonScanner::State::good) {
    JsonValue key;
    if (!scanner.next_is('"')) {
      return scanner.state() == JsonScanner::State::good &&
             scanner.fail("expected a key in quotes");
    }
    if (!scanner.string(key) || !scanner.take(':', "expected ':' after a key")) return false;
    if (!member(key, scanner)) return false;
    if (scanner.take_if('}')) return true;
    if (scanner.state() != JsonScanner::State::good) return false;
    if (!scanner.take(',', "expected ',' or '}' after a member")) return false;
  }
  return false;
}

}  // namespace stepscope::kineto
