// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/llm/data/packing.hpp"

#include <iterator>
#include <map>

namespace stepscope::llm {
namespace {

// Documents as they lie in the shard.
class InOrder {
 public:
  InOrder(const std::vector<std::int64_t>& begins, std::int64_t size)
      : begins_(begins), size_(size) {}

  bool next(Piece& piece) {
    while (at_ < size_) {
      while (place_ < begins_.size() && begins_[place_] <= at_) ++place_;
      const std::int64_t end = place_ < begins_.size() ? begins_[place_] : size_;
      piece = {at_, end - at_};
      at_ = end;
      if (piece.count > 0) return true;
    }
    return false;
  }

 private:
  const std::vector<std::int64_t>& begins_;
  const std::int64_t size_;
  std::int64_t at_ = 0;
  std::size_t place_ = 0;
};

}  // namespace

PackedRows pack_documents(const std::vector<std::int64_t>& begins, std::int64_t size,
                          std::int64_t length, std::size_t buffer) {
  PackedRows out;
  InOrder documents(begins, size);
  std::multimap<std::int64_t, Piece> held;  // by their length
  const auto fill = [&] {
    Piece piece;
    while (held.size() < buffer && documents.next(piece)) held.emplace(piece.count, piece);
  };
  while (true) {
    std::int64_t left = length;
    while (left > 0) {
      fill();
      if (held.empty()) break;
      auto best = held.upper_bound(left);
      const bool fits = best != held.begin();
      best = std::prev(fits ? best : held.end());
      Piece piece = best->second;
      held.erase(best);
      if (!fits) {
        const Piece rest{piece.begin + left, piece.count - left};
        held.emplace(rest.count, rest);
        piece.count = left;
        ++out.cuts;
      }
      out.pieces.push_back(piece);
      left -= piece.count;
    }
    if (left > 0) break;
    out.rows.push_back(out.pieces.size());
  }
  out.pieces.resize(out.rows.back());
  return out;
}

}  // namespace stepscope::llm
