// SPDX-License-Identifier: Apache-2.0
#include "core/gate/metric_causes.hpp"

#include <algorithm>
#include <map>
#include <string_view>

namespace stepscope {
namespace {

constexpr std::size_t kMostCauses = 3;

bool is_kernel(Cause cause) {
  return is_device_busy(cause) && !name_of(cause).starts_with("copy.");
}

bool speaks_of_count(std::string_view metric, const DeltaPart& part) {
  const Cause cause = part.cause;
  const std::string_view name = name_of(cause);
  if (metric == "kernels" || metric == "launches") return is_kernel(cause);
  if (metric == "graph_launches") return part.op.find("GraphLaunch") != std::string::npos;
  if (metric == "host_syncs")
    return cause == Cause::host_sync_return || part.op.find("Synchronize") != std::string::npos;
  if (metric == "allocations") return cause == Cause::host_alloc;
  if (metric.ends_with("_h2d")) return name.starts_with("copy.h2d");
  if (metric.ends_with("_d2h")) return name == "copy.d2h";
  if (metric.ends_with("_d2d")) return name == "copy.d2d";
  if (metric == "memsets") return name == "copy.set";
  return !part.op.empty() && !is_device_busy(cause) && !part.op.starts_with("cu");  // cpu_ops
}

bool is_in_phase(std::string_view wanted, const std::string& path) {
  if (path == wanted || path.starts_with(std::string(wanted) + "/")) return true;
  return ("/" + path + "/").find("/" + std::string(wanted) + "/") != std::string::npos;
}

bool speaks_of(const Metric& metric, const DeltaPart& part) {
  if (!metric.is_time()) return speaks_of_count(metric.name, part);
  if (metric.is_phase()) return is_in_phase(metric.name.substr(6), part.phase);
  if (metric.name.starts_with("cause:")) return name_of(part.cause) == metric.name.substr(6);
  return metric.name != "device_busy" || is_device_busy(part.cause);
}

// The parts of one match (the count's and a call's) are told together.
std::vector<MetricCause> by_match(const Metric& metric, const Comparison& difference) {
  std::map<std::uint32_t, MetricCause> groups;
  for (const DeltaPart& part : difference.parts) {
    if (!speaks_of(metric, part)) continue;
    const auto [at, is_new] = groups.try_emplace(part.group);
    MetricCause& cause = at->second;
    if (is_new) {
      cause = {part.cause, part.phase, part.file, part.line, part.function,
               part.op,    part.kind,  0,         0,         part.direction};
      const double calls = static_cast<double>(part.b_calls) - static_cast<double>(part.a_calls);
      cause.calls_per_step = calls / static_cast<double>(difference.steps);
    }
    cause.ns_per_step += difference.per_step(part.delta_ns);
  }
  std::vector<MetricCause> out;
  for (auto& [group, cause] : groups) out.push_back(std::move(cause));
  return out;
}

}  // namespace

std::vector<MetricCause> causes_of(const Metric& metric, const Comparison& difference) {
  if (difference.steps == 0) return {};
  std::vector<MetricCause> out = by_match(metric, difference);
  const auto rise = [&](const MetricCause& cause) {
    return metric.is_time() ? cause.ns_per_step : cause.calls_per_step;
  };
  std::erase_if(out, [&](const MetricCause& cause) { return rise(cause) <= 0; });
  std::stable_sort(out.begin(), out.end(),
                   [&](const MetricCause& x, const MetricCause& y) { return rise(x) > rise(y); });
  if (out.size() > kMostCauses) out.resize(kMostCauses);
  return out;
}

}  // namespace stepscope
