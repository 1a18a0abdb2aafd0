// SPDX-License-Identifier: Apache-2.0
#include "core/simulate/whatif.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "core/simulate/fix_text.hpp"

namespace stepscope {
namespace {

// Share of the step; a smaller gain is no further repair of the path.
constexpr double kLeastGain = 0.001;

class Answer {
 public:
  Answer(const Simulator& simulator, const Trace& trace, const Attribution& attribution)
      : simulator_(simulator), trace_(trace), attribution_(attribution) {
    out_.path = trace.data().path;
    out_.check = simulator.check();
    out_.step_ns = simulator.anchor_ns_per_step();
    out_.busy_ns = simulator.busy_ns_per_step();
    out_.steps_replayed = simulator.steps_replayed();
    out_.abstained = simulator.abstained();
    out_.notes = simulator.notes();
  }

  WhatIf ranked(const std::vector<Proposal>& proposals) {
    for (const Proposal& proposal : proposals) {
      WhatIfRow row = row_of(proposal);
      if (row.touched == 0) continue;
      row.forecast = simulator_.forecast(row.repair);
      out_.rows.push_back(std::move(row));
    }
    std::stable_sort(out_.rows.begin(), out_.rows.end(), [](const auto& a, const auto& b) {
      return a.forecast.ns_per_step < b.forecast.ns_per_step;
    });
    return std::move(out_);
  }

  WhatIf tried(const std::vector<Proposal>& proposals) {
    out_.kind = WhatIfKind::tried;
    Repair all;
    for (const Proposal& proposal : proposals) {
      WhatIfRow row = row_of(proposal);
      row.forecast = simulator_.forecast(row.repair);
      all.insert(all.end(), row.repair.begin(), row.repair.end());
      out_.rows.push_back(std::move(row));
    }
    if (proposals.size() > 1) out_.together = simulator_.forecast(all);
    return std::move(out_);
  }

  // Takes at each step the repair that, with those taken, gives the shortest step.
  WhatIf best_path(std::vector<Proposal> left, std::size_t steps) {
    out_.kind = WhatIfKind::path;
    Repair taken;
    double before = out_.step_ns;
    while (out_.rows.size() < steps && !left.empty()) {
      const auto [best, ns] = best_behind(taken, left);
      if (ns >= before * (1 - kLeastGain)) break;
      WhatIfRow row = row_of(left[best]);
      taken.insert(taken.end(), row.repair.begin(), row.repair.end());
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
      row.forecast = simulator_.forecast(taken);
      out_.rows.push_back(std::move(row));
      before = ns;
    }
    return std::move(out_);
  }

 private:
  std::pair<std::size_t, double> best_behind(const Repair& taken,
                                             const std::vector<Proposal>& left) const {
    std::pair<std::size_t, double> best{0, std::numeric_limits<double>::infinity()};
    for (std::size_t i = 0; i < left.size(); ++i) {
      Repair all = taken;
      all.insert(all.end(), left[i].repair.begin(), left[i].repair.end());
      const double ns = simulator_.expected_ns_per_step(all);
      if (ns < best.second) best = {i, ns};
    }
    return best;
  }

  WhatIfRow row_of(const Proposal& proposal) const {
    WhatIfRow row{.repair = proposal.repair,
                  .text = text_of(proposal.repair, trace_, attribution_),
                  .finding = proposal.finding,
                  .how_much = amount_of(proposal.repair),
                  .file = proposal.file,
                  .line = proposal.line,
                  .line_kind = proposal.line_kind,
                  .function = proposal.function,
                  .other_lines = proposal.other_lines,
                  .phase = proposal.phase};
    std::set<std::pair<std::string_view, std::uint32_t>> lines;
    for (const Fix& fix : proposal.repair) {
      for (const SiteId site : fix.scope.sites) add_line(trace_.data().sites[site], lines, row);
      if (row.phase.empty() && !fix.scope.phases.empty())
        row.phase = phase_path(attribution_.phases, fix.scope.phases.front());
      row.touched += simulator_.touches(fix);
    }
    if (proposal.file.empty() && !lines.empty()) row.other_lines = lines.size() - 1;
    return row;
  }

  void add_line(const Site& site, std::set<std::pair<std::string_view, std::uint32_t>>& lines,
                WhatIfRow& row) const {
    lines.emplace(trace_.text(site.file), site.line);
    if (!row.file.empty()) return;
    row.file = trace_.text(site.file);
    row.line = site.line;
    row.line_kind = site.kind;
    row.function = trace_.text(site.function);
  }

  const Simulator& simulator_;
  const Trace& trace_;
  const Attribution& attribution_;
  WhatIf out_;
};

}  // namespace

WhatIf answer(const WhatIfQuestion& question, const Simulator& simulator, const Trace& trace,
              const Attribution& attribution) {
  Answer answer(simulator, trace, attribution);
  if (question.apply_best > 0) {
    const auto& from = question.tried.empty() ? question.proposed : question.tried;
    return answer.best_path(from, question.apply_best);
  }
  return question.tried.empty() ? answer.ranked(question.proposed) : answer.tried(question.tried);
}

}  // namespace stepscope
