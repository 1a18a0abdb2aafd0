// SPDX-License-Identifier: Apache-2.0
#include "viewer/lod/ticks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stepscope::viewer {
namespace {

std::int64_t next_step(std::int64_t step) {
  std::int64_t power = 1;
  while (step >= 10 * power) power *= 10;
  const std::int64_t digit = step / power;
  return digit == 1 ? 2 * power : digit == 2 ? 5 * power : 10 * power;
}

std::int64_t first_multiple(std::int64_t from, std::int64_t step) {
  const std::int64_t down = from / step * step;
  return down < from ? down + step : down;
}

}  // namespace

Ticks ticks(Interval span, std::int64_t origin, int most) {
  Ticks out;
  const std::int64_t wanted = span.length() / std::max(1, most);
  while (out.step_ns < wanted) out.step_ns = next_step(out.step_ns);
  if (span.length() / out.step_ns >= std::max(1, most)) out.step_ns = next_step(out.step_ns);
  for (std::int64_t t = first_multiple(span.begin - origin, out.step_ns) + origin; t < span.end;
       t += out.step_ns)
    out.at.push_back(t);
  return out;
}

std::string tick_label(std::int64_t from_origin_ns, std::int64_t step_ns, std::int64_t span_ns) {
  struct Unit {
    const char* name;
    double ns;
  };
  const Unit unit = span_ns >= 2'000'000'000 ? Unit{"s", 1e9}
                    : span_ns >= 1'000'000   ? Unit{"ms", 1e6}
                    : span_ns >= 2'000       ? Unit{"us", 1e3}
                                             : Unit{"ns", 1};
  int decimals = 0;
  for (double step = static_cast<double>(step_ns) / unit.ns; step < 0.999; step *= 10) ++decimals;
  return fmt::format("{:.{}f} {}", static_cast<double>(from_origin_ns) / unit.ns, decimals,
                     unit.name);
}

}  // namespace stepscope::viewer
