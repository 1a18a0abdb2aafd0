// SPDX-License-Identifier: Apache-2.0
// Lines: sums of the partition with names. Sites that differ only in their function are one line.
//
// An event's time may be cut into several segments of a row: it is one call, and its length is
// their sum. Each event remembers its newest part, and each part the one before it at another row,
// so that no list of parts is ever sorted: a trace has millions of them.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "core/summary/parts.hpp"
#include "core/summary/rows/by_time.hpp"

namespace stepscope::summary_parts {
namespace {

struct Part {  // a part of an event's time, owned at a row
  std::uint64_t event = 0;
  std::int64_t ns = 0;
  std::uint32_t row = 0;
  std::uint32_t previous = kNone;  // the part of the same event before this one
};

bool longer(const Part& a, const Part& b) {
  return a.ns != b.ns ? a.ns > b.ns : a.event < b.event;
}

std::string event_name(std::uint64_t event) {
  const bool device = (event & kDeviceBit) != 0;
  return fmt::format("{}{}", device ? 'd' : 'h', event & ~kDeviceBit);
}

class Parts {
 public:
  void add(const Segment& s, std::uint32_t row, std::int64_t ns) {
    const bool host = s.host_evidence != kNone;
    const std::uint32_t id = host ? s.host_evidence : s.device_evidence;
    if (id == kNone) return;
    std::uint32_t& newest = newest_part(host ? host_ : device_, id);
    std::uint32_t at = newest;
    while (at != kNone && parts_[at].row != row) at = parts_[at].previous;
    if (at != kNone) {
      parts_[at].ns += ns;
      return;
    }
    parts_.push_back({host ? id : kDeviceBit | id, ns, row, newest});
    newest = static_cast<std::uint32_t>(parts_.size() - 1);
  }
  const std::vector<Part>& all() const { return parts_; }

 private:
  static std::uint32_t& newest_part(std::vector<std::uint32_t>& newest, std::uint32_t id) {
    if (id >= newest.size()) newest.resize(id + std::size_t{1}, kNone);
    return newest[id];
  }

  std::vector<Part> parts_;
  std::vector<std::uint32_t> host_, device_;  // an event: its newest part
};

// Rows as (line, direction, cause), numbered as they are met.
class Rows {
 public:
  explicit Rows(const Trace& trace) : trace_(trace), line_of_site_(trace.data().sites.size()) {
    std::map<std::tuple<StringId, std::uint32_t, SiteKind>, std::uint32_t> lines;
    for (const Site& site : trace.data().sites)
      lines.try_emplace({site.file, site.line, site.kind}, 0);
    for (std::uint32_t next = 0; auto& [line, number] : lines) number = next++;
    for (SiteId site = 0; const Site& s : trace.data().sites)
      line_of_site_[site++] = lines.at({s.file, s.line, s.kind});
    site_of_line_.resize(lines.size(), kNone);
  }

  std::uint32_t of(const Segment& s) {
    const std::uint32_t line = line_of_site_[s.site];
    if (site_of_line_[line] == kNone) site_of_line_[line] = s.site;
    const std::uint64_t kind = static_cast<std::uint64_t>(s.direction) << 16U |
                               static_cast<std::uint64_t>(index_of(s.cause));
    return numbers_
        .try_emplace(std::uint64_t{line} << 32U | kind, static_cast<std::uint32_t>(numbers_.size()))
        .first->second;
  }

  // Sorts by line, direction and cause; rows of one length stay in this order.
  std::vector<std::pair<std::uint64_t, std::uint32_t>> sorted() const {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> out(numbers_.begin(), numbers_.end());
    std::sort(out.begin(), out.end());
    return out;
  }

  LineRow named(std::uint64_t key) const {
    const Site& site = trace_.data().sites[site_of_line_[key >> 32U]];
    LineRow row{.file = std::string(trace_.text(site.file)), .line = site.line, .kind = site.kind};
    row.function = trace_.text(site.function);
    row.cause = static_cast<Cause>(key & 0xffffU);
    row.direction = static_cast<Direction>(key >> 16U & 0xffffU);
    return row;
  }

 private:
  const Trace& trace_;
  std::vector<std::uint32_t> line_of_site_;
  std::vector<SiteId> site_of_line_;  // the first that was met: its function's name is the row's
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;
};

struct Total {
  std::int64_t ns = 0;
  std::uint64_t calls = 0;
  std::vector<Part> longest;

  void add(const Part& part) {
    constexpr std::size_t kExamples = 3;
    calls += 1;
    if (longest.size() == kExamples && !longer(part, longest.back())) return;
    longest.insert(std::upper_bound(longest.begin(), longest.end(), part, longer), part);
    if (longest.size() > kExamples) longest.pop_back();
  }
};

}  // namespace

std::vector<LineRow> line_rows(const Trace& trace, const Partition& partition,
                               const Counting& counting) {
  Rows rows(trace);
  Parts parts;
  std::vector<Total> totals;
  CountedTime counted(counting);
  for (const Segment& s : partition.segments) {
    const std::int64_t ns = s.site == kNone ? 0 : counted.of(s.time);
    if (ns == 0) continue;
    const std::uint32_t row = rows.of(s);
    if (row == totals.size()) totals.emplace_back();
    totals[row].ns += ns;
    parts.add(s, row, ns);
  }
  for (const Part& part : parts.all()) totals[part.row].add(part);
  std::vector<LineRow> out;
  for (const auto& [key, number] : rows.sorted()) {
    const Total& total = totals[number];
    LineRow& row = out.emplace_back(rows.named(key));
    row.ns_total = total.ns;
    row.calls_total = total.calls;
    for (const Part& part : total.longest) row.evidence.push_back(event_name(part.event));
  }
  sort_by_time(out);
  return out;
}

}  // namespace stepscope::summary_parts
