// SPDX-License-Identifier: Apache-2.0
// The sections of a comparison's page, in the order in which they stand. Internal to reports/html.
#pragma once

#include <algorithm>
#include <cstdlib>

#include "core/compare/comparison.hpp"
#include "core/report/wording/diff_words.hpp"
#include "reports/html/cells.hpp"

namespace stepscope::html {

// A comparison's totals as its page prints them: per step, in one unit, as shares of A's step.
struct DiffScale {
  const Comparison& c;
  TimeUnit unit;
  double a_ns = 1;  // A's step

  std::string title() const { return std::string(unit.name) + "/step"; }
  Cells difference(std::int64_t total) const {
    return number_cell(format_difference(c.per_step(total), unit), c.per_step(total));
  }
  Cells change(std::int64_t total) const {
    const double ratio = c.per_step(total) / a_ns;
    return number_cell(format_change(ratio), ratio);
  }
  // The largest difference of a table fills its cell.
  Cells bar(std::int64_t delta, std::int64_t largest) const {
    const double share = static_cast<double>(std::abs(delta)) /
                         static_cast<double>(std::max<std::int64_t>(1, std::abs(largest)));
    return bar_cell(delta == 0 ? 0 : share, delta < 0 ? "better" : "worse");
  }
};

// Each table's rows sum to the difference; what is left out is one row.
Markup parts_of(const DiffScale& scale);
Markup sides_of(const DiffScale& scale);  // by cause, phase and line
Markup counts_of(const DiffScale& scale);
Markup replaced_of(const DiffScale& scale);

}  // namespace stepscope::html
