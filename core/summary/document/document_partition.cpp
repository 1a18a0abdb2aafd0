// SPDX-License-Identifier: Apache-2.0
#include "core/summary/document/document_partition.hpp"

#include <fmt/format.h>

#include "core/summary/document/document_values.hpp"

namespace stepscope {
namespace {

std::vector<PartSum> read_parts(const Field& parts) {
  std::vector<PartSum> out;
  parts.for_each([&](const Field& part) {
    out.push_back({read_cause(part.at("cause")), read_time(part.at("ns_total"))});
  });
  return out;
}

Bound read_bound(const Field& field) {
  const std::string name = field.text();
  for (const Bound bound : {Bound::device, Bound::host, Bound::mixed, Bound::not_judged})
    if (name == name_of(bound)) return bound;
  field.fail(fmt::format("'{}' is none of device, host, mixed, not_judged", name));
}

}  // namespace

PartitionSummary read_partition(const Field& partition) {
  PartitionSummary out;
  if (const auto device = partition.find("device")) out.device = device->small_count();
  out.steps_counted = partition.at("steps_counted").count();
  out.wall_ns_total = read_time(partition.at("wall_ns_total"));
  out.p50_ns = read_time(partition.at("p50_ns"));
  out.p90_ns = read_time(partition.at("p90_ns"));
  if (const auto busy = partition.find("device_busy_ns_total"))
    out.device_busy_ns_total = read_time(*busy);
  if (const auto wait = partition.find("host_wait_ns_total"))
    out.host_wait_ns_total = read_time(*wait);
  if (const auto queued = partition.find("queued_share")) out.queued_share = queued->number();
  out.bound = read_bound(partition.at("bound"));
  out.why_bound = partition.text_or("why_bound");
  if (const auto inflated = partition.find("inflated")) out.inflated = inflated->flag();
  if (const auto plain = partition.find("plain_step_ns")) out.plain_step_ns = read_time(*plain);
  if (const auto corrected = partition.find("corrected_step_ns"))
    out.corrected_step_ns = read_time(*corrected);
  out.parts = read_parts(partition.at("parts"));
  std::int64_t sum = 0;
  for (const PartSum& part : out.parts) add_time(part.ns_total, partition.at("parts"), sum);
  if (sum != out.wall_ns_total)
    partition.at("parts").fail(
        fmt::format("sum to {} ns, but wall_ns_total is {} ns", sum, out.wall_ns_total));
  return out;
}

}  // namespace stepscope
