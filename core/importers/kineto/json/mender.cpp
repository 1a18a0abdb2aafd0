// SPDX-License-Identifier: Apache-2.0
#include "core/importers/kineto/json/mender.hpp"

#include <algorithm>
#include <array>

#include "core/importers/kineto/json/text.hpp"

namespace stepscope::kineto {
namespace {

constexpr int kMostTries = 2'000;
constexpr std::ptrdiff_t kLongestString = 1 << 16;
constexpr std::size_t kDeepest = 64;

constexpr std::array<std::string_view, 22> kEventKeys = {
    "ph",      "cat",     "name",     "pid",  "tid",   "ts",   "dur",   "args",
    "id",      "bp",      "s",        "id2",  "cname", "tts",  "scope", "sf",
    "bind_id", "flow_in", "flow_out", "tdur", "esf",   "stack"};

bool is_event_key(std::string_view key) {
  return std::find(kEventKeys.begin(), kEventKeys.end(), key) != kEventKeys.end();
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_of_word(char c) {
  return is_letter(c) || (c >= '0' && c <= '9') ||
         std::string_view("+-./_#%() ").find(c) != std::string_view::npos;
}

// What JSON has, and the words for numbers that the scanner takes.
bool is_scalar_word(std::string_view word) {
  if (word == "true" || word == "false" || word == "null") return true;
  const std::size_t first = word.find_first_not_of('-');
  return first != std::string_view::npos && word[first] >= '0' && word[first] <= '9' &&
         word.find_first_not_of("0123456789+-.eE") == std::string_view::npos;
}

// Text between two quotes, written as JSON.
void append_string(std::string_view text, bool escapes_count, std::string& out) {
  out += '"';
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && escapes_count && is_escape(text.substr(i))) {
      out.append(text.substr(i++, 2));
    } else {
      if (text[i] == '"' || text[i] == '\\') out += '\\';
      out += text[i];
    }
  }
  out += '"';
}

}  // namespace

bool Mender::skip_space(const char*& at) const {
  while (at < end_ && static_cast<unsigned char>(*at) <= ' ') ++at;
  return at < end_;
}

bool Mender::mend() {
  const bool is_event = unit_ == Unit::event;
  if (is_event && (begin_ == end_ || *begin_ != '{')) return false;
  for (const bool escapes_count : {true, false}) {
    now_ = {.escapes_count = escapes_count};
    tries_ = 0;
    const bool found = search({begin_ + (is_event ? 1 : 0), "{", Expect::key});
    if (found && now_.keys > best_.keys) best_ = now_;
  }
  return best_.keys >= 0;
}

bool Mender::search(State state) {
  const std::size_t edits = now_.edits.size();
  bool found = false;
  while (step(state, found)) {
  }
  if (!found) now_.edits.resize(edits);
  return found;
}

// False where the search ends here, with `found` or without.
bool Mender::step(State& state, bool& found) {
  if (unit_ == Unit::event && state.open.empty()) {
    now_.stop = state.at, now_.keys = state.keys;
    return found = is_followed(state.at), false;
  }
  if (!skip_space(state.at)) return false;
  if (state.expect == Expect::key) return take_key(state);
  if (state.expect == Expect::value) return take_value(state, found);
  return take_behind(state, found);
}

bool Mender::take_key(State& state) {
  if (*state.at == '}') {
    if (state.comma != nullptr) now_.edits.push_back({state.comma, state.comma + 1, As::nothing});
    return state.expect = Expect::behind_value, true;
  }
  if (*state.at != '"') return false;
  const char* const first = state.at + 1;
  const char* const last = std::find(first, end_, '"');
  state.at = last + 1;
  if (last == end_ || !skip_space(state.at)) return false;
  const std::string_view key(first, static_cast<std::size_t>(last - first));
  const bool is_outer = unit_ == Unit::event && state.open.size() == 1;
  if (*state.at != ':' || (is_outer && !is_event_key(key))) return false;
  state.comma = nullptr;
  state.keys += is_outer ? 1 : 0;
  return ++state.at, state.expect = Expect::value, true;
}

bool Mender::take_value(State& state, bool& found) {
  const char c = *state.at;
  if (c == '"') return found = try_strings(state), false;
  if (c == '{' || c == '[') {
    if (state.open.size() == kDeepest) return false;
    state.open += c;
    state.expect = c == '{' ? Expect::key : Expect::value;
    return ++state.at, true;
  }
  if (c == ']' && state.open.back() == '[') return state.expect = Expect::behind_value, true;
  return take_word(state);
}

bool Mender::take_word(State& state) {
  const char* const first = state.at;
  while (state.at < end_ && is_of_word(*state.at)) ++state.at;
  if (state.at == end_) return false;
  const char* last = state.at;
  while (last > first && last[-1] == ' ') --last;
  const std::string_view word(first, static_cast<std::size_t>(last - first));
  if (std::string_view(",]}").find(*state.at) == std::string_view::npos) return false;
  if (!is_scalar_word(word)) now_.edits.push_back({first, last, As::null});
  return state.expect = Expect::behind_value, true;
}

bool Mender::take_behind(State& state, bool& found) {
  const char c = *state.at;
  if (unit_ == Unit::member && state.open.size() == 1) {
    now_.stop = state.at, now_.keys = state.keys;
    return found = c == ',' || c == '}', false;
  }
  if (c == ',') {
    state.expect = state.open.back() == '{' ? Expect::key : Expect::value;
    state.comma = state.at;
    return ++state.at, true;
  }
  if (c != (state.open.back() == '{' ? '}' : ']')) return false;
  state.open.pop_back();
  return ++state.at, true;
}

// Behind an event comes another one, or the end of the list.
bool Mender::is_followed(const char* at) const {
  if (!skip_space(at)) return false;
  if (*at == ']') return true;
  if (*at != ',' || !skip_space(++at)) return false;
  return *at == '{' || *at == ']';
}

// A string does not reach into the next event.
bool Mender::begins_event(const char* quote) const {
  constexpr std::string_view kPhase = "\"ph\"";
  const auto size = static_cast<std::size_t>(end_ - quote);
  if (!std::string_view(quote, size).starts_with(kPhase)) return false;
  const char* at = quote + kPhase.size();
  return skip_space(at) && *at == ':';
}

bool Mender::ends_string(const State& state, const char* quote) const {
  const char* at = quote + 1;
  if (!skip_space(at)) return false;
  return *at == ',' || *at == (state.open.back() == '{' ? '}' : ']');
}

// Tries each quote that may end the string, the first one first.
bool Mender::try_strings(const State& state) {
  const char* const first = state.at + 1;
  const char* const last = end_ - first > kLongestString ? first + kLongestString : end_;
  for (const char* at = first; at < last; ++at) {
    if (*at == '\\' && now_.escapes_count) {
      ++at;
      continue;
    }
    if (*at != '"') continue;
    if (begins_event(at)) return false;
    if (!ends_string(state, at)) continue;
    if (++tries_ > kMostTries) return false;
    now_.edits.push_back({first, at, As::string});
    if (search({at + 1, state.open, Expect::behind_value, nullptr, state.keys})) return true;
    now_.edits.pop_back();
  }
  return false;
}

std::string Mender::text() const {
  std::string out;
  const char* at = begin_;
  for (const Edit& edit : best_.edits) {
    const std::ptrdiff_t quote = edit.as == As::string ? 1 : 0;
    out.append(at, edit.begin - quote);
    if (edit.as == As::null) out += "null";
    if (edit.as == As::string)
      append_string({edit.begin, static_cast<std::size_t>(edit.end - edit.begin)},
                    best_.escapes_count, out);
    at = edit.end + quote;
  }
  return out.append(at, best_.stop);
}

}  // namespace stepscope::kineto
