// SPDX-License-Identifier: Apache-2.0
// The answers of `stepscope whatif`, as a plain struct: repairs ranked by what they give, repairs
// that the user named (each alone, and all together), or the path of the best ones, each on top of
// those before it. A repair is one fix, or several that are made together.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/simulate/simulator.hpp"

namespace stepscope {

using Repair = std::vector<Fix>;  // not empty

// A repair that a finding proposes, or one that suits the trace. Where the finding says where it
// is, that is its place: its fixes may name device operations or times alone.
struct Proposal {
  Repair repair;
  std::string finding;  // its id; empty: none
  std::string file;
  std::uint32_t line = 0;
  SiteKind line_kind = SiteKind::call;
  std::string function;
  std::size_t other_lines = 0;
  std::string phase;
};

struct WhatIfRow {
  Repair repair;
  std::string text;  // as --fix takes it
  std::string finding;
  std::string how_much;  // "1 in 2", "4 workers"; empty: nothing to say
  std::string file;      // empty: none
  std::uint32_t line = 0;
  SiteKind line_kind = SiteKind::call;
  std::string function;
  std::size_t other_lines = 0;  // further lines that it changes
  std::string phase;
  std::uint64_t touched = 0;  // calls and device ops of the replayed steps that it changes
  Forecast forecast;          // in a path: with the rows before it
};

enum class WhatIfKind : std::uint8_t { ranked, tried, path };

struct WhatIf {
  WhatIfKind kind = WhatIfKind::ranked;
  std::string path;  // the trace's path
  ReplayCheck check;
  double step_ns = 0;  // what forecasts are compared with: the measured step, or the plain one
  bool is_plain_step = false;
  double busy_ns = 0;  // the part of it in which some device op runs
  std::uint64_t steps_replayed = 0;
  std::uint64_t steps_counted = 0;
  std::string abstained;  // why no number can be relied on
  std::vector<std::string> notes;
  std::vector<WhatIfRow> rows;
  std::optional<Forecast> together;  // the forecast of all rows together, where several were tried
};

struct WhatIfQuestion {
  std::vector<Proposal> tried;  // empty: `proposed` is ranked
  std::vector<Proposal> proposed;
  std::size_t apply_best = 0;  // steps of a path; 0: none
};

WhatIf answer(const WhatIfQuestion& question, const Simulator& simulator, const Trace& trace,
              const Attribution& attribution);

}  // namespace stepscope
