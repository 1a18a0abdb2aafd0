// SPDX-License-Identifier: Apache-2.0
// scope_events NAME.scope: what a recorded folder holds, as JSON on stdout, for the tests in
// Python.
#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "core/model/trace.hpp"
#include "core/store/reader/reader.hpp"

int main(int argc, char** argv) {
  using namespace stepscope;
  using Json = nlohmann::json;
  if (argc != 2) return 2;
  Result<TraceData> read = read_scope(argv[1]);
  if (!read) {
    fmt::print(stderr, "{}\n", read.error().message);
    return 4;
  }
  const Trace trace = Trace::build(std::move(*read));
  const TraceData& data = trace.data();
  Json out = {{"processes", Json::array()}, {"ranges", Json::array()}};
  for (const Process& process : data.processes) {
    out["processes"].push_back({{"pid", process.pid},
                                {"name", process.name},
                                {"rank", process.rank},
                                {"exit_reason", static_cast<int>(process.exit_reason)},
                                {"exit_status", process.exit_status},
                                {"facts", process.facts}});
  }
  const HostRanges& rows = trace.host_ranges();
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const Thread& thread = data.threads[rows.thread[row]];
    out["ranges"].push_back({{"name", trace.text(rows.name[row])},
                             {"kind", static_cast<int>(rows.kind[row])},
                             {"pid", data.processes[thread.process].pid},
                             {"tid", thread.tid},
                             {"begin", rows.begin[row]},
                             {"end", rows.end[row]},
                             {"has_site", rows.site[row] != kNone}});
  }
  const Counters& counters = data.counters;
  out["counters"] = Json::array();
  for (std::size_t row = 0; row < counters.size(); ++row)
    out["counters"].push_back(
        {{"track", trace.text(counters.track[row])}, {"value", counters.value[row]}});
  const Health& health = trace.health();
  out["dropped"] = health.dropped_records;
  out["crossing"] = health.crossing_ranges;
  out["lost_chunks"] = health.lost_chunks;
  out["sites_wanted"] = health.sites_wanted;
  out["sites_found"] = health.sites_found;
  out["notes"] = health.notes;
  fmt::print("{}\n", out.dump());
  return 0;
}
