// SPDX-License-Identifier: Apache-2.0
#include "core/summary/document/document_job.hpp"

#include <limits>

namespace stepscope {
namespace {

std::int32_t read_number(const Field& field) {
  const std::int64_t value = field.integer();
  if (value < -1 || value > std::numeric_limits<std::int32_t>::max()) field.fail("is no rank");
  return static_cast<std::int32_t>(value);
}

JobReason read_reason(const Field& field) {
  const std::optional<Cause> cause = cause_named(field.at("cause").text());
  if (!cause) field.at("cause").fail("is no cause");
  JobReason out{.cause = *cause, .phase_path = field.text_or("phase_path")};
  out.file = field.text_or("file");
  if (const auto line = field.find("line")) out.line = line->small_count();
  out.function = field.text_or("function");
  out.ns_total = field.at("ns_total").integer();
  return out;
}

JobRank read_job_rank(const Field& field) {
  JobRank out{.rank = read_number(field.at("rank")), .host = field.text_or("host")};
  out.steps_counted = field.at("steps_counted").count();
  out.wall_ns_total = field.at("wall_ns_total").integer();
  out.work_ns_total = field.at("work_ns_total").integer();
  out.transfer_ns_total = field.at("transfer_ns_total").integer();
  out.waits_ns_total = field.at("waits_ns_total").integer();
  out.undecided_ns_total = field.at("undecided_ns_total").integer();
  out.costs_ns_total = field.at("costs_others_ns_total").integer();
  out.times_last = field.at("times_last").count();
  out.is_late = field.at("late").flag();
  out.gain_ns_total = field.at("gain_ns_total").integer();
  field.at("reasons").for_each([&](const Field& r) { out.reasons.push_back(read_reason(r)); });
  return out;
}

}  // namespace

JobFacts read_job(const Field& field) {
  JobFacts out;
  out.world_size = read_number(field.at("world_size"));
  out.steps_counted = field.at("steps_counted").count();
  out.wall_ns_total = field.at("wall_ns_total").integer();
  out.collectives = field.at("collectives").count();
  field.at("ranks").for_each([&](const Field& r) { out.ranks.push_back(read_job_rank(r)); });
  if (out.ranks.size() < 2) field.at("ranks").fail("must hold two ranks or more");
  field.at("clocks").for_each([&](const Field& c) {
    out.clocks.push_back({c.at("host").text(), c.at("offset_ns").integer(), c.at("drift").number(),
                          c.at("error_ns").integer(), c.at("collectives").count()});
  });
  field.at("notes").for_each([&](const Field& n) { out.notes.push_back(n.text()); });
  return out;
}

}  // namespace stepscope
