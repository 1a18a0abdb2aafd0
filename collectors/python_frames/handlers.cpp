// SPDX-License-Identifier: Apache-2.0
#include "collectors/python_frames/handlers.hpp"

#include <algorithm>

namespace stepscope::python {
namespace {

struct Entry {
  std::uint32_t begin = 0, end = 0, target = 0;
};

class Entries {
 public:
  Entries(std::span<const unsigned char> table, std::size_t units) noexcept
      : table_(table), units_(units) {}

  // False: at the end of the table, or at an entry that is malformed.
  bool next(Entry& out) noexcept {
    std::uint32_t size = 0, depth = 0;
    if (!number(out.begin) || !number(size) || !number(out.target) || !number(depth)) return false;
    out.end = out.begin + size;
    return out.end <= units_ && out.target < units_;
  }

 private:
  bool number(std::uint32_t& out) noexcept {
    out = 0;
    while (at_ < table_.size() && out < 1U << 20U) {
      const unsigned char byte = table_[at_++];
      out = out << 6U | (byte & 0x3FU);
      if ((byte & 0x40U) == 0) return true;
    }
    return false;
  }

  std::span<const unsigned char> table_;
  std::size_t units_, at_ = 0;
};

class Finder {
 public:
  Finder(std::span<const unsigned char> table, std::size_t units,
         std::span<Handler, kMostHandlers> out) noexcept
      : table_(table), units_(units), out_(out) {}

  Handlers find() noexcept {
    Handlers found{.begin = first_target()};
    begin_ = found.begin;
    Entries entries(table_, units_);
    for (Entry entry; entries.next(entry);) add(entry);
    settle();
    found.count = merge();
    return found;
  }

 private:
  std::size_t first_target() const noexcept {
    std::size_t first = units_;
    Entries entries(table_, units_);
    for (Entry entry; entries.next(entry);) first = std::min<std::size_t>(first, entry.target);
    return first;
  }

  std::span<Handler> found() noexcept { return std::span(out_).first(count_); }

  Handler* handler_at(std::uint32_t target) noexcept {
    const auto at =
        std::lower_bound(found().begin(), found().end(), target,
                         [](const Handler& one, std::uint32_t unit) { return one.begin < unit; });
    if (at != found().end() && at->begin == target) return &*at;
    if (count_ == out_.size()) return nullptr;
    const auto place = at - found().begin();
    std::move_backward(out_.begin() + place, out_.begin() + static_cast<std::ptrdiff_t>(count_),
                       out_.begin() + static_cast<std::ptrdiff_t>(count_) + 1);
    ++count_;
    out_[static_cast<std::size_t>(place)] = {.begin = static_cast<std::uint16_t>(target)};
    return &out_[static_cast<std::size_t>(place)];
  }

  // Only code in front of all handlers counts. Where a handler guards none of it, the instruction of
  // another handler that it guards is kept for settle(), as a stretch without a length.
  void add(const Entry& entry) noexcept {
    Handler* handler = handler_at(entry.target);
    if (handler == nullptr) return;
    const auto begin = static_cast<std::uint16_t>(entry.begin);
    const auto end = static_cast<std::uint16_t>(std::min<std::size_t>(entry.end, begin_));
    const bool has_stretch = handler->guards_begin < handler->guards_end;
    if (entry.begin >= begin_) {
      if (!has_stretch) handler->guards_begin = handler->guards_end = begin;
    } else if (!has_stretch) {
      handler->guards_begin = begin;
      handler->guards_end = end;
    } else {
      handler->guards_begin = std::min(handler->guards_begin, begin);
      handler->guards_end = std::max(handler->guards_end, end);
    }
  }

  void settle() noexcept {
    for (std::size_t i = 0; i < count_; ++i) {
      Handler& one = out_[i];
      one.end = i + 1 < count_ ? out_[i + 1].begin : static_cast<std::uint16_t>(units_);
      if (one.guards_begin < one.guards_end) continue;
      const auto within =
          std::find_if(found().begin(), found().begin() + static_cast<std::ptrdiff_t>(i),
                       [&](const Handler& it) { return it.holds(one.guards_begin); });
      if (within == found().begin() + static_cast<std::ptrdiff_t>(i)) continue;
      one.guards_begin = within->guards_begin;
      one.guards_end = within->guards_end;
    }
  }

  std::size_t merge() noexcept {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      const bool same = kept > 0 && out_[kept - 1].guards_begin == out_[i].guards_begin &&
                        out_[kept - 1].guards_end == out_[i].guards_end;
      if (same)
        out_[kept - 1].end = out_[i].end;
      else
        out_[kept++] = out_[i];
    }
    return kept;
  }

  std::span<const unsigned char> table_;
  std::size_t units_, begin_ = 0, count_ = 0;
  std::span<Handler, kMostHandlers> out_;
};

}  // namespace

Handlers find_handlers(std::span<const unsigned char> table, std::size_t units,
                       std::span<Handler, kMostHandlers> out) noexcept {
  return Finder(table, units, out).find();
}

}  // namespace stepscope::python
