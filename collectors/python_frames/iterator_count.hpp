// SPDX-License-Identifier: Apache-2.0
// How far an iterator of CPython is, from its own words: those of range, list, tuple, enumerate and
// zip count. Objects/*.c of 3.11 to 3.14; the words lie behind the object's head of two.
//
// `read(from, to, size)` copies memory and says whether it could: the sampler reads a thread that
// runs, the recorder its own, which stands still.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "collectors/python_frames/interpreter.hpp"

namespace stepscope::python {

inline constexpr std::uint32_t kTypeNext = 224;  // PyTypeObject::tp_iternext, 3.8 to 3.14

struct IteratorCount {
  std::int64_t position = 0;  // grows by one with each that it gives; from 0, as a rule
  std::int64_t end = -1;      // the position behind the last; -1: not known
  bool is_driven = false;     // zip: its first driver counts, and is ahead while the others give
};

template <class Read>
class IteratorReader {
 public:
  IteratorReader(const Interpreter& python, Read read) noexcept : python_(python), read_(read) {}

  // False: it is no iterator that counts, or cannot be read.
  bool count(Object iterator, IteratorCount& out) const noexcept { return count(iterator, out, 0); }

 private:
  static constexpr std::size_t kHead = 48;  // bytes that hold all words of an iterator
  using Head = std::array<char, kHead>;
  static constexpr std::uint32_t kFirst = 16, kSecond = 24, kThird = 32, kFourth = 40;
  static constexpr std::uintptr_t kLowest = 4096;  // addresses below are none
  static constexpr std::uint32_t kMostReferences = 1U << 20U;
  static constexpr std::int64_t kMostIterations = std::int64_t{1} << 48U;
  static constexpr int kDeepest = 2;  // enumerate(zip(list))

  // An object that was let go has no references left, or the allocator's word in their place.
  bool read_head(Object object, Head& head) const noexcept {
    if (reinterpret_cast<std::uintptr_t>(object) < kLowest) return false;
    if (!read_(object, head.data(), head.size())) return false;
    const auto references = load<std::uint32_t>(head.data(), 0);
    return references > 0 && references < kMostReferences;
  }

  bool count(Object iterator, IteratorCount& out, int depth) const noexcept {
    Head head;
    if (depth > kDeepest || !read_head(iterator, head)) return false;
    const auto type = load<Object>(head.data(), python_.layout.object_type);
    const IteratorTypes& types = python_.iterators;
    bool counts = type != nullptr;
    if (type == types.range) {
      count_range(head, out);
    } else if (type == types.list || type == types.tuple) {
      count_sequence(head, out);
    } else if (type == types.enumerate) {
      count_enumerate(head, out, depth);
    } else {
      counts = counts && type == types.zip && count_zip(head, out, depth);
    }
    return counts && out.position > -kMostIterations && out.position < kMostIterations;
  }

  // 3.11: index, start, step, length. From 3.12 on: next value, step, what is left.
  void count_range(const Head& head, IteratorCount& out) const noexcept {
    if (python_.layout.range_has_index) {
      out.position = load<std::int64_t>(head.data(), kFirst);
      out.end = load<std::int64_t>(head.data(), kFourth);
      return;
    }
    const auto next = load<std::int64_t>(head.data(), kFirst);
    const auto step = load<std::int64_t>(head.data(), kSecond);
    // Rounded down, so that it grows by one whatever the begin is.
    out.position = step == 0 ? 0 : next / step - (next % step != 0 && (next < 0) != (step < 0));
    out.end = out.position + load<std::int64_t>(head.data(), kThird);
  }

  void count_sequence(const Head& head, IteratorCount& out) const noexcept {
    out.position = load<std::int64_t>(head.data(), kFirst);
    const auto sequence = load<Object>(head.data(), kSecond);
    if (sequence != nullptr)
      (void)read_(sequence + python_.layout.sequence_size, &out.end, sizeof out.end);
  }

  void count_enumerate(const Head& head, IteratorCount& out, int depth) const noexcept {
    IteratorCount driver;
    out.position = load<std::int64_t>(head.data(), kFirst);
    if (count(load<Object>(head.data(), kSecond), driver, depth + 1) && driver.end >= 0)
      out.end = out.position + driver.end - driver.position;
  }

  bool count_zip(const Head& head, IteratorCount& out, int depth) const noexcept {
    const auto drivers = load<Object>(head.data(), kSecond);
    Object first = nullptr;
    out.is_driven = true;
    return reinterpret_cast<std::uintptr_t>(drivers) >= kLowest &&
           read_(drivers + python_.layout.tuple_items, &first, sizeof first) &&
           count(first, out, depth + 1);
  }

  const Interpreter& python_;
  Read read_;
};

}  // namespace stepscope::python
