// SPDX-License-Identifier: Apache-2.0
// With STEPSCOPE_SMALL_SHAPES set (not to 0) the tests on a GPU keep every case that takes a way of
// its own through a kernel, in matrices and numbers of calls that a tool which slows kernels 10 to
// 100 times gets through (scripts/sanitize-kernels); without it they run as they stand.
//
// A small matrix keeps what makes its case: odd widths, begins that are not aligned, more work than
// blocks. Where a test crosses two lists, say patterns and counts, Turns lets each item have its
// turn, in place of each pair.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace stepscope::kernels {

inline bool small_shapes() {
  const char* const value = std::getenv("STEPSCOPE_SMALL_SHAPES");
  return value != nullptr && std::string_view(value) != "" && std::string_view(value) != "0";
}

template <class T>
T sized(const T& full, const T& small) {
  return small_shapes() ? small : full;
}

class Turns {
 public:
  // first: of equal tests, each begins with another item.
  explicit Turns(std::size_t first = 0, bool small = small_shapes())
      : turn_(first), small_(small) {}

  // All items; of small shapes they are dealt to so many hands, and each call gets the next hand.
  template <class T>
  std::vector<T> of(std::vector<T> items, std::size_t hands) {
    if (!small_) return items;
    std::vector<T> hand;
    for (std::size_t i = turn_++ % hands; i < items.size(); i += hands) hand.push_back(items[i]);
    return hand;
  }
  // All items; of small shapes one, the next at each call.
  template <class T>
  std::vector<T> one_of(std::vector<T> items) {
    const std::size_t hands = items.size();
    return of(std::move(items), hands);
  }

 private:
  std::size_t turn_;
  bool small_;
};

}  // namespace stepscope::kernels
