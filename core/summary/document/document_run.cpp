// SPDX-License-Identifier: Apache-2.0
#include "core/summary/document/document_run.hpp"

#include <limits>

namespace stepscope {
namespace {

std::int32_t read_number_of_rank(const Field& field) {
  const std::int64_t rank = field.integer();
  if (rank < -1 || rank > std::numeric_limits<std::int32_t>::max()) field.fail("is no rank");
  return static_cast<std::int32_t>(rank);
}

}  // namespace

RunFacts read_run(const Field& run) {
  RunFacts out;
  out.path = run.text_or("path");
  out.source = run.text_or("source");
  out.command = run.text_or("command");
  out.host = run.text_or("host");
  out.device = run.text_or("device");
  out.device_uuid = run.text_or("device_uuid");
  if (const auto count = run.find("device_count")) out.device_count = count->small_count();
  if (const auto count = run.find("processes")) out.processes = count->count();
  if (const auto count = run.find("events")) out.events = count->count();
  if (const auto rank = run.find("rank")) out.rank = read_number_of_rank(*rank);
  if (const auto size = run.find("world_size")) out.world_size = read_number_of_rank(*size);
  if (const auto versions = run.find("versions")) {
    if (!versions->json().is_object()) versions->fail("must be an object");
    for (const auto& [name, version] : versions->json().items())
      out.versions.emplace_back(name, Field(version, versions->path() + "." + name).text());
  }
  return out;
}

DeviceHealth read_health(const Field& field) {
  DeviceHealth out;
  out.device = field.at("device").small_count();
  if (const auto samples = field.find("samples")) out.samples = samples->count();
  if (const auto clock = field.find("sm_clock_mhz"))
    out.sm_clock_mhz =
        ClockSpread{clock->at("median").number(), clock->at("lowest").number(),
                    clock->at("highest").number(), clock->at("highest_seen").number()};
  return out;
}

void read_trust(const Field& document, Trust& out) {
  const auto trust = document.find("trust");
  if (!trust) return;
  if (const auto dropped = trust->find("dropped")) out.dropped = dropped->count();
  if (const auto lost = trust->find("lost_chunks")) out.lost_chunks = lost->count();
  if (const auto share = trust->find("unknown_share")) out.unknown_share = share->number();
  const auto texts = [&](const char* name, std::vector<std::string>& to) {
    if (const auto list = trust->find(name))
      list->for_each([&](const Field& text) { to.push_back(text.text()); });
  };
  texts("rivals", out.rivals);
  texts("broken_invariants", out.broken_invariants);
  texts("over_budget", out.over_budget);
  texts("notes", out.notes);
}

}  // namespace stepscope
