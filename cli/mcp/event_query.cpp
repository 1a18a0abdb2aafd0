// SPDX-License-Identifier: Apache-2.0
#include "cli/mcp/event_query.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/summary/parts.hpp"

namespace stepscope::mcp {
namespace {

// By row: what the events own under the query's cause, phase, place and time.
struct Owned {
  std::vector<std::int64_t> host;
  std::vector<std::int64_t> device;
  std::vector<bool> host_here;  // it owns time at the line that is asked for
  std::vector<bool> device_here;
  std::int64_t no_event = 0;
};

// Whether `path` ends with the whole parts of `end`: "train.py", "src/train.py".
bool ends_with_parts(std::string_view path, std::string_view end) {
  if (end.empty() || !path.ends_with(end)) return end.empty();
  return path.size() == end.size() || end.front() == '/' ||
         path[path.size() - end.size() - 1] == '/';
}

// For each row of a table of names or places, whether the query wants it.
class Wanted {
 public:
  Wanted(const LoadedRun& run, const EventQuery& query) : trace_(run.trace), query_(query) {
    const StringTable& strings = run.trace.data().strings;
    for (StringId id = 0; id < strings.size(); ++id)
      names_.push_back(strings.view(id).find(query.name) != std::string_view::npos);
    for (const Site& site : run.trace.data().sites)
      sites_.push_back(ends_with_parts(strings.view(site.file), query.file) &&
                       (query.line == 0 || site.line == query.line));
    for (const std::string& path : summary_parts::phase_paths(run.attribution.phases))
      phases_.push_back(query.phase.empty() || ends_with_parts(path, query.phase));
  }

  bool by_place() const { return !query_.file.empty() || query_.line > 0; }
  bool by_owner() const { return query_.cause || !query_.phase.empty(); }

  bool site(SiteId id) const { return id != kNone && sites_[id]; }
  bool segment(const Segment& s) const {
    return (!query_.cause || s.cause == *query_.cause) && phases_[s.phase];
  }
  bool event(EventId id, StringId name, const FoundEvent& found, bool owns_here) const {
    if (!names_[name] || found.end - found.begin < query_.least_ns) return false;
    if (query_.time && (found.end <= query_.time->begin || found.begin >= query_.time->end))
      return false;
    if (by_owner() && found.owns_ns == 0) return false;
    return !by_place() || owns_here || (!by_owner() && site(site_of(trace_, id)));
  }

 private:
  const Trace& trace_;
  const EventQuery& query_;
  std::vector<bool> names_, sites_, phases_;
};

std::int64_t length_within(const Interval& time, const std::optional<Interval>& bounds) {
  if (!bounds) return time.length();
  return std::max<std::int64_t>(
      0, std::min(time.end, bounds->end) - std::max(time.begin, bounds->begin));
}

Owned sum_owned(const LoadedRun& run, const EventQuery& query, const Wanted& wanted) {
  Owned out{std::vector<std::int64_t>(run.trace.host_ranges().size()),
            std::vector<std::int64_t>(run.trace.device_ops().size()),
            std::vector<bool>(run.trace.host_ranges().size()),
            std::vector<bool>(run.trace.device_ops().size()), 0};
  for (const Segment& s : run.attribution.process.segments) {
    const std::int64_t ns = length_within(s.time, query.time);
    if (ns == 0 || !wanted.segment(s)) continue;
    const bool here = wanted.by_place() && wanted.site(s.site);
    if (wanted.by_place() && wanted.by_owner() && !here) continue;
    if (s.device_evidence != kNone) {
      out.device[s.device_evidence] += ns;
      if (here) out.device_here[s.device_evidence] = true;
    } else if (s.host_evidence != kNone) {
      out.host[s.host_evidence] += ns;
      if (here) out.host_here[s.host_evidence] = true;
    } else if (here || !wanted.by_place()) {
      out.no_event += ns;
    }
  }
  return out;
}

void put_in_order(std::vector<FoundEvent>& events, EventOrder order) {
  const auto weight = [order](const FoundEvent& one) {
    if (order == EventOrder::time) return std::int64_t{0};
    return order == EventOrder::owns ? one.owns_ns : one.end - one.begin;
  };
  std::sort(events.begin(), events.end(), [&weight](const FoundEvent& a, const FoundEvent& b) {
    const std::int64_t wa = weight(a), wb = weight(b);
    if (wa != wb) return wa > wb;
    if (a.begin != b.begin) return a.begin < b.begin;
    if (a.id.on_device != b.id.on_device) return b.id.on_device;
    return a.id.row < b.id.row;
  });
}

}  // namespace

std::string text_of(EventId id) {
  return fmt::format("{}{}", id.on_device ? 'd' : 'h', id.row);
}

Result<EventId> parse_event_id(const std::string& text, const Trace& trace) {
  EventId out{.on_device = text.starts_with('d')};
  const char* end = text.data() + text.size();
  const auto read = text.size() > 1 ? std::from_chars(text.data() + 1, end, out.row)
                                    : std::from_chars_result{text.data(), std::errc{}};
  if ((!out.on_device && !text.starts_with('h')) || read.ptr != end || read.ec != std::errc{})
    return usage_error(fmt::format(
        "'{}' is no event's id: they look like h12 (host range) and d34 (device op)", text));
  const std::size_t rows = out.on_device ? trace.device_ops().size() : trace.host_ranges().size();
  if (out.row < rows) return out;
  return usage_error(fmt::format("{}: there is no such event; the trace has {} {}", text, rows,
                                 out.on_device ? "device ops" : "host ranges"));
}

SiteId site_of(const Trace& trace, EventId id) {
  const CallId call = id.on_device ? trace.launch_of(id.row) : kNone;
  RangeId range = call == kNone ? kNone : trace.calls().range[call];
  if (!id.on_device) range = id.row;
  while (range != kNone && trace.host_ranges().site[range] == kNone)
    range = trace.host_ranges().parent[range];
  return range == kNone ? kNone : trace.host_ranges().site[range];
}

FoundEvents find_events(const LoadedRun& run, const EventQuery& query) {
  const Wanted wanted(run, query);
  const Owned owned = sum_owned(run, query, wanted);
  const HostRanges& h = run.trace.host_ranges();
  const DeviceOps& d = run.trace.device_ops();
  FoundEvents out{.list = {}, .without_event_ns = owned.no_event};
  for (RangeId r = 0; r < h.size() && query.on_device != true; ++r) {
    const FoundEvent found{{false, r}, h.begin[r], h.end[r], owned.host[r]};
    if (wanted.event(found.id, h.name[r], found, owned.host_here[r])) out.list.push_back(found);
  }
  for (DeviceOpId op = 0; op < d.size() && query.on_device != false; ++op) {
    const FoundEvent found{{true, op}, d.begin[op], d.end[op], owned.device[op]};
    if (wanted.event(found.id, d.name[op], found, owned.device_here[op])) out.list.push_back(found);
  }
  put_in_order(out.list, query.order);
  return out;
}

}  // namespace stepscope::mcp
