// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "core/gate/policy.hpp"

namespace stepscope {
namespace {

struct Unit {
  std::string_view name;
  MetricKind kind;
  double factor;
};

constexpr std::array<Unit, 11> kUnits = {{{"", MetricKind::count, 1},
                                          {"ns", MetricKind::time, 1},
                                          {"us", MetricKind::time, 1e3},
                                          {"ms", MetricKind::time, 1e6},
                                          {"s", MetricKind::time, 1e9},
                                          {"B", MetricKind::bytes, 1},
                                          {"KB", MetricKind::bytes, 1e3},
                                          {"kB", MetricKind::bytes, 1e3},
                                          {"MB", MetricKind::bytes, 1e6},
                                          {"GB", MetricKind::bytes, 1e9},
                                          {"TB", MetricKind::bytes, 1e12}}};

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

Error wrong(std::string_view text, std::string_view what) {
  return usage_error(fmt::format(
      "budget '{}': {}; write it like 'host_syncs <= 0', 'phase:topk <= 5 %' or 'step_time <= 40 "
      "ms'",
      text, what));
}

std::string_view units_of(MetricKind kind) {
  if (kind == MetricKind::time) return "needs a unit of time (ns, us, ms, s) or % of the step";
  return kind == MetricKind::bytes ? "takes B, KB, MB, GB or TB" : "is a count and takes no unit";
}

Status set_unit(std::string_view unit, Budget& budget) {
  const MetricKind kind = budget.metric.kind;
  if (unit == "%" && kind == MetricKind::time) {
    budget.share = true;
    budget.limit /= 100;
    return Done{};
  }
  for (const Unit& known : kUnits) {
    const bool bare_bytes = unit.empty() && kind == MetricKind::bytes;
    if (known.name != unit || (known.kind != kind && !bare_bytes)) continue;
    budget.limit *= known.factor;
    return Done{};
  }
  return wrong(budget.text, fmt::format("{} {}", budget.metric.name, units_of(kind)));
}

}  // namespace

Result<Budget> parse_budget(std::string_view text) {
  const auto sign = text.find("<=");
  if (sign == std::string_view::npos) return wrong(text, "has no '<='");
  const Result<Metric> metric = parse_metric(trimmed(text.substr(0, sign)));
  if (!metric) return usage_error(fmt::format("budget '{}': {}", text, metric.error().message));
  Budget out{.metric = *metric, .text = std::string(text)};
  const std::string_view limit = trimmed(text.substr(sign + 2));
  const auto [end, error] = std::from_chars(limit.data(), limit.data() + limit.size(), out.limit);
  if (error != std::errc{} || !std::isfinite(out.limit) || out.limit < 0)
    return wrong(text, "has no limit of 0 or more behind '<='");
  const auto used = static_cast<std::size_t>(end - limit.data());
  const Status unit = set_unit(trimmed(limit.substr(used)), out);
  if (!unit) return unit.error();
  return out;
}

}  // namespace stepscope
