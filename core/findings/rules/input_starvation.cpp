// SPDX-License-Identifier: Apache-2.0
#include "core/findings/rules/input_starvation.hpp"

#include <fmt/format.h>

#include "core/findings/preparation.hpp"
#include "core/findings/wait_lines.hpp"
#include "core/support/duration.hpp"

namespace stepscope::rules {
namespace {

constexpr const char* kInputStarvation = "input_starvation";
constexpr double kLeastShareOfFew = 0.05, kLeastShareOfMany = 0.03;
constexpr std::size_t kManySteps = 20;

struct InputTime {
  explicit InputTime(const Scene& scene) : price(scene) {}
  Price price;
  std::int64_t waiting = 0;                                 // of it, for a loader or another thread
  std::vector<std::pair<std::size_t, std::int64_t>> parts;  // segment, ns

  void add(const Segment& s, std::size_t segment, std::int64_t ns) {
    price.add(s, ns);
    parts.emplace_back(segment, ns);
  }
};

bool waits_for_data(const Scene& scene, const Segment& s) {
  if (s.cause == Cause::host_data_wait) return true;
  if (s.cause != Cause::host_wait_thread) return false;
  return scene.phase_name(s.phase) != "backward" && !scene.optimizer_phases[s.phase];
}

InputTime input_time(const Scene& scene) {
  InputTime out(scene);
  for (std::size_t i = 0; i < scene.segments().size(); ++i) {
    const Segment& s = scene.segments()[i];
    if (!waits_for_data(scene, s) || !scene.counts(s.time.begin)) continue;
    out.waiting += s.time.length();
    out.add(s, i, s.time.length());
  }
  std::vector<bool> chosen = tiny_uploads(scene);
  chosen.flip();
  for (const Preparing& part : preparing(scene, chosen)) {
    const Segment& s = scene.segments()[part.segment];
    if (!waits_for_data(scene, s)) out.add(s, part.segment, part.ns);
  }
  return out;
}

Finding input_finding(const Scene& scene, const InputTime& time, double caused) {
  Finding out = time.price.finding(kInputStarvation, caused);
  const bool waits = 2 * time.waiting > time.price.total();
  out.count_per_step = 1;
  out.title = fmt::format("the device idles {} a step ({}) while the loop {}",
                          format_duration(caused), percent(scene.share(caused)),
                          waits ? "waits for its input" : "makes its input itself");
  // By time, not by line: where a library runs the loop, one line of the user holds all of it.
  Fix prefetch;
  prefetch.kind = FixKind::prefetch_input;
  std::vector<Interval> times;
  for (const auto& [segment, ns] : time.parts) times.push_back(scene.segments()[segment].time);
  prefetch.scope.host_times = unite(std::move(times));
  prefetch.finding = kInputStarvation;
  out.fixes = {prefetch};
  out.fix = waits
                ? "let more workers make the input, further ahead, or make less of it on the host: "
                  "what each worker does per batch is what limits the loop"
                : "make the input beside the step (a DataLoader with workers, or a thread that "
                  "fills pinned buffers some batches ahead); cast and normalise on the device";
  out.code_hint =
      "DataLoader(dataset, num_workers=4, pin_memory=True, prefetch_factor=4, "
      "persistent_workers=True)\nbatch = batch.to(device, non_blocking=True).float()";
  out.falsified_by = fmt::format(
      "feeding one batch again and again (made before the loop) does not make the step shorter by "
      "about {}",
      format_duration(caused));
  out.certainty = scene.inflated ? Certainty::assumption
                  : waits        ? Certainty::trace_verified
                                 : Certainty::inferred;
  return out;
}

}  // namespace

void judge_input_starvation(Scene& scene, Findings& out) {
  const InputTime time = input_time(scene);
  const double caused = scene.idle_per_step(time.price.total());
  const double least =
      scene.summary.counted.size() >= kManySteps ? kLeastShareOfMany : kLeastShareOfFew;
  if (scene.share(caused) < least || caused < scene.least_ns()) {
    if (caused == 0) return clear(out, kInputStarvation, "the device never waits for input");
    return clear(out, kInputStarvation,
                 fmt::format("the device waits {} a step ({}) for input", format_duration(caused),
                             percent(scene.share(caused))));
  }
  for (const auto& [segment, ns] : time.parts) scene.explain(segment, ns);
  add_finding(scene, input_finding(scene, time, caused), out);
}

}  // namespace stepscope::rules
