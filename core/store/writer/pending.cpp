// SPDX-License-Identifier: Apache-2.0
#include "core/store/writer/pending.hpp"

namespace stepscope::store {
namespace {

void put(const std::string& text, ByteSink& out) {
  out.put_varint(text.size());
  out.put_bytes(text.data(), text.size());
}
void put(const ThreadKey& key, ByteSink& out) {
  out.put_varint(key.process);
  out.put_zigzag(key.tid);
}
void put(const StreamKey& key, ByteSink& out) {
  for (std::uint32_t part : {key.process, key.device, key.context, key.stream})
    out.put_varint(part);
}
void put(const Site& site, ByteSink& out) {
  for (std::uint32_t part : {site.file, site.line, site.function}) out.put_varint(part);
  out.put(site.kind);
}
void put(const LaunchConfig& config, ByteSink& out) {
  for (std::uint32_t size : config.grid) out.put_varint(size);
  for (std::uint32_t size : config.block) out.put_varint(size);
  out.put_varint(config.registers_per_thread);
  out.put_varint(config.shared_bytes);
}
void put(const ProcessRecord& p, ByteSink& out) {
  out.put_varint(p.id);
  out.put_zigzag(p.pid);
  out.put_zigzag(p.rank);
  out.put_zigzag(p.world_size);
  out.put_varint(p.name);
  out.put_varint(p.host);
}
void put(const Fact& fact, ByteSink& out) {
  for (std::uint32_t part : {fact.process, fact.key, fact.value}) out.put_varint(part);
}
void put(const Name& name, ByteSink& out) {
  out.put(name.what);
  out.put_varint(name.id);
  out.put_varint(name.text);
}
void put(const DeviceRecord& record, ByteSink& out) {
  const Device& d = record.device;
  out.put_varint(d.process);
  out.put_varint(d.index);
  out.put_varint(record.name);
  out.put_varint(d.memory_bytes);
  for (std::uint32_t n : {d.multiprocessors, d.compute_major, d.compute_minor}) out.put_varint(n);
  out.put_varint(record.uuid);
}
void put(const ClockRecord& clock, ByteSink& out) {
  out.put_varint(clock.process);
  out.put_zigzag(clock.realtime_ns);
  out.put_zigzag(clock.monotonic_raw_ns);
  out.put_varint(clock.tsc);
  out.put_zigzag(clock.error_ns);
}
void put(StringId text, ByteSink& out) {
  out.put_varint(text);
}

template <class Key>
void put_dictionary(Section id, const Dictionary<Key>& dictionary, ByteSink& out) {
  if (dictionary.pending().empty()) return;
  out.put(id);
  LengthPatch length(out);
  out.put_varint(dictionary.first_pending());
  out.put_varint(dictionary.pending().size());
  for (const Key* key : dictionary.pending()) put(*key, out);
  length.end();
}

template <class T>
void put_list(Section id, const std::vector<T>& list, ByteSink& out) {
  if (list.empty()) return;
  out.put(id);
  LengthPatch length(out);
  out.put_varint(list.size());
  for (const T& item : list) put(item, out);
  length.end();
}

void put_health(const Health& health, ByteSink& out) {
  out.put(Section::health);
  LengthPatch length(out);
  health_counters(health, [&out](auto value) { out.put_zigzag(static_cast<std::int64_t>(value)); });
  length.end();
}

void put_collected(std::uint32_t bits, ByteSink& out) {
  out.put(Section::collected);
  LengthPatch length(out);
  out.put_varint(bits);
  length.end();
}

template <class AnyCollected, class Visit>
void collected_flags(AnyCollected& c, Visit&& visit) {
  visit(c.device_ops), visit(c.api_calls), visit(c.api_arguments), visit(c.framework_ops);
  visit(c.user_scopes), visit(c.python_functions), visit(c.call_sites);
  visit(c.garbage_collection), visit(c.off_cpu), visit(c.io);
}

}  // namespace

bool Pending::empty() const {
  return strings.pending().empty() && threads.pending().empty() && streams.pending().empty() &&
         sites.pending().empty() && launch_configs.pending().empty() && processes.empty() &&
         facts.empty() && names.empty() && devices.empty() && clocks.empty() && rivals.empty() &&
         notes.empty() && !collected_changed && !health_changed;
}

// Strings come first, then what names them: a reader resolves ids as it goes.
void Pending::encode(ByteSink& out) const {
  put_dictionary(Section::strings, strings, out);
  put_list(Section::processes, processes, out);
  put_list(Section::facts, facts, out);
  put_dictionary(Section::threads, threads, out);
  put_dictionary(Section::streams, streams, out);
  put_list(Section::names, names, out);
  put_dictionary(Section::sites, sites, out);
  put_dictionary(Section::launch_configs, launch_configs, out);
  put_list(Section::devices, devices, out);
  put_list(Section::clocks, clocks, out);
  put_list(Section::rivals, rivals, out);
  put_list(Section::notes, notes, out);
  if (collected_changed) put_collected(collected, out);
  if (health_changed) put_health(health, out);
}

void Pending::mark_written() {
  strings.mark_written();
  pids.mark_written();
  threads.mark_written();
  streams.mark_written();
  sites.mark_written();
  launch_configs.mark_written();
  processes.clear();
  facts.clear();
  names.clear();
  devices.clear();
  clocks.clear();
  rivals.clear();
  notes.clear();
  collected_changed = false;
  health_changed = false;
}

std::uint32_t bits_of(const Collected& collected) {
  std::uint32_t bits = 0;
  std::uint32_t bit = 1;
  collected_flags(collected, [&](bool flag) {
    bits |= flag ? bit : 0U;
    bit <<= 1U;
  });
  return bits;
}

Collected collected_of(std::uint32_t bits) {
  Collected collected;
  collected_flags(collected, [&bits](bool& flag) {
    flag = (bits & 1U) != 0;
    bits >>= 1U;
  });
  return collected;
}

}  // namespace stepscope::store
