// SPDX-License-Identifier: Apache-2.0
// From a table section to rows appended to the model's columns, by the column list in columns.hpp.
// Ids stay those of the file; whoever calls this translates the appended rows.
#pragma once

#include <algorithm>
#include <array>
#include <type_traits>
#include <vector>

#include "core/store/columns.hpp"
#include "core/store/reader/byte_source.hpp"

namespace stepscope::store {

struct StoredColumn {
  bool present = false;
  Encoding encoding = Encoding::constant;
  Bytes bytes;
};

inline constexpr std::size_t kMaxColumns = 32;

struct StoredTable {
  std::size_t rows = 0;
  std::array<StoredColumn, kMaxColumns> columns;
  bool ok = false;
};

StoredTable read_table(Bytes section);

bool decode_times(const StoredTable& table, std::vector<std::int64_t>& begin,
                  std::vector<std::int64_t>& end);

// Appends table.rows values; false (and some or all of them appended) where the column is
// malformed.
template <class T>
bool decode_column(const StoredColumn& column, std::size_t rows, Coding coding,
                   std::vector<T>& out);

// True where every column of the table could be read. The columns grow by table.rows each, or not
// at all.
template <class Table>
bool decode_table(const StoredTable& stored, Table& out);

// Cuts all columns back to `rows`.
template <class Table>
void truncate(Table& table, std::size_t rows);

// --- implementation of the templates ---

// One value a row, made by next(cursor, end, value), which says whether it could be read.
template <class T, class Next>
bool decode_each(Bytes bytes, T* out, std::size_t rows, Next next) {
  const std::uint8_t* at = bytes.data();
  const std::uint8_t* const end = at + bytes.size();
  for (std::size_t i = 0; i < rows; ++i) {
    std::uint64_t value;
    if (!read_varint(at, end, value)) return false;
    out[i] = next(value);
  }
  return at == end;
}

template <class T>
T unbiased(std::uint64_t stored, std::uint8_t bias) {
  return static_cast<T>(stored - bias);
}

template <class T>
bool decode_varints(const StoredColumn& column, std::size_t rows, Coding coding, T* out) {
  const std::uint8_t bias = coding.bias;
  switch (column.encoding) {
    case Encoding::constant: {
      ByteSource source(column.bytes);
      std::fill_n(out, rows, unbiased<T>(source.varint(), bias));
      return source.ok() && source.left() == 0;
    }
    case Encoding::plain:
      return decode_each(column.bytes, out, rows,
                         [bias](std::uint64_t v) { return unbiased<T>(v, bias); });
    case Encoding::delta: {
      std::uint64_t sum = 0;
      return decode_each(column.bytes, out, rows, [&sum, bias](std::uint64_t v) {
        sum += static_cast<std::uint64_t>(unzigzag(v));
        return unbiased<T>(sum, bias);
      });
    }
    case Encoding::sparse_delta: {
      std::uint64_t sum = 0;
      return decode_each(column.bytes, out, rows, [&sum, bias](std::uint64_t v) {
        if (v == 0) return unbiased<T>(0, bias);
        sum += static_cast<std::uint64_t>(unzigzag(v - 1));
        return unbiased<T>(sum, bias);
      });
    }
    default:
      return false;
  }
}

template <class T>
bool decode_column(const StoredColumn& column, std::size_t rows, Coding coding,
                   std::vector<T>& out) {
  const std::size_t base = out.size();
  out.resize(base + rows);
  if (!column.present) {
    if constexpr (std::is_unsigned_v<T>)
      std::fill_n(out.data() + base, rows, unbiased<T>(0, coding.bias));
    return true;
  }
  if constexpr (sizeof(T) == 1 || std::is_same_v<T, double>) {
    if (sizeof(T) == 1 && column.encoding == Encoding::constant) {
      if (column.bytes.size() != 1 || column.bytes[0] >= 0x80U) return false;
      std::fill_n(out.data() + base, rows, static_cast<T>(column.bytes[0]));
      return true;
    }
    constexpr Encoding kOnly = sizeof(T) == 1 ? Encoding::bytes : Encoding::words;
    if (column.encoding != kOnly || column.bytes.size() != rows * sizeof(T)) return false;
    std::memcpy(out.data() + base, column.bytes.data(), column.bytes.size());
    return true;
  } else {
    return decode_varints(column, rows, coding, out.data() + base);
  }
}

struct ColumnDecoder {
  const StoredTable& table;
  bool ok = true;
  void times(std::vector<std::int64_t>& begin, std::vector<std::int64_t>& end) {
    ok = decode_times(table, begin, end) && ok;
  }
  template <class T>
  void column(std::size_t id, Coding coding, std::vector<T>& values) {
    ok = decode_column(table.columns[id], table.rows, coding, values) && ok;
  }
};

// Calls act(column) for each stored column of a table.
template <class Act>
struct EachColumn {
  Act act;
  template <class T>
  void times(std::vector<T>& begin, std::vector<T>& end) {
    act(begin);
    act(end);
  }
  template <class T>
  void column(std::size_t, Coding, std::vector<T>& values) {
    act(values);
  }
};

template <class Table, class Act>
void for_each_column(Table& table, Act act) {
  visit_columns(table, EachColumn<Act>{act});
}

template <class Table>
bool decode_table(const StoredTable& stored, Table& out) {
  const std::size_t before = out.size();
  ColumnDecoder decoder{stored};
  visit_columns(out, decoder);
  if (!decoder.ok) truncate(out, before);
  return decoder.ok;
}

template <class Table>
void truncate(Table& table, std::size_t rows) {
  for_each_column(table, [rows](auto& column) { column.resize(rows); });
}

}  // namespace stepscope::store
