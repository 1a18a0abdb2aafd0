// SPDX-License-Identifier: Apache-2.0
#include "core/importers/kineto/json/json_scanner.hpp"

#include <bit>
#include <bitset>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace stepscope::kineto {
namespace {

// Characters that a number or a bare word (true, null, NaN, -Infinity) is made of.
bool is_scalar(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
         c == '+' || c == '.';
}

bool begins_scalar(char c) {
  return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == 't' || c == 'f' || c == 'n' ||
         c == 'i' || c == 'N' || c == 'I';
}

// Both searches run to `end` at most and may read kPadding bytes past it.
#if defined(__SSE2__)
constexpr std::ptrdiff_t kStride = 16;

__m128i load(const char* at) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
}
__m128i equal(__m128i text, char c) {
  return _mm_cmpeq_epi8(text, _mm_set1_epi8(c));
}
unsigned mask(__m128i hits) {
  return static_cast<unsigned>(_mm_movemask_epi8(hits));
}

unsigned quotes(const char* at) {
  const __m128i text = load(at);
  return mask(_mm_or_si128(equal(text, '"'), equal(text, '\\')));
}

// '[' and ']' differ from '{' and '}' in bit 5 only.
unsigned brackets(const char* at) {
  const __m128i text = load(at);
  const __m128i folded = _mm_or_si128(text, _mm_set1_epi8(0x20));
  return mask(_mm_or_si128(equal(text, '"'), _mm_or_si128(equal(folded, '{'), equal(folded, '}'))));
}
#else
constexpr std::ptrdiff_t kStride = 1;
unsigned quotes(const char* at) {
  return *at == '"' || *at == '\\';
}
unsigned brackets(const char* at) {
  return *at == '"' || *at == '{' || *at == '}' || *at == '[' || *at == ']';
}
#endif

template <class Hits>
const char* find(const char* at, const char* end, Hits hits) {
  for (; at < end; at += kStride) {
    if (const unsigned found = hits(at)) {
      at += std::countr_zero(found);
      return at < end ? at : end;
    }
  }
  return end;
}

// The closing quote of the string whose text begins at `at`; end where the window holds none.
const char* closing_quote(const char* at, const char* end, bool& escaped) {
  for (at = find(at, end, quotes); at < end && *at == '\\'; at = find(at + 2, end, quotes))
    escaped = true;
  return at < end ? at : end;
}

// A hole of zero bytes, a disk's block at least, swallows events up to a quote behind it. Single ones are kept as
// they are written.
const char* hole_in(const char* first, const char* last) {
  constexpr std::ptrdiff_t kBlock = 512;
  if (last - first < kBlock) return nullptr;
  return static_cast<const char*>(std::memchr(first, '\0', static_cast<std::size_t>(last - first)));
}

constexpr const char* kHoleInString = "a string holds zero bytes";

}  // namespace

bool JsonScanner::string(JsonValue& out) {
  const char* const first = at_ + 1;
  out.kind = JsonValue::Kind::string;
  out.escaped = false;
  const char* const last = closing_quote(first, end_, out.escaped);
  if (last == end_) return short_of_text();
  if (const char* hole = hole_in(first, last)) return at_ = hole, fail(kHoleInString);
  out.text = {first, static_cast<std::size_t>(last - first)};
  return at_ = last + 1, true;
}

bool JsonScanner::scalar(JsonValue& out) {
  const char* const first = at_;
  if (!begins_scalar(*at_)) return fail("expected a value");
  while (is_scalar(*at_)) ++at_;
  if (at_ >= end_) return short_of_text();
  const char letter = *first == '-' ? first[1] : *first;
  const bool is_word_of_json = letter == 't' || letter == 'f' || (letter == 'n' && first[1] == 'u');
  if ((letter > '9' && !is_word_of_json) || *first == '+') ++odd_words_;
  out = {{first, static_cast<std::size_t>(at_ - first)}, JsonValue::Kind::scalar, false};
  return true;
}

bool JsonScanner::container(JsonValue& out) {
  const char* const first = at_;
  std::bitset<kMaxDepth + 1> is_object;
  std::size_t depth = 0;
  bool escaped = false;
  for (const char* at = at_; at < end_; ++at) {
    at = find(at, end_, brackets);
    if (at == end_) break;
    if (*at == '"') {
      const char* const text = at + 1;
      at = closing_quote(text, end_, escaped);
      if (at == end_) break;
      if (const char* hole = hole_in(text, at)) return at_ = hole, fail(kHoleInString);
    } else if (*at == '{' || *at == '[') {
      if (depth == kMaxDepth) return at_ = at, fail("nesting deeper than 1024");
      is_object[++depth] = *at == '{';
    } else {
      if (is_object[depth] != (*at == '}')) return at_ = at, fail("mismatched bracket");
      if (--depth > 0) continue;
      out = {{first, static_cast<std::size_t>(at + 1 - first)},
             *first == '{' ? JsonValue::Kind::object : JsonValue::Kind::array,
             false};
      return at_ = at + 1, true;
    }
  }
  return short_of_text();
}

bool JsonScanner::value(JsonValue& out) {
  if (!skip_space()) return false;
  if (*at_ == '"') return string(out);
  if (*at_ == '{' || *at_ == '[') return container(out);
  return scalar(out);
}

}  // namespace stepscope::kineto
