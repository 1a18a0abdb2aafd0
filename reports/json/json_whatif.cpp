// SPDX-License-Identifier: Apache-2.0
#include "reports/json/json_documents.hpp"

#include <nlohmann/json.hpp>

#include "reports/json/json_rows.hpp"

namespace stepscope {
namespace {

using Json = nlohmann::ordered_json;

void add_forecast(const Forecast& forecast, Json& out) {
  out["ns_per_step"] = forecast.ns_per_step;
  out["low"] = forecast.low_ns_per_step;
  out["high"] = forecast.high_ns_per_step;
  out["ceiling_ns_per_step"] = forecast.ceiling_ns_per_step;
  out["assumptions"] = forecast.assumptions;
}

Json fix_json(const WhatIfRow& row) {
  Json out = {{"fix", row.text}, {"kind", name_of(row.repair.front().kind)}};
  if (!row.finding.empty()) out["finding"] = row.finding;
  if (!row.how_much.empty()) out["how_much"] = row.how_much;
  if (!row.file.empty()) {
    out["file"] = row.file;
    out["line"] = row.line;
    if (!row.function.empty()) out["function"] = row.function;
    out["other_lines"] = row.other_lines;
  }
  if (!row.phase.empty()) out["phase"] = row.phase;
  out["touched"] = row.touched;
  add_forecast(row.forecast, out);
  return out;
}

const char* kind_name(WhatIfKind kind) {
  switch (kind) {
    case WhatIfKind::ranked:
      return "ranked";
    case WhatIfKind::tried:
      return "tried";
    case WhatIfKind::path:
      break;
  }
  return "path";
}

}  // namespace

std::string json_whatif(const WhatIf& whatif) {
  Json out = {{"schema", "stepscope.whatif/1"},
              {"tool", {{"name", "stepscope"}, {"version", STEPSCOPE_VERSION}}},
              {"path", whatif.path},
              {"question", kind_name(whatif.kind)},
              {"ns_per_step", whatif.step_ns},
              {"is_plain_step", whatif.is_plain_step},
              {"device_busy_ns_per_step", whatif.busy_ns},
              {"steps_counted", whatif.steps_counted},
              {"steps_replayed", whatif.steps_replayed},
              {"replay_error", whatif.check.error},
              {"replay",
               {{"measured_ns_per_step", whatif.check.measured_ns_per_step},
                {"replayed_ns_per_step", whatif.check.replayed_ns_per_step}}}};
  if (!whatif.abstained.empty()) out["abstained"] = whatif.abstained;
  out["notes"] = whatif.notes;
  out["fixes"] = Json::array();
  for (const WhatIfRow& row : whatif.rows) out["fixes"].push_back(fix_json(row));
  if (whatif.together) add_forecast(*whatif.together, out["together"]);
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

namespace json_rows {

Json forecast(const Forecast& forecast) {
  Json out = Json::object();
  add_forecast(forecast, out);
  return out;
}

Json fix(const WhatIfRow& row) {
  return fix_json(row);
}

}  // namespace json_rows
}  // namespace stepscope
