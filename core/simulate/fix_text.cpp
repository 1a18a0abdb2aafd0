// SPDX-License-Identifier: Apache-2.0
#include "core/simulate/fix_text.hpp"

#include <fmt/format.h>

#include <set>

namespace stepscope {
namespace {

std::string amount_of_one(const Fix& fix) {
  switch (fix.kind) {
    case FixKind::less_often:
      return fmt::format("1 in {}", fix.every);
    case FixKind::remove_sync:
      return fix.every > 1 ? fmt::format("1 in {} stays", fix.every) : "";
    case FixKind::batch_repeats:
      return fmt::format("{} at once", fix.every);
    case FixKind::fuse_work:
      if (fix.factor == 0) return "";  // to the longest of them
      [[fallthrough]];
    case FixKind::scale_work:
      return fmt::format("x{:.2g}", fix.factor);
    case FixKind::prefetch_input:
      if (fix.workers == 0) return "";
      return fmt::format("{} {}", fix.workers, fix.workers == 1 ? "worker" : "workers");
    default:
      return "";
  }
}

}  // namespace

std::string phase_path(const std::vector<Phase>& phases, PhaseId phase) {
  std::string path = phases[phase].name;
  while (phases[phase].parent != 0) {
    phase = phases[phase].parent;
    path.insert(0, phases[phase].name + "/");
  }
  return path;
}

std::string text_of(const std::vector<Fix>& fixes, const Trace& trace,
                    const Attribution& attribution) {
  std::string out;
  std::string_view finding;  // its fixes are one word
  for (const Fix& fix : fixes) {
    if (fix.finding.empty() || fix.finding != finding)
      out += (out.empty() ? "" : "+") + text_of(fix, trace, attribution);
    finding = fix.finding;
  }
  return out;
}

std::string text_of(const Fix& fix, const Trace& trace, const Attribution& attribution) {
  if (!fix.finding.empty()) return fix.finding;
  std::string out(name_of(fix.kind));
  std::set<std::string> lines;
  for (const SiteId site : fix.scope.sites) {
    const Site& s = trace.data().sites[site];
    lines.insert(fmt::format("@{}:{}", trace.text(s.file), s.line));
  }
  for (const std::string& line : lines) out += line;
  for (const PhaseId phase : fix.scope.phases)
    out += "@phase=" + phase_path(attribution.phases, phase);
  if (fix.scope.direction) out += fmt::format("@direction={}", name_of(*fix.scope.direction));
  if (fix.scope.cause) out += fmt::format("@cause={}", name_of(*fix.scope.cause));
  if (fix.kind == FixKind::scale_work || fix.kind == FixKind::fuse_work)
    out += fmt::format(":factor={:g}", fix.factor);
  if (fix.every > 1) out += fmt::format(":every={}", fix.every);
  if (fix.kind == FixKind::prefetch_input && fix.workers != Fix().workers)
    out += fmt::format(":workers={}", fix.workers);
  return out;
}

std::string amount_of(const std::vector<Fix>& fixes) {
  std::string out;
  for (const Fix& fix : fixes) {
    const std::string one = amount_of_one(fix);
    if (!one.empty() && out.find(one) == std::string::npos) out += (out.empty() ? "" : ", ") + one;
  }
  return out;
}

}  // namespace stepscope
