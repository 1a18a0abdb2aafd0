// SPDX-License-Identifier: Apache-2.0
#include "core/store/reader/decode_table.hpp"

namespace stepscope::store {
namespace {

// Undoes encode_chained: an even number is the gap to the end of the row before, an odd one the
// zigzag difference of begins. Durations come in the other column, so both are read row by row.
bool decode_chained(Bytes begins, Bytes durations, std::size_t rows, std::int64_t* begin,
                    std::int64_t* end) {
  const std::uint8_t* at = begins.data();
  const std::uint8_t* const stop = at + begins.size();
  const std::uint8_t* d_at = durations.data();
  const std::uint8_t* const d_stop = d_at + durations.size();
  std::uint64_t last_begin = 0;
  std::uint64_t last_end = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    std::uint64_t value;
    std::uint64_t duration;
    if (!read_varint(at, stop, value) || !read_varint(d_at, d_stop, duration)) return false;
    last_begin = (value & 1U) ? last_begin + static_cast<std::uint64_t>(unzigzag(value >> 1U))
                              : last_end + (value >> 1U);
    last_end = last_begin + duration;
    begin[i] = static_cast<std::int64_t>(last_begin);
    end[i] = static_cast<std::int64_t>(last_end);
  }
  return at == stop && d_at == d_stop;
}

}  // namespace

StoredTable read_table(Bytes section) {
  StoredTable table;
  ByteSource source(section);
  const std::uint64_t rows = source.varint();
  while (source.more()) {
    const auto id = source.get<std::uint8_t>();
    const auto encoding = source.get<Encoding>();
    const auto length = source.get<std::uint32_t>();
    const Bytes bytes = source.take(length);
    if (source.ok() && id < kMaxColumns) table.columns[id] = {true, encoding, bytes};
  }
  // Column 0 takes at least a byte a row unless all rows are equal: counts cannot outgrow the
  // section.
  table.rows = static_cast<std::size_t>(rows);
  table.ok = source.ok() && rows <= kMaxBatchRows && rows <= section.size();
  return table;
}

bool decode_times(const StoredTable& table, std::vector<std::int64_t>& begin,
                  std::vector<std::int64_t>& end) {
  const std::size_t base = begin.size();
  begin.resize(base + table.rows);
  end.resize(base + table.rows);
  const StoredColumn& begins = table.columns[0];
  const StoredColumn& durations = table.columns[1];
  if (!begins.present || !durations.present || durations.encoding != Encoding::plain) return false;
  if (begins.encoding == Encoding::chained) {
    return decode_chained(begins.bytes, durations.bytes, table.rows, begin.data() + base,
                          end.data() + base);
  }
  if (!decode_varints(begins, table.rows, kDelta, begin.data() + base)) return false;
  if (!decode_varints(durations, table.rows, kPlain, end.data() + base)) return false;
  for (std::size_t i = base; i < begin.size(); ++i) {
    end[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(begin[i]) +
                                       static_cast<std::uint64_t>(end[i]));
  }
  return true;
}

}  // namespace stepscope::store
