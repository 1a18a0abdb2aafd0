// SPDX-License-Identifier: Apache-2.0
// Plain structs as bytes and back, without loss. Only the build that packed them unpacks them, so
// the order of the members is the layout. Integers are varints, signed ones as zigzag; a text is
// written once and then named by its number; an interval is told by its distance from the end of the
// one before; doubles are 8 bytes.
//
// Unpacker trusts nothing: what does not fit makes ok() false, and all that follows is empty.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/store/reader/byte_source.hpp"
#include "core/store/writer/byte_sink.hpp"
#include "core/summary/job/packed_fields.hpp"

namespace stepscope::job {

class Packer {
 public:
  template <class... T>
  void operator()(const T&... values) {
    (put(values), ...);
  }
  const store::ByteSink& bytes() const { return out_; }

 private:
  template <class T>
  void put(const T& value) {
    if constexpr (std::is_same_v<T, double>) {
      out_.put(value);
    } else if constexpr (std::is_enum_v<T>) {
      out_.put_varint(static_cast<std::uint64_t>(value));
    } else if constexpr (std::is_unsigned_v<T>) {
      out_.put_varint(value);
    } else if constexpr (std::is_integral_v<T>) {
      out_.put_zigzag(value);
    } else {
      fields(*this, value);
    }
  }
  void put(const std::string& text) {
    const auto [at, is_new] = texts_.try_emplace(text, texts_.size());
    out_.put_varint(at->second);
    if (!is_new) return;
    out_.put_varint(text.size());
    out_.put_bytes(text.data(), text.size());
  }
  void put(const Interval& time) {
    out_.put_zigzag(time.begin - last_);
    out_.put_zigzag(time.end - time.begin);
    last_ = time.end;
  }
  void put(const ReasonShare& reason) {
    put(std::string(reason.id));
    put(reason.share);
  }
  void put(const Owners& owners) { put(owners.list()); }
  template <class T>
  void put(const std::vector<T>& rows) {
    out_.put_varint(rows.size());
    for (const T& row : rows) put(row);
  }
  template <class T, std::size_t N>
  void put(const std::array<T, N>& rows) {
    for (const T& row : rows) put(row);
  }
  template <class T>
  void put(const std::optional<T>& value) {
    put(value.has_value());
    if (value) put(*value);
  }
  template <class A, class B>
  void put(const std::pair<A, B>& both) {
    put(both.first);
    put(both.second);
  }

  store::ByteSink out_;
  std::map<std::string, std::size_t> texts_;
  std::int64_t last_ = 0;
};

class Unpacker {
 public:
  explicit Unpacker(store::Bytes bytes) : in_(bytes) {}

  template <class... T>
  void operator()(T&... values) {
    (get(values), ...);
  }
  bool ok() const { return in_.ok(); }
  std::size_t left() const { return in_.left(); }

 private:
  // Times since 1970 are below it; sums and differences of two stay within 64 bits.
  static constexpr std::int64_t kMostTime = std::int64_t{1} << 61U;
  static constexpr std::uint64_t kMostText = std::uint64_t{1} << 28U;  // sum over all texts

  template <class T>
  void get(T& value) {
    if constexpr (std::is_same_v<T, double>) {
      value = in_.get<double>();
    } else if constexpr (std::is_same_v<T, bool>) {
      value = below(2) != 0;
    } else if constexpr (std::is_enum_v<T>) {
      value = static_cast<T>(below(static_cast<std::uint64_t>(last_of(T{})) + 1));
    } else if constexpr (std::is_unsigned_v<T>) {
      const std::uint64_t read = in_.varint();
      value = static_cast<T>(read);
      if (value != read) in_.fail();
    } else if constexpr (std::is_integral_v<T>) {
      const std::int64_t read = time();
      value = static_cast<T>(read);
      if (value != read) in_.fail();
    } else {
      fields(*this, value);
    }
  }
  void get(std::string& text) {
    const std::uint64_t number = in_.varint();
    if (number == texts_.size()) texts_.emplace_back(in_.text());
    if (number >= texts_.size()) return in_.fail();
    text = texts_[static_cast<std::size_t>(number)];
    text_bytes_ += text.size();
    if (text_bytes_ > kMostText) in_.fail();
  }
  void get(Interval& interval) {
    interval.begin = last_ + time();
    interval.end = interval.begin + time();
    last_ = interval.end;
    if (!is_time(interval.begin) || !is_time(interval.end)) {
      in_.fail();
      last_ = 0;
      interval = {};
    }
  }
  void get(ReasonShare& reason) {
    std::string id;
    get(id);
    get(reason.share);
    const auto known = std::find_if(kClockReasons.begin(), kClockReasons.end(),
                                    [&](const ClockReason& r) { return r.id == id; });
    if (known == kClockReasons.end()) return in_.fail();
    reason.id = known->id;
    reason.meaning = known->meaning;
  }
  void get(Owners& owners) {
    std::vector<Owner> list;
    get(list);
    for (const Owner& owner : list) owners.id_of(owner);
    if (owners.size() != list.size()) in_.fail();
  }
  template <class T>
  void get(std::vector<T>& rows) {
    const std::uint64_t size = in_.varint();
    if (size > in_.left()) return in_.fail();  // each row takes a byte or more
    if constexpr (sizeof(T) <= sizeof(Piece)) rows.reserve(static_cast<std::size_t>(size));
    for (std::uint64_t row = 0; row < size && in_.ok(); ++row) get(rows.emplace_back());
  }
  template <class T, std::size_t N>
  void get(std::array<T, N>& rows) {
    for (T& row : rows) get(row);
  }
  template <class T>
  void get(std::optional<T>& value) {
    bool is_there = false;
    get(is_there);
    if (is_there) get(value.emplace());
  }
  template <class A, class B>
  void get(std::pair<A, B>& both) {
    get(both.first);
    get(both.second);
  }

  static bool is_time(std::int64_t value) { return -kMostTime < value && value < kMostTime; }
  std::int64_t time() {
    const std::int64_t read = in_.zigzag();
    if (!is_time(read)) in_.fail();
    return in_.ok() ? read : 0;
  }
  std::uint64_t below(std::uint64_t bound) {
    const std::uint64_t read = in_.varint();
    if (read >= bound) in_.fail();
    return in_.ok() ? read : 0;
  }

  store::ByteSource in_;
  std::vector<std::string> texts_;
  std::uint64_t text_bytes_ = 0;
  std::int64_t last_ = 0;
};

}  // namespace stepscope::job
