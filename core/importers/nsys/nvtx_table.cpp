// SPDX-License-Identifier: Apache-2.0
#include "core/importers/nsys/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/importers/kineto/json/text.hpp"

namespace stepscope::nsys {
namespace {

// ENUM_NSYS_EVENT_TYPE: NVTX itself, and the extension for foreign threads ("Nvtxt").
enum EventType : std::int64_t {
  kMark = 34,
  kPushPop = 59,
  kStartEnd = 60,
  kForeignMark = 65,
  kForeignPushPop = 70,
  kForeignStartEnd = 71,
  kDomainCreate = 75,
};

bool is_range(std::int64_t type) {
  return type == kPushPop || type == kStartEnd || type == kForeignPushPop ||
         type == kForeignStartEnd;
}

// Columns as asked for below.
enum Column { kStart, kEnd, kType, kText, kTextId, kThread, kDomain };

class NvtxReader {
 public:
  NvtxReader(Filling& to, std::int64_t last) : to_(to), last_(last) {}

  // Domains are created before, and anywhere in the table.
  Status read_domains() {
    return to_.database.each(kTable, {"eventType", "text", "textId", "domainId", "globalTid"},
                             [this](const Row& row) {
                               if (row.integer(0) != kDomainCreate) return;
                               domains_[domain_key(row, 3, 4)] =
                                   row.null(1) ? to_.names.of(row.integer(2)) : intern(row.text(1));
                             });
  }

  Status read_events() {
    Status status =
        to_.each(kTable, {"start", "end", "eventType", "text", "textId", "globalTid", "domainId"},
                 [this](const Row& row) { add(row); });
    if (open_ > 0) {
      to_.data.health.notes.push_back(fmt::format(
          "{} NVTX ranges were still open when recording stopped: they end there", open_));
    }
    return status;
  }

 private:
  static constexpr const char* kTable = "NVTX_EVENTS";
  using DomainKey = std::pair<std::int64_t, std::int64_t>;  // process and number

  static DomainKey domain_key(const Row& row, int domain, int thread) {
    constexpr std::int64_t kThreadBits = 0xffffff;
    return {row.integer(thread) & ~kThreadBits, row.integer(domain)};
  }

  StringId intern(std::string_view text) { return to_.names.intern(kineto::repaired_utf8(text)); }

  StringId text_of(const Row& row) {
    if (!row.null(kText)) return intern(row.text(kText));
    return row.null(kTextId) ? 0 : to_.names.of(row.integer(kTextId));
  }

  StringId domain_of(const Row& row) const {
    const auto found = domains_.find(domain_key(row, kDomain, kThread));
    return found == domains_.end() ? 0 : found->second;
  }

  void add(const Row& row) {
    const std::int64_t type = row.integer(kType);
    if (type == kMark || type == kForeignMark) return add_mark(row);
    if (is_range(type)) add_range(row);
  }

  void add_mark(const Row& row) {
    const std::int64_t time = to_.time(row, kStart);
    if (!to_.placed(time)) return;
    to_.data.marks.time.push_back(time);
    to_.data.marks.name.push_back(text_of(row));
    to_.data.marks.thread.push_back(to_.entities.thread(row, kThread));
  }

  std::int64_t end_of(const Row& row, std::int64_t begin) {
    if (!row.null(kEnd)) return to_.time(row, kEnd);
    ++open_;
    return std::max(begin, last_);
  }

  void add_range(const Row& row) {
    const std::int64_t begin = to_.time(row, kStart);
    if (!to_.placed(begin)) return;
    const ThreadId thread = to_.entities.thread(row, kThread);
    const std::int64_t end = end_of(row, begin);
    if (!row.null(kText)) {
      if (surrounds_op(row.text(kText))) return;
      if (const auto op = parse_op_annotation(row.text(kText))) {
        const RangeId range = to_.add_range(begin, end, intern(op->name), thread, op->kind);
        to_.data.host_ranges.sequence[range] = op->sequence;
        return;
      }
    }
    add_named(text_of(row), begin, end, thread, domain_of(row));
  }

  // A registered text may be an op's as well, though none has arguments in its name.
  void add_named(StringId name, std::int64_t begin, std::int64_t end, ThreadId thread,
                 StringId domain) {
    const auto op = parse_op_annotation(to_.names.view(name));
    const RangeId range =
        to_.add_range(begin, end, name, thread, op ? op->kind : HostKind::nvtx_range);
    to_.data.host_ranges.category[range] = domain;
  }

  Filling& to_;
  std::int64_t last_;
  std::map<DomainKey, StringId> domains_;
  std::uint64_t open_ = 0;
};

}  // namespace

Status read_nvtx_table(Filling& to, std::int64_t last) {
  NvtxReader reader(to, last);
  if (Status domains = reader.read_domains(); !domains.ok()) return domains;
  return reader.read_events();
}

}  // namespace stepscope::nsys
