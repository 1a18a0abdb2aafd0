// SPDX-License-Identifier: Apache-2.0
#include "core/summary/job/rank_summary.hpp"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <type_traits>

#include "core/store/format.hpp"
#include "core/summary/job/packed.hpp"

namespace stepscope::job {
namespace {

using store::Bytes;
using store::ByteSink;
using store::ByteSource;

constexpr std::array<std::uint8_t, 8> kMagic = {0x89, 'S', 'S', 'R', '\r', '\n', 0x1a, '\n'};
constexpr std::size_t kHeader = kMagic.size() + 4;
constexpr std::uint64_t kMostUnpacked = std::uint64_t{1} << 28U;
constexpr int kFast = 1, kSmall = 9;  // levels of zstd

Bytes bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}
std::string text_of(const ByteSink& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void put_text(std::string_view text, ByteSink& out) {
  out.put_varint(text.size());
  out.put_bytes(text.data(), text.size());
}

void put_origin(const SummaryOrigin& origin, ByteSink& out) {
  put_text(origin.build, out);
  out.put_varint(origin.files.size());
  for (const store::FileMark& file : origin.files) {
    put_text(file.name, out);
    out.put_varint(file.bytes);
    out.put(file.mark);
  }
}

Status check_origin(const SummaryOrigin& expected, ByteSource& in) {
  const std::string build(in.text());
  if (build != expected.build)
    return bad_input(fmt::format("build: it was written by stepscope {}, and this is {}", build,
                                 expected.build));
  const std::uint64_t files = in.varint();
  if (files != expected.files.size())
    return bad_input(fmt::format("files: it was made of {} files, and its rank has {}", files,
                                 expected.files.size()));
  for (const store::FileMark& file : expected.files) {
    const std::string name(in.text());
    const std::uint64_t bytes = in.varint();
    const auto mark = in.get<std::uint32_t>();
    if (store::FileMark{name, bytes, mark} != file)
      return bad_input(
          fmt::format("files: it was made of {} of {} bytes, and {} of {} bytes is "
                      "another",
                      name, bytes, file.name, file.bytes));
  }
  return Done{};
}

// No row is below zero or above the wall time, so that no sum overflows.
template <class Row>
Status must_sum_to(const char* field, std::int64_t wall, const std::vector<Row>& rows) {
  std::int64_t left = wall;
  for (const Row& row : rows) {
    if constexpr (std::is_same_v<Row, CellRow>)
      if (row.device) continue;
    if (row.ns_total < 0 || row.ns_total > left)
      return bad_input(fmt::format("{}: they sum to more than the counted steps take", field));
    left -= row.ns_total;
  }
  if (left == 0) return Done{};
  return bad_input(
      fmt::format("{}: they sum to {} ns less than the counted steps take", field, left));
}

Status check_rows(const Summary& summary) {
  const std::size_t steps = summary.steps.list.size();
  if (summary.step_parts.size() != steps) return bad_input("step_parts: not one a step");
  const auto is_row = [steps](std::uint32_t row) { return row < steps; };
  for (const auto* rows : {&summary.counted, &summary.long_steps.rows})
    if (!std::all_of(rows->begin(), rows->end(), is_row))
      return bad_input("counted: it names a step that is not there");
  return Done{};
}

bool in_order(const std::vector<Interval>& times) {
  for (std::size_t i = 0; i < times.size(); ++i)
    if (times[i].empty() || (i > 0 && times[i].begin < times[i - 1].end)) return false;
  return true;
}

Status check_pieces(const RankRecord& record, const Owners& owners) {
  for (std::size_t i = 0; i < record.pieces.size(); ++i) {
    const Piece& piece = record.pieces[i];
    const bool follows = i == 0 || piece.time.begin == record.pieces[i - 1].time.end;
    if (piece.time.empty() || !follows)
      return bad_input(
          fmt::format("pieces[{}].time: it does not begin where the one before ends", i));
    if (piece.owner >= owners.size())
      return bad_input(fmt::format("pieces[{}].owner: there are {} owners", i, owners.size()));
    if (piece.collective != kNone && piece.collective >= record.collectives.size())
      return bad_input(fmt::format("pieces[{}].collective: there are {} collectives", i,
                                   record.collectives.size()));
  }
  if (record.steps.empty() || !in_order(record.steps))
    return bad_input("steps: they do not follow each other");
  if (record.host_waits && !in_order(*record.host_waits))
    return bad_input("host_waits: they do not follow each other");
  return Done{};
}

// The ledger decides anew which part of a transfer is waiting.
Cause cause_in_ledger(Cause cause) {
  return cause == Cause::comm_late_rank ? Cause::comm_transfer : cause;
}

PerCause<std::int64_t> pieces_by_cause(const RankRecord& record, const Owners& owners) {
  PerCause<std::int64_t> out{};
  auto piece = record.pieces.begin();
  for (const Interval& step : record.steps) {
    while (piece != record.pieces.end() && piece->time.end <= step.begin) ++piece;
    for (auto at = piece; at != record.pieces.end() && at->time.begin < step.end; ++at)
      out[index_of(owners[at->owner].cause)] += intersect(at->time, step).length();
  }
  return out;
}

Status check_sums(const RankPart& rank, const Owners& owners) {
  const PartitionSummary& partition = rank.summary.partition;
  std::int64_t wall = 0;
  for (const Interval& step : rank.record->steps) wall += step.length();
  if (partition.wall_ns_total != wall || partition.steps_counted != rank.record->steps.size())
    return bad_input(
        fmt::format("partition.wall_ns_total: it is {} ns, but the counted steps take "
                    "{} ns",
                    partition.wall_ns_total, wall));
  Status holds = must_sum_to("partition.parts", wall, partition.parts);
  if (holds) holds = must_sum_to("cells", wall, rank.summary.cells);
  if (!holds) return holds;
  PerCause<std::int64_t> left = pieces_by_cause(*rank.record, owners);
  for (const PartSum& part : partition.parts)
    left[index_of(cause_in_ledger(part.cause))] -= part.ns_total;
  for (std::size_t cause = 0; cause < kCauseCount; ++cause)
    if (left[cause] != 0)
      return bad_input(fmt::format("pieces: those of {} sum to {} ns more than its part",
                                   name_of(static_cast<Cause>(cause)), left[cause]));
  return Done{};
}

}  // namespace

std::string pack_part(const JobPart& part, Packing packing) {
  Packer packer;
  packer(part);
  const ByteSink& raw = packer.bytes();
  ByteSink out;
  out.put_varint(raw.size());
  const std::size_t bound = ZSTD_compressBound(raw.size());
  std::uint8_t* at = out.room(bound);
  at += ZSTD_compress(at, bound, raw.data(), raw.size(), packing == Packing::fast ? kFast : kSmall);
  out.advance_to(at);
  return text_of(out);
}

Result<JobPart> unpack_part(std::string_view packed) {
  ByteSource in(bytes_of(packed));
  const std::uint64_t size = in.varint();
  if (!in.ok() || size > kMostUnpacked || size > 4096 * (in.left() + 1))
    return bad_input("part: its length is not possible");
  std::vector<std::uint8_t> raw(static_cast<std::size_t>(size));
  const Bytes frame = in.take(in.left());
  if (ZSTD_decompress(raw.data(), raw.size(), frame.data(), frame.size()) != raw.size())
    return bad_input("part: it cannot be decompressed");
  Unpacker unpacker({raw.data(), raw.size()});
  JobPart out;
  unpacker(out);
  if (!unpacker.ok() || unpacker.left() != 0) return bad_input("part: its values do not fit it");
  return out;
}

bool names(const JobPart& part, std::string_view text) {
  Packer packer;
  packer(part);
  return text_of(packer.bytes()).find(text) != std::string::npos;
}

Status check_part(const JobPart& part) {
  for (const RankPart& rank : part.ranks) {
    if (!rank.record) continue;
    if (rank.record->rank != rank.rank || rank.summary.run.rank != rank.rank)
      return bad_input("rank: it names two ranks");
    Status holds = check_rows(rank.summary);
    if (holds) holds = check_pieces(*rank.record, part.owners);
    if (holds) holds = check_sums(rank, part.owners);
    if (!holds) return holds;
  }
  return Done{};
}

std::string rank_summary_bytes(const JobPart& part, const SummaryOrigin& origin) {
  ByteSink out;
  put_origin(origin, out);
  const std::string packed = pack_part(part);
  out.put_bytes(packed.data(), packed.size());
  ByteSink head;
  head.put_bytes(kMagic.data(), kMagic.size());
  head.put(store::crc32c(out.data(), out.size()));
  return text_of(head) + text_of(out);
}

Result<JobPart> read_rank_summary(std::string_view file, const SummaryOrigin& expected) {
  ByteSource in(bytes_of(file));
  const Bytes magic = in.take(kMagic.size());
  if (!std::equal(magic.begin(), magic.end(), kMagic.begin(), kMagic.end()))
    return bad_input("magic: it is no summary of a rank");
  const auto crc = in.get<std::uint32_t>();
  if (!in.ok() || crc != store::crc32c(file.data() + kHeader, file.size() - kHeader))
    return bad_input("CRC: it is damaged or cut");
  const Status same = check_origin(expected, in);
  if (!same) return same.error();
  if (!in.ok()) return bad_input("files: it is cut");
  const Bytes packed = in.take(in.left());
  auto part = unpack_part({reinterpret_cast<const char*>(packed.data()), packed.size()});
  if (!part) return part;
  const Status holds = check_part(*part);
  if (!holds) return holds.error();
  return part;
}

}  // namespace stepscope::job
