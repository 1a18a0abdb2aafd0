// SPDX-License-Identifier: Apache-2.0
#include "collectors/recorder/drain.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace stepscope::recorder {
namespace {

constexpr std::int64_t kStillOpen = std::numeric_limits<std::int64_t>::min();
constexpr std::uint32_t kProcessLanes = 0x80000000U;  // process ranges: a lane each

template <class T>
void keep_rows(std::vector<T>& column, const std::vector<bool>& keep) {
  std::size_t to = 0;
  for (std::size_t row = 0; row < column.size(); ++row) {
    if (keep[row]) column[to++] = column[row];
  }
  column.resize(to);
}

template <class Second>
Second second_as(const WideSlot& wide) {
  Second second;
  static_assert(sizeof(second) == sizeof(wide));
  std::memcpy(&second, &wide, sizeof(second));
  return second;
}

}  // namespace

Drain::Drain(SessionView session, StoreWriter& store, TickConverter& clock)
    : session_(session), store_(store), clock_(clock) {
  about_.pid = session.header().pid;
}

Drain::Source& Drain::source_of(RingHeader& ring) {
  const auto [it, fresh] = sources_.try_emplace(&ring);
  if (fresh) {
    it->second.thread = store_.thread(ring.tid);
    it->second.cpu_track = store_.intern(kThreadCpuTrack + std::to_string(ring.tid));
    it->second.taken = ring.tail.load(std::memory_order_relaxed);
  }
  return it->second;
}

void Drain::take(RingHeader& ring) {
  Source& source = source_of(ring);
  const std::uint64_t head = ring.head.load(std::memory_order_acquire);
  take_log();  // behind head: names and streams that the records refer to
  while (source.taken < head) {
    source.taken = take_record(source, slots_of(&ring), ring.slots - 1, source.taken);
    if (batch_.host_ranges.size() >= kBatchRows) (void)flush();
  }
}

std::uint64_t Drain::take_record(Source& source, const Slot* slots, std::uint64_t mask,
                                 std::uint64_t at) {
  const Slot& slot = slots[at & mask];
  const bool is_wide = (slot.type & kWide) != 0;
  WideSlot wide{0, 0, kNoSequence, 0};
  if (is_wide) std::memcpy(&wide, &slots[(at + 1) & mask], sizeof(wide));
  switch (static_cast<RecordType>(slot.type & ~kWide)) {
    case RecordType::begin:
      begin(source, slot, wide);
      break;
    case RecordType::call_begin:
      begin_call(source, slot, second_as<CallSlot>(wide));
      break;
    case RecordType::graph_node:
      graph_node(source, slot, second_as<GraphNodeSlot>(wide));
      break;
    case RecordType::collective:
      collective(source, slot, second_as<CollectiveSlot>(wide));
      break;
    case RecordType::end:
      end(source, slot);
      break;
    case RecordType::process_begin:
      process_begin(source, slot, wide);
      break;
    case RecordType::process_end:
      process_end((std::uint64_t{wide.sequence} << 32U) | wide.site, clock_.to_ns(slot.ticks));
      break;
    case RecordType::cpu_clock:
      add_counter(clock_.to_ns(slot.ticks), source.cpu_track,
                  static_cast<double>(std::uint64_t{wide.sequence} << 32U | wide.site));
      break;
    case RecordType::counter:
      add_counter(clock_.to_ns(slot.ticks), text(slot.name), second_as<CounterSlot>(wide).value);
      break;
    case RecordType::mark:
      batch_.marks.time.push_back(clock_.to_ns(slot.ticks));
      batch_.marks.name.push_back(text(slot.name));
      batch_.marks.thread.push_back(source.thread);
      break;
  }
  return at + (is_wide ? 2 : 1);
}

void Drain::begin(Source& source, const Slot& slot, const WideSlot& wide) {
  if (slot.lane >= kMaxLanes) return;
  Open open{clock_.to_ns(slot.ticks),
            slot.name,
            wide.category,
            wide.site,
            wide.sequence,
            static_cast<HostKind>(slot.kind),
            static_cast<std::uint32_t>(batch_.host_ranges.size())};
  source.lanes[slot.lane].push_back(open);
  add_row(open, source.thread, kStillOpen);
}

void Drain::begin_call(Source& source, const Slot& slot, const CallSlot& call) {
  const auto named = call_names_.find(slot.lane);
  Open open{clock_.to_ns(slot.ticks),
            named == call_names_.end() ? 0 : named->second,
            0,
            slot.name,
            kNoSequence,
            static_cast<HostKind>(slot.kind),
            static_cast<std::uint32_t>(batch_.host_ranges.size()),
            slot.lane,
            true,
            call};
  source.lanes[kLaneCall].push_back(open);
  add_row(open, source.thread, kStillOpen);
}

void Drain::add_call(const Open& open, std::uint32_t row) {
  const auto known = call_kinds_.find(open.call_code);
  const ApiKind kind = known == call_kinds_.end() ? ApiKind::other : known->second;
  const bool has_event = kind == ApiKind::event_record || kind == ApiKind::stream_wait_event ||
                         kind == ApiKind::sync_event;
  const StreamRef stream = open.call.stream;
  Calls& calls = batch_.calls;
  calls.range.push_back(row);
  calls.api.push_back(kind);
  calls.correlation.push_back(open.call.correlation);
  calls.stream.push_back(stream < streams_.size() ? streams_[stream] : kNone);
  calls.event.push_back(has_event ? open.call.value : 0);
  calls.bytes.push_back(!has_event && open.call.value != 0 ? open.call.value : kUnknownBytes);
}

void Drain::end(Source& source, const Slot& slot) {
  if (slot.lane >= kMaxLanes) return;
  const std::int64_t time = clock_.to_ns(slot.ticks);
  auto& stack = source.lanes[slot.lane];
  if (stack.empty()) {  // begun before this writer: the process's own writer knows it
    batch_.late_ends.time.push_back(time);
    batch_.late_ends.thread.push_back(source.thread);
    batch_.late_ends.lane.push_back(slot.lane);
    return;
  }
  const Open open = stack.back();
  stack.pop_back();
  end_range(source, open, time);
}

void Drain::end_range(const Source& source, const Open& open, std::int64_t time) {
  std::uint32_t row = open.row;
  if (row != kNone) {
    batch_.host_ranges.end[row] = time;
  } else {
    row = static_cast<std::uint32_t>(batch_.host_ranges.size());
    add_row(open, source.thread, time);
  }
  if (open.is_call) add_call(open, row);
  if (open.has_message) add_collective(open, row);
}

void Drain::graph_node(const Source& source, const Slot& slot, const GraphNodeSlot& node) {
  GraphNodes& rows = batch_.graph_nodes;
  rows.time.push_back(clock_.to_ns(slot.ticks));
  rows.node.push_back(node.node);
  rows.original.push_back(node.original);
  rows.thread.push_back(source.thread);
  rows.site.push_back(site(slot.name));
}

// The range's row is known for good when it ends.
void Drain::collective(Source& source, const Slot& slot, const CollectiveSlot& message) {
  if (slot.lane >= kMaxLanes || source.lanes[slot.lane].empty()) return;
  Open& open = source.lanes[slot.lane].back();
  open.has_message = true;
  open.message = message;
  open.peer = slot.name;
  open.reduce = static_cast<ReduceOperation>(slot.kind);
}

void Drain::add_collective(const Open& open, std::uint32_t row) {
  Collectives& rows = batch_.collectives;
  rows.range.push_back(row);
  rows.communicator.push_back(open.message.communicator);
  rows.bytes.push_back(open.message.bytes);
  rows.reduce.push_back(open.reduce);
  rows.peer.push_back(open.peer);
}

void Drain::capture_closed(std::int64_t time, double state) {
  add_counter(time, store_.intern(kCaptureTrack), state);
  for (auto& [ring, source] : sources_) {
    std::vector<Open>& calls = source.lanes[kLaneCall];
    for (; !calls.empty(); calls.pop_back())
      end_range(source, calls.back(), std::max(time, calls.back().begin));
  }
}

void Drain::capture_opened(std::int64_t time, double state) {
  add_counter(time, store_.intern(kCaptureTrack), state);
}

void Drain::add_counter(std::int64_t time, StringId track, double value) {
  batch_.counters.time.push_back(time);
  batch_.counters.track.push_back(track);
  batch_.counters.process.push_back(0);
  batch_.counters.value.push_back(value);
}

void Drain::process_begin(const Source& source, const Slot& slot, const WideSlot& wide) {
  const std::uint64_t id = (std::uint64_t{wide.sequence} << 32U) | wide.site;
  const Open open{clock_.to_ns(slot.ticks),         slot.name, wide.category, 0, kNoSequence,
                  static_cast<HostKind>(slot.kind), kNone};
  process_ranges_[id] = {open, source.thread};
}

void Drain::process_end(std::uint64_t id, std::int64_t time) {
  const auto found = process_ranges_.find(id);
  if (found == process_ranges_.end() || found->second.open.begin > time) {
    early_ends_.push_back({id, time, 2});
    return;
  }
  add_row(found->second.open, found->second.thread, time);
  process_ranges_.erase(found);
}

// An end is older than its begin here only where the two are in different rings.
void Drain::retry_early_ends() {
  std::vector<EarlyEnd> ends;
  ends.swap(early_ends_);
  for (const EarlyEnd& end : ends) {
    process_end(end.id, end.time);
    if (!early_ends_.empty() && early_ends_.back().id == end.id &&
        early_ends_.back().time == end.time) {
      early_ends_.back().rounds = end.rounds - 1;
      if (end.rounds <= 1) early_ends_.pop_back();
    }
  }
}

void Drain::add_row(const Open& open, ThreadId thread, std::int64_t end) {
  HostRanges& rows = batch_.host_ranges;
  rows.begin.push_back(open.begin);
  rows.end.push_back(end);
  rows.name.push_back(text(open.name));
  rows.thread.push_back(thread);
  rows.kind.push_back(open.kind);
  rows.category.push_back(text(open.category));
  rows.site.push_back(site(open.site));
  rows.sequence.push_back(open.sequence);
}

void Drain::remove_open_rows() {
  HostRanges& rows = batch_.host_ranges;
  std::vector<bool> keep(rows.size());
  std::vector<std::uint32_t> moved(rows.size());
  std::uint32_t kept = 0;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    keep[row] = rows.end[row] != kStillOpen;
    moved[row] = kept;
    kept += keep[row] ? 1U : 0U;
  }
  for (RangeId& range : batch_.calls.range) range = moved[range];
  for (RangeId& range : batch_.collectives.range) range = moved[range];
  keep_rows(rows.begin, keep);
  keep_rows(rows.end, keep);
  keep_rows(rows.name, keep);
  keep_rows(rows.thread, keep);
  keep_rows(rows.kind, keep);
  keep_rows(rows.category, keep);
  keep_rows(rows.site, keep);
  keep_rows(rows.sequence, keep);
}

void Drain::list_open_ranges() {
  for (auto& [ring, source] : sources_) {
    for (std::uint32_t lane = 0; lane < kMaxLanes; ++lane) {
      for (Open& open : source.lanes[lane]) {
        open.row = kNone;
        list_open_range(open, source.thread, lane);
      }
    }
  }
  for (const auto& [id, range] : process_ranges_) {
    list_open_range(range.open, range.thread, kProcessLanes | static_cast<std::uint32_t>(id));
  }
}

void Drain::list_open_range(const Open& open, ThreadId thread, std::uint32_t lane) {
  OpenRanges& rows = batch_.open;
  rows.begin.push_back(open.begin);
  rows.name.push_back(text(open.name));
  rows.thread.push_back(thread);
  rows.kind.push_back(open.kind);
  rows.category.push_back(text(open.category));
  rows.site.push_back(site(open.site));
  rows.sequence.push_back(open.sequence);
  rows.lane.push_back(lane);
}

Status Drain::flush() {
  retry_early_ends();
  remove_open_rows();
  list_open_ranges();
  take_log();
  take_counters();
  Status status = store_.write(batch_);
  clear(batch_);
  commit_tails();
  return status;
}

void Drain::commit_tails() {
  for (auto& [ring, source] : sources_) {
    ring->tail.store(source.taken, std::memory_order_release);
    ring->reported_dropped = source.counted.dropped;
    ring->reported_wanted = source.counted.wanted;
    ring->reported_found = source.counted.found;
  }
}

bool Drain::take(RowSource& source, bool last) {
  const bool more = source.collect(batch_, store_, last);
  const RowSource::Totals totals = source.totals();
  RowSource::Totals& counted = source_totals_[&source];
  health_.dropped_records += totals.dropped - counted.dropped;
  health_.zero_timestamps += totals.zero_timestamps - counted.zero_timestamps;
  counted = totals;
  return more;
}

void Drain::forget(RingHeader& ring) {
  sources_.erase(&ring);
}

void Drain::take_counters() {
  const SessionHeader& header = session_.header();
  for (auto& [ring, source] : sources_) {
    source.counted = {ring->dropped, ring->sites_wanted, ring->sites_found};  // they go on growing
    health_.dropped_records += source.counted.dropped - ring->reported_dropped;
    health_.sites_wanted += source.counted.wanted - ring->reported_wanted;
    health_.sites_found += source.counted.found - ring->reported_found;
  }
  store_.health(health_);
  const std::uint32_t bits = header.collected.load(std::memory_order_relaxed);
  const auto runs = [bits](Collector what) {
    return (bits & static_cast<std::uint32_t>(what)) != 0;
  };
  store_.collected({.device_ops = runs(Collector::device_ops),
                    .api_calls = runs(Collector::api_calls),
                    .api_arguments = runs(Collector::api_arguments),
                    .framework_ops = runs(Collector::framework_ops),
                    .user_scopes = runs(Collector::user_scopes),
                    .call_sites = runs(Collector::call_sites),
                    .off_cpu = runs(Collector::thread_cpu)});
}

void Drain::take_log() {
  const std::uint32_t rows = session_.header().log_entries.load(std::memory_order_acquire);
  const bool first = log_taken_ == 0;
  for (; log_taken_ < rows; ++log_taken_) {
    const LogEntry entry = session_.log(log_taken_);
    if (entry.kind == LogKind::label) take_label(entry);
    if (entry.kind == LogKind::stream) take_stream(entry);
    if (entry.kind == LogKind::call_name) {
      const auto code = static_cast<std::uint16_t>(entry.id);
      call_names_[code] = entry.value;
      call_kinds_[code] = classify_api(session_.name(entry.value));
    }
    if (entry.kind == LogKind::fact)
      take_fact(session_.name(entry.key), session_.name(entry.value));
    if (entry.kind == LogKind::note) health_.notes.emplace_back(session_.name(entry.value));
  }
  if (first) store_.describe(about_);
}

void Drain::take_label(const LogEntry& entry) {
  static constexpr const char* kKinds[] = {"thread",     "cuda_stream",  "cuda_device",
                                           "cuda_event", "cuda_context", "category"};
  const std::string_view name = session_.name(entry.value);
  if (entry.label_kind == static_cast<std::uint32_t>(LabelKind::thread)) {
    store_.name_thread(store_.thread(static_cast<std::int64_t>(entry.id)), name);
  } else if (entry.label_kind < std::size(kKinds)) {
    store_.fact("label." + std::string(kKinds[entry.label_kind]) + "." + std::to_string(entry.id),
                name);
  }
}

void Drain::take_stream(const LogEntry& entry) {
  if (entry.key >= streams_.size()) streams_.resize(entry.key + 1U, kNone);
  streams_[entry.key] = store_.stream(entry.label_kind, static_cast<std::uint32_t>(entry.id >> 32U),
                                      static_cast<std::uint32_t>(entry.id));
}

// Facts of these keys are columns of the process.
void Drain::take_fact(std::string_view key, std::string_view value) {
  const auto number = [&] {
    return static_cast<std::int32_t>(std::strtol(std::string(value).c_str(), nullptr, 10));
  };
  if (key == "process.name") {
    about_.name = value;
  } else if (key == "process.host") {
    about_.host = value;
  } else if (key == "process.rank") {
    about_.rank = number();
  } else if (key == "process.world_size") {
    about_.world_size = number();
  } else if (key == "rival") {
    health_.rivals.emplace_back(value);
  } else {
    store_.fact(key, value);
  }
}

StringId Drain::text(NameId name) {
  if (name >= texts_.size()) texts_.resize(name + 1U, kNone);
  if (texts_[name] == kNone) texts_[name] = store_.intern(session_.name(name));
  return texts_[name];
}

SiteId Drain::site(SiteRef site) {
  if (site == 0) return kNone;
  if (site >= sites_.size()) sites_.resize(site + 1U, kNone);
  if (sites_[site] == kNone) {
    const SiteEntry entry = session_.site(site);
    sites_[site] =
        store_.site({text(entry.file), entry.line, text(entry.function), SiteKind::call});
  }
  return sites_[site];
}

}  // namespace stepscope::recorder
