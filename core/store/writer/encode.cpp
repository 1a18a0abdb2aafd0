// SPDX-License-Identifier: Apache-2.0
#include "core/store/writer/batch.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "core/store/columns.hpp"

namespace stepscope::store {
namespace {

// The number in the file: the value, or the value plus one where all ones mean "not there".
template <class T>
std::uint64_t stored(T value, std::uint8_t bias) {
  if constexpr (std::is_enum_v<T>) {
    return static_cast<std::uint64_t>(value);
  } else if constexpr (std::is_same_v<T, std::uint32_t>) {
    return static_cast<std::uint32_t>(value + bias);
  } else {
    return static_cast<std::uint64_t>(value) + bias;
  }
}

template <class T>
bool all_equal(const std::vector<T>& values) {
  return std::equal(values.begin() + 1, values.end(), values.begin());
}

template <class T>
void encode_plain(const std::vector<T>& values, std::uint8_t bias, ByteSink& out) {
  std::uint8_t* at = out.room(values.size() * kMaxVarintBytes);
  for (T value : values) at = write_varint(at, stored(value, bias));
  out.advance_to(at);
}

template <class T>
void encode_delta(const std::vector<T>& values, std::uint8_t bias, ByteSink& out) {
  std::uint8_t* at = out.room(values.size() * kMaxVarintBytes);
  std::uint64_t before = 0;
  for (T value : values) {
    const std::uint64_t now = stored(value, bias);
    at = write_varint(at, zigzag(wrapping_difference(now, before)));
    before = now;
  }
  out.advance_to(at);
}

template <class T>
void encode_sparse_delta(const std::vector<T>& values, std::uint8_t bias, ByteSink& out) {
  static_assert(sizeof(T) <= 4, "1 + zigzag must not overflow");
  std::uint8_t* at = out.room(values.size() * kMaxVarintBytes);
  std::uint64_t before = 0;
  for (T value : values) {
    const std::uint64_t now = stored(value, bias);
    at = write_varint(at, now == 0 ? 0 : 1 + zigzag(wrapping_difference(now, before)));
    if (now != 0) before = now;
  }
  out.advance_to(at);
}

// Rows that follow one another cost their gap alone: the length of the row before is known already.
// False where a difference is too large to carry the extra bit.
bool encode_chained(const std::vector<std::int64_t>& begin, const std::vector<std::int64_t>& end,
                    ByteSink& out) {
  std::uint8_t* at = out.room(begin.size() * kMaxVarintBytes);
  std::int64_t last_begin = 0;
  std::int64_t last_end = 0;
  for (std::size_t i = 0; i < begin.size(); ++i) {
    const bool follows = begin[i] >= last_end;
    const std::int64_t difference =
        wrapping_difference(static_cast<std::uint64_t>(begin[i]),
                            static_cast<std::uint64_t>(follows ? last_end : last_begin));
    const std::uint64_t value =
        follows ? static_cast<std::uint64_t>(difference) : zigzag(difference);
    if (value >> 63U) return false;
    at = write_varint(at, value << 1U | (follows ? 0U : 1U));
    last_begin = begin[i];
    last_end = end[i];
  }
  out.advance_to(at);
  return true;
}

class TableEncoder {
 public:
  explicit TableEncoder(ByteSink& out) : out_(out) {}

  template <class T>
  void column(std::uint8_t id, Coding coding, const std::vector<T>& values) {
    if (values.empty()) return;
    // Column 0 takes a byte a row or more, so that a reader can check the row count against it.
    const bool constant = id != 0 && coding.encoding != Encoding::words && all_equal(values);
    start(id, constant ? Encoding::constant : coding.encoding);
    LengthPatch length(out_);
    if (constant) {
      if constexpr (!std::is_same_v<T, double>) out_.put_varint(stored(values[0], coding.bias));
    } else {
      encode(coding, values);
    }
    length.end();
  }

  void times(const std::vector<std::int64_t>& begin, const std::vector<std::int64_t>& end) {
    const std::size_t start_of_column = out_.size();
    start(0, Encoding::chained);
    LengthPatch length(out_);
    if (encode_chained(begin, end, out_)) {
      length.end();
    } else {
      out_.resize_down(start_of_column);
      start(0, Encoding::delta);
      LengthPatch again(out_);
      encode_delta(begin, 0, out_);
      again.end();
    }
    start(1, Encoding::plain);
    LengthPatch durations(out_);
    std::uint8_t* at = out_.room(begin.size() * kMaxVarintBytes);
    for (std::size_t i = 0; i < begin.size(); ++i) {
      at = write_varint(at,
                        static_cast<std::uint64_t>(end[i]) - static_cast<std::uint64_t>(begin[i]));
    }
    out_.advance_to(at);
    durations.end();
  }

 private:
  void start(std::uint8_t id, Encoding encoding) {
    out_.put(id);
    out_.put(static_cast<std::uint8_t>(encoding));
  }

  template <class T>
  void encode(Coding coding, const std::vector<T>& values) {
    if constexpr (sizeof(T) == 1 || std::is_same_v<T, double>) {
      out_.put_bytes(values.data(), values.size() * sizeof(T));
    } else if constexpr (sizeof(T) == 4) {
      if (coding.encoding == Encoding::sparse_delta)
        return encode_sparse_delta(values, coding.bias, out_);
      if (coding.encoding == Encoding::delta) return encode_delta(values, coding.bias, out_);
      encode_plain(values, coding.bias, out_);
    } else {
      if (coding.encoding == Encoding::delta) return encode_delta(values, coding.bias, out_);
      encode_plain(values, coding.bias, out_);
    }
  }

  ByteSink& out_;
};

template <class Table>
std::uint32_t encode_table(Section id, const Table& table, ByteSink& out, bool even_empty = false) {
  if (table.size() == 0 && !even_empty) return 0;
  out.put(id);
  LengthPatch length(out);
  out.put_varint(table.size());
  TableEncoder encoder(out);
  if (table.size() > 0) visit_columns(table, encoder);
  length.end();
  return static_cast<std::uint32_t>(table.size());
}

struct LengthCheck {
  std::size_t rows;
  bool ok = true;
  template <class T>
  void column(std::uint8_t id, Coding, const std::vector<T>& values) {
    ok = ok && (values.size() == rows || (values.empty() && id != 0));
  }
  void times(const std::vector<std::int64_t>& begin, const std::vector<std::int64_t>& end) {
    ok = ok && begin.size() == rows && end.size() == rows;
  }
};

template <class... Tables>
const char* check_all(const Tables&... tables) {
  const char* wrong = nullptr;
  const auto one = [&wrong](const auto& table) {
    LengthCheck lengths{table.size()};
    visit_columns(table, lengths);
    if (!lengths.ok) wrong = "a batch has columns of unequal length";
    if (table.size() > kMaxBatchRows) wrong = "a batch has more than 1048576 rows in one table";
  };
  (one(tables), ...);
  return wrong;
}

class Span {
 public:
  void add(const std::vector<std::int64_t>& times) {
    for (std::int64_t t : times) {
      first_ = std::min(first_, t);
      last_ = std::max(last_, t);
    }
  }
  void store(ChunkHeader& header) const {
    if (first_ > last_) return;
    header.first_ns = first_;
    header.last_ns = last_;
  }

 private:
  std::int64_t first_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t last_ = std::numeric_limits<std::int64_t>::min();
};

// Device ops without a time must not pull the span to zero.
void add_nonzero(Span& span, const std::vector<std::int64_t>& times) {
  std::vector<std::int64_t> known;
  if (std::find(times.begin(), times.end(), 0) == times.end()) return span.add(times);
  std::copy_if(times.begin(), times.end(), std::back_inserter(known),
               [](auto t) { return t != 0; });
  span.add(known);
}

Span span_of(const EventBatch& b) {
  Span span;
  span.add(b.host_ranges.begin), span.add(b.host_ranges.end);
  add_nonzero(span, b.device_ops.begin), add_nonzero(span, b.device_ops.end);
  span.add(b.syncs.begin), span.add(b.syncs.end);
  span.add(b.counters.time), span.add(b.marks.time), span.add(b.graph_nodes.time);
  span.add(b.samples.time), span.add(b.loop_positions.time);
  span.add(b.open.begin), span.add(b.late_ends.time);
  return span;
}

}  // namespace

const char* check(const EventBatch& b) {
  return check_all(b.host_ranges, b.calls, b.collectives, b.device_ops, b.graph_nodes, b.syncs,
                   b.counters, b.marks, b.samples, b.loop_positions, b.open, b.late_ends);
}

void encode_batch(const EventBatch& b, OpenNow open, ByteSink& out, ChunkHeader& header) {
  header.host_rows = encode_table(Section::host_ranges, b.host_ranges, out);
  header.call_rows = encode_table(Section::calls, b.calls, out);
  header.device_rows = encode_table(Section::device_ops, b.device_ops, out);
  header.other_rows = encode_table(Section::syncs, b.syncs, out);
  header.other_rows += encode_table(Section::counters, b.counters, out);
  header.other_rows += encode_table(Section::marks, b.marks, out);
  header.other_rows += encode_table(Section::graph_nodes, b.graph_nodes, out);
  header.other_rows += encode_table(Section::collectives, b.collectives, out);
  header.other_rows += encode_table(Section::samples, b.samples, out);
  header.other_rows += encode_table(Section::loop_positions, b.loop_positions, out);
  if (open != OpenNow::unchanged)
    encode_table(Section::open_ranges, b.open, out, open == OpenNow::none);
  encode_table(Section::late_ends, b.late_ends, out);
  span_of(b).store(header);
}

}  // namespace stepscope::store
