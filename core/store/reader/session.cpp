// SPDX-License-Identifier: Apache-2.0
#include "core/store/reader/session.hpp"

#include <algorithm>

namespace stepscope::store {
namespace {

class FactReader {
 public:
  FactReader(ByteSource source, Session& session, FileState& file)
      : in_(source), session_(session), file_(file), out_(file.out) {}

  bool read(Section id) {
    switch (id) {
      case Section::strings:
        return read_dictionary(session_.strings,
                               [this] { return out_.strings.intern(in_.text()); });
      case Section::threads:
        return read_dictionary(session_.threads, [this] { return thread(); });
      case Section::streams:
        return read_dictionary(session_.streams, [this] { return stream(); });
      case Section::sites:
        return read_dictionary(session_.sites, [this] { return site(); });
      case Section::launch_configs:
        return read_dictionary(session_.launch_configs, [this] { return launch_config(); });
      case Section::processes:
        return read_list([this] { process(); });
      case Section::facts:
        return read_list([this] { fact(); });
      case Section::names:
        return read_list([this] { name(); });
      case Section::devices:
        return read_list([this] { device(); });
      case Section::clocks:
        return read_list([this] { clock(); });
      case Section::rivals:
        return read_list([this] { add_once(out_.health.rivals); });
      case Section::notes:
        return read_list([this] { add_once(out_.health.notes); });
      case Section::collected:
        session_.collected |= in_.varint32();
        return in_.ok();
      case Section::health:
        return health();
      case Section::exit:
        return exit();
      default:
        ++file_.skipped_sections;
        return true;
    }
  }

 private:
  // Each entry takes a byte or more, so a count cannot outgrow its section.
  template <class Read>
  bool read_list(Read read) {
    const std::uint64_t count = in_.varint();
    for (std::uint64_t i = 0; i < count && in_.ok(); ++i) read();
    return in_.ok();
  }

  template <class Read>
  bool read_dictionary(IdMap& map, Read read) {
    const std::uint64_t first = in_.varint();
    if (first > map.size()) {  // lost chunks defined what is missing, in proportion to their size
      const std::uint64_t gap = first - map.size();
      if (gap > file_.id_gap_budget) return false;
      file_.id_gap_budget -= gap;
    }
    std::uint64_t id = first;
    return read_list([&] {
      const std::uint32_t value = read();
      if (in_.ok()) map.set(static_cast<std::size_t>(id++), value);
    });
  }

  StringId string_id() {
    const StringId id = session_.strings[in_.varint32()];
    if (id != kNone) return id;
    ++file_.unknown_ids;
    return 0;
  }
  std::string text() { return std::string(out_.strings.view(string_id())); }
  ProcessId process_id() {
    const std::uint32_t local = in_.varint32();
    const ProcessId known = session_.processes[local];
    return known == kNone ? file_.ids.own_process() : known;
  }

  ThreadId thread() {
    const ProcessId process = process_id();
    const std::int64_t tid = in_.zigzag();
    return in_.ok() ? file_.ids.thread(process, tid) : kNone;
  }
  StreamId stream() {
    StreamKey key;
    key.process = process_id();
    key.device = in_.varint32();
    key.context = in_.varint32();
    key.stream = in_.varint32();
    return in_.ok() ? file_.ids.stream(key) : kNone;
  }
  SiteId site() {
    Site site;
    site.file = string_id();
    site.line = in_.varint32();
    site.function = string_id();
    site.kind = in_.get<std::uint8_t>() == 0 ? SiteKind::call : SiteKind::function;
    return in_.ok() ? file_.shared.site(site, out_) : kNone;
  }
  LaunchConfigId launch_config() {
    LaunchConfig config;
    for (std::uint32_t& size : config.grid) size = in_.varint32();
    for (std::uint32_t& size : config.block) size = in_.varint32();
    config.registers_per_thread = in_.varint32();
    config.shared_bytes = in_.varint32();
    return in_.ok() ? file_.shared.launch_config(config, out_) : kNone;
  }

  void process() {
    const std::uint32_t local = in_.varint32();
    const std::int64_t pid = in_.zigzag();
    const auto rank = static_cast<std::int32_t>(in_.zigzag());
    const auto world_size = static_cast<std::int32_t>(in_.zigzag());
    const std::string name = text();
    const std::string host = text();
    if (!in_.ok() || local > session_.processes.size()) return in_.fail();
    const ProcessId id = local == 0 ? file_.ids.own_process() : file_.ids.process(pid);
    session_.processes.set(local, id);
    Process& p = out_.processes[id];
    if (pid != 0) p.pid = pid;
    if (rank >= 0) p.rank = rank;
    if (world_size >= 0) p.world_size = world_size;
    if (!name.empty()) p.name = name;
    if (!host.empty()) p.host = host;
  }
  void fact() {
    const ProcessId process = process_id();
    const std::string key = text();
    const std::string value = text();
    if (in_.ok()) out_.processes[process].facts[key] = value;
  }
  void name() {
    const auto what = in_.get<Named>();
    const std::uint32_t local = in_.varint32();
    const std::string given = text();
    const std::uint32_t id = (what == Named::thread ? session_.threads : session_.streams)[local];
    if (!in_.ok() || id == kNone) return;
    (what == Named::thread ? out_.threads[id].name : out_.streams[id].name) = given;
  }
  void device() {
    const ProcessId process = process_id();
    Device& d = file_.ids.device(process, in_.varint32());
    d.name = text();
    d.memory_bytes = in_.varint();
    d.multiprocessors = in_.varint32();
    d.compute_major = in_.varint32();
    d.compute_minor = in_.varint32();
    d.uuid = text();
  }
  void clock() {
    ClockRecord record;
    record.process = process_id();
    record.realtime_ns = in_.zigzag();
    record.monotonic_raw_ns = in_.zigzag();
    record.tsc = in_.varint();
    record.error_ns = in_.zigzag();
    if (in_.ok()) out_.clocks.push_back(record);
  }
  void add_once(std::vector<std::string>& list) {
    std::string given = text();
    constexpr std::size_t kMost = 1000;  // a reader of the report stops long before
    if (in_.ok() && list.size() < kMost &&
        std::find(list.begin(), list.end(), given) == list.end()) {
      list.push_back(std::move(given));
    }
  }
  // A later minor version may count more, an earlier one less.
  bool health() {
    health_counters(session_.health, [this](auto& value) {
      if (in_.more()) value = static_cast<std::remove_reference_t<decltype(value)>>(in_.zigzag());
    });
    return in_.ok();
  }
  bool exit() {
    Process& p = out_.processes[process_id()];
    const auto reason = in_.get<std::uint8_t>();
    const auto status = static_cast<std::int32_t>(in_.zigzag());
    if (!in_.ok()) return false;
    p.exit_reason = reason <= static_cast<std::uint8_t>(ExitReason::still_running)
                        ? static_cast<ExitReason>(reason)
                        : ExitReason::unknown;
    p.exit_status = status;
    file_.has_footer = true;
    return true;
  }

  ByteSource in_;
  Session& session_;
  FileState& file_;
  TraceData& out_;
};

}  // namespace

bool read_fact_section(Section id, ByteSource source, Session& session, FileState& file) {
  return FactReader(source, session, file).read(id);
}

}  // namespace stepscope::store
