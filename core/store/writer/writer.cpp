// SPDX-License-Identifier: Apache-2.0
#include "core/store/writer/writer.hpp"

#include <set>
#include <utility>

#include "core/store/writer/batch.hpp"
#include "core/store/writer/chunk_file.hpp"
#include "core/store/writer/pending.hpp"

namespace stepscope {

using namespace store;

namespace {

constexpr std::size_t kMaxPassingBytes = std::size_t{16} << 20U;

}  // namespace

struct StoreWriter::State {
  ChunkFile file;
  StoreOptions options;
  std::uint64_t events = 0;
  std::uint64_t lost_events = 0;  // events in batches that could not be written
  std::uint64_t refused_strings = 0;
  std::size_t passing_bytes = 0;  // bytes of texts that are interned once, since the last chunk
  OpenRanges open;                // open ranges at the end of the last batch in the file
  Pending pending;
  Health reported;  // by the collector; pending.health adds the writer's own
  std::set<std::string> rivals;
  std::set<std::string> notes;
  ByteSink raw;  // the next chunk, before compression

  explicit State(const StoreOptions& given) : options(given) {
    pending.strings.id_of(std::string_view());
    pending.strings.mark_written();
    pending.pids.id_of(std::int64_t{0});
  }
  void update_health();
  StringId refuse();
  void add_once(const std::vector<std::string>& texts, std::set<std::string>& known,
                std::vector<StringId>& out, StoreWriter& writer);
  Status write_chunk(ChunkType type, ChunkHeader header);
};

void StoreWriter::State::update_health() {
  Health& h = pending.health;
  health_counters(h, [](auto& value) { value = 0; });
  h.dropped_records = reported.dropped_records + lost_events;
  h.zero_timestamps = reported.zero_timestamps;
  h.reversed_times = reported.reversed_times;
  h.crossing_ranges = reported.crossing_ranges;
  h.skipped_events = reported.skipped_events;
  h.missing_fields = reported.missing_fields + refused_strings;
  h.lost_chunks = reported.lost_chunks;
  h.lost_bytes = reported.lost_bytes;
  h.overhead_ns = reported.overhead_ns;
  h.sites_wanted = reported.sites_wanted;
  h.sites_found = reported.sites_found;
  pending.health_changed = true;
}

StringId StoreWriter::State::refuse() {
  ++refused_strings;
  update_health();
  return pending.strings.id_of(std::string_view("(too many names)"));
}

void StoreWriter::State::add_once(const std::vector<std::string>& texts,
                                  std::set<std::string>& known, std::vector<StringId>& out,
                                  StoreWriter& writer) {
  for (const std::string& text : texts) {
    if (known.insert(text).second) out.push_back(writer.intern(text));
  }
}

Status StoreWriter::State::write_chunk(ChunkType type, ChunkHeader header) {
  if (Status written = file.write(type, header, raw); !written.ok()) return written;
  pending.mark_written();
  passing_bytes = 0;
  return Done{};
}

void clear(EventBatch& batch) {
  const auto empty = [](auto&... columns) { (columns.clear(), ...); };
  HostRanges& h = batch.host_ranges;
  empty(h.begin, h.end, h.name, h.thread, h.kind, h.category, h.site, h.sequence, h.forward_thread,
        h.parent);
  Calls& c = batch.calls;
  empty(c.range, c.api, c.correlation, c.stream, c.event, c.bytes);
  DeviceOps& d = batch.device_ops;
  empty(d.begin, d.end, d.name, d.kind, d.stream, d.correlation, d.graph, d.graph_node, d.bytes,
        d.copy_kind, d.source_memory, d.target_memory, d.launch_config);
  Syncs& s = batch.syncs;
  empty(s.begin, s.end, s.api, s.stream, s.correlation, s.awaited_correlation);
  empty(batch.counters.time, batch.counters.track, batch.counters.process, batch.counters.value);
  empty(batch.marks.time, batch.marks.name, batch.marks.thread);
  Samples& p = batch.samples;
  empty(p.time, p.thread, p.site, p.called, p.innermost, p.cpu, p.flags, p.asleep_in);
  LoopPositions& l = batch.loop_positions;
  empty(l.time, l.thread, l.depth, l.flags, l.loop, l.caller, l.iteration);
  GraphNodes& g = batch.graph_nodes;
  empty(g.time, g.node, g.original, g.thread, g.site);
  Collectives& m = batch.collectives;
  empty(m.range, m.communicator, m.bytes, m.reduce, m.peer, m.ordinal);
  OpenRanges& o = batch.open;
  empty(o.begin, o.name, o.thread, o.kind, o.category, o.site, o.sequence, o.lane);
  empty(batch.late_ends.time, batch.late_ends.thread, batch.late_ends.lane);
}

StoreWriter::StoreWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
StoreWriter::StoreWriter(StoreWriter&&) noexcept = default;
StoreWriter& StoreWriter::operator=(StoreWriter&&) noexcept = default;
StoreWriter::~StoreWriter() = default;

Result<StoreWriter> StoreWriter::create(const std::string& path, const StoreOptions& options) {
  auto state = std::make_unique<State>(options);
  if (Status made = state->file.create(path, options); !made.ok()) return made.error();
  return StoreWriter(std::move(state));
}

Result<StoreWriter> StoreWriter::append(const std::string& path, const StoreOptions& options) {
  auto state = std::make_unique<State>(options);
  if (Status opened = state->file.append(path, options); !opened.ok()) return opened.error();
  return StoreWriter(std::move(state));
}

StringId StoreWriter::intern(std::string_view text) {
  Dictionary<std::string>& strings = state_->pending.strings;
  if (strings.size() < state_->options.max_strings || strings.has(text)) return strings.id_of(text);
  return state_->refuse();
}

StringId StoreWriter::intern_once(std::string_view text) {
  State& s = *state_;
  if (s.passing_bytes + text.size() > kMaxPassingBytes) return s.refuse();
  s.passing_bytes += text.size();
  return s.pending.strings.passing_id_of(std::string(text));
}

ProcessId StoreWriter::process(std::int64_t pid) {
  Pending& p = state_->pending;
  const bool is_new = !p.pids.has(pid);
  const ProcessId id = p.pids.id_of(pid);
  if (is_new) p.processes.push_back({id, pid, -1, -1, 0, 0});
  return id;
}

ThreadId StoreWriter::thread(std::int64_t tid, ProcessId process) {
  return state_->pending.threads.id_of(ThreadKey{process, tid});
}

StreamId StoreWriter::stream(std::uint32_t device, std::uint32_t context, std::uint32_t stream,
                             ProcessId process) {
  return state_->pending.streams.id_of(StreamKey{process, device, context, stream});
}

SiteId StoreWriter::site(const Site& site) {
  return state_->pending.sites.id_of(site);
}

LaunchConfigId StoreWriter::launch_config(const LaunchConfig& config) {
  return state_->pending.launch_configs.id_of(config);
}

void StoreWriter::describe(const Process& p, ProcessId id) {
  state_->pending.processes.push_back(
      {id, p.pid, p.rank, p.world_size, intern(p.name), intern(p.host)});
  for (const auto& [key, value] : p.facts) fact(key, value, id);
}

void StoreWriter::fact(std::string_view key, std::string_view value, ProcessId process) {
  state_->pending.facts.push_back({process, intern(key), intern(value)});
}

void StoreWriter::device(const Device& device) {
  state_->pending.devices.push_back({device, intern(device.name), intern(device.uuid)});
}

void StoreWriter::name_thread(ThreadId thread, std::string_view name) {
  state_->pending.names.push_back({Named::thread, thread, intern(name)});
}

void StoreWriter::name_stream(StreamId stream, std::string_view name) {
  state_->pending.names.push_back({Named::stream, stream, intern(name)});
}

void StoreWriter::clock(const ClockRecord& record) {
  state_->pending.clocks.push_back(record);
}

void StoreWriter::collected(const Collected& collected) {
  state_->pending.collected = bits_of(collected);
  state_->pending.collected_changed = true;
}

void StoreWriter::health(const Health& totals) {
  state_->reported = totals;
  state_->add_once(totals.rivals, state_->rivals, state_->pending.rivals, *this);
  state_->add_once(totals.notes, state_->notes, state_->pending.notes, *this);
  state_->update_health();
}

Status StoreWriter::write(const EventBatch& batch) {
  State& s = *state_;
  if (const char* wrong = check(batch)) return usage_error(s.file.path() + ": " + wrong);
  ChunkHeader header;
  s.raw.resize_down(0);
  s.pending.encode(s.raw);
  OpenNow open = OpenNow::as_listed;
  if (batch.open.size() == 0 && s.open.size() > 0) open = OpenNow::none;
  if (batch.open == s.open) open = OpenNow::unchanged;
  encode_batch(batch, open, s.raw, header);
  Status status = s.write_chunk(ChunkType::data, header);
  if (status.ok()) {
    s.open = batch.open;
    s.events += batch.events();
  } else {
    s.lost_events += batch.events();
    s.update_health();
  }
  return status;
}

Status StoreWriter::flush() {
  if (state_->pending.empty() && state_->file.bytes() > 0) return Done{};
  ChunkHeader header;
  state_->raw.resize_down(0);
  state_->pending.encode(state_->raw);
  return state_->write_chunk(ChunkType::data, header);
}

Status StoreWriter::close(ExitReason reason, std::int32_t exit_status, ProcessId process) {
  State& s = *state_;
  Status status = flush();
  if (status.ok()) {
    s.raw.resize_down(0);
    s.raw.put(Section::exit);
    LengthPatch length(s.raw);
    s.raw.put_varint(process);
    s.raw.put(reason);
    s.raw.put_zigzag(exit_status);
    s.raw.put_varint(s.file.chunks());
    s.raw.put_varint(s.events);
    length.end();
    status = s.write_chunk(ChunkType::footer, ChunkHeader{});
  }
  Status closed = s.file.close();
  return status.ok() ? closed : status;
}

void StoreWriter::abandon() {
  state_->file.abandon();
}

std::uint64_t StoreWriter::next_chunk_at() const {
  return state_->file.next_chunk_at();
}
bool StoreWriter::has_chunk_at(const std::string& path, std::uint64_t at) {
  return is_whole_chunk(path, at);
}
std::uint64_t StoreWriter::bytes_written() const {
  return state_->file.bytes();
}

}  // namespace stepscope
