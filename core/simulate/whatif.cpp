// SPDX-License-Identifier: Apache-2.0
#include "core/simulate/whatif.hpp"

#include <algorithm>

#include "core/simulate/fix_text.hpp"

namespace stepscope {
namespace {

constexpr double kLeastGain = 0.001;  // of the step: less is no further step of a path

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

  WhatIf ranked(const std::vector<Fix>& fixes) {
    for (const Fix& fix : fixes) {
      WhatIfRow row = row_of(fix);
      if (row.touched == 0) continue;
      row.forecast = simulator_.forecast({&fix, 1});
      out_.rows.push_back(std::move(row));
    }
    std::stable_sort(out_.rows.begin(), out_.rows.end(), [](const auto& a, const auto& b) {
      return a.forecast.ns_per_step < b.forecast.ns_per_step;
    });
    return std::move(out_);
  }

  WhatIf tried(const std::vector<Fix>& fixes) {
    out_.kind = WhatIfKind::tried;
    for (const Fix& fix : fixes) {
      WhatIfRow row = row_of(fix);
      row.forecast = simulator_.forecast({&fix, 1});
      out_.rows.push_back(std::move(row));
    }
    if (fixes.size() > 1) out_.together = simulator_.forecast(fixes);
    return std::move(out_);
  }

  // At each step the fix that, with those taken, gives the shortest step.
  WhatIf best_path(std::vector<Fix> left, std::size_t steps) {
    out_.kind = WhatIfKind::path;
    std::vector<Fix> taken;
    double before = out_.step_ns;
    while (taken.size() < steps && !left.empty()) {
      std::size_t best = left.size();
      double best_ns = before * (1 - kLeastGain);
      for (std::size_t i = 0; i < left.size(); ++i) {
        taken.push_back(left[i]);
        const double ns = simulator_.expected_ns_per_step(taken);
        taken.pop_back();
        if (ns < best_ns) {
          best = i;
          best_ns = ns;
        }
      }
      if (best == left.size()) break;
      taken.push_back(left[best]);
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
      WhatIfRow row = row_of(taken.back());
      row.forecast = simulator_.forecast(taken);
      out_.rows.push_back(std::move(row));
      before = best_ns;
    }
    return std::move(out_);
  }

 private:
  WhatIfRow row_of(const Fix& fix) const {
    WhatIfRow row{.fix = fix, .text = text_of(fix, trace_, attribution_)};
    if (!fix.scope.sites.empty()) {
      const Site& site = trace_.data().sites[fix.scope.sites.front()];
      row.file = trace_.text(site.file);
      row.line = site.line;
    }
    if (!fix.scope.phases.empty())
      row.phase = phase_path(attribution_.phases, fix.scope.phases.front());
    row.touched = simulator_.touches(fix);
    return row;
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
    const auto& from = question.fixes.empty() ? question.proposed : question.fixes;
    return answer.best_path(from, question.apply_best);
  }
  return question.fixes.empty() ? answer.ranked(question.proposed) : answer.tried(question.fixes);
}

}  // namespace stepscope
