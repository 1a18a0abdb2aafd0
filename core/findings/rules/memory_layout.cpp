// SPDX-License-Identifier: Apache-2.0
// memory_layout: convolutions of tensors in NCHW order, which PyTorch makes unless told otherwise.
// Tensor cores take NHWC: cuDNN converts what goes in and out of each convolution, and other kernels
// of images are slower in NCHW.
//
//   fires where   what channels_last saves >= 5 % of the device's compute time, and >= least
//   saved         by kinds of kernels, told by their names, times 1 - what channels_last leaves of them,
//                 as measured (docs/measurements/forecasts.md):
//                   conversions of cuDNN                                  0.05 (0 to 0.2)
//                   batch normalisation in NCHW                           0.45 (0.3 to 0.65)
//                   max pooling in NCHW                                   0.75 (0.55 to 0.95)
//                   depthwise convolutions of PyTorch                     0.25 (0.15 to 0.6)
//                 Depthwise convolutions count with 16-bit numbers, and in float32 with windows of 3
//                 or 5: with wider ones cuDNN may be slower than PyTorch
//   not where     neither a conversion nor a depthwise convolution of PyTorch runs: then nothing says
//                 that convolutions take NCHW; or group normalisation runs, which PyTorch computes in
//                 NCHW alone: it would convert at each, and the step becomes longer
#include "core/findings/rules/rules.hpp"

#include <fmt/format.h>

#include <array>
#include <map>
#include <optional>
#include <vector>

#include "core/findings/advice/advice.hpp"
#include "core/findings/price.hpp"
#include "core/support/duration.hpp"

namespace stepscope::rules {
namespace {

constexpr const char* kMemoryLayout = "memory_layout";
constexpr double kLayoutLeastOfCompute = 0.05;
constexpr double kMuchGroupNorm = 0.01;  // share of the device's compute time

enum class LayoutKind : std::uint8_t { conversion, batch_norm, max_pool, depthwise, count };
constexpr auto kLayoutKinds = static_cast<std::size_t>(LayoutKind::count);

struct Left {
  double expected, low, high;  // share of the kind's time that stays in NHWC
};
constexpr std::array<Left, kLayoutKinds> kLeft = {
    {{0.05, 0, 0.2}, {0.45, 0.3, 0.65}, {0.75, 0.55, 0.95}, {0.25, 0.15, 0.6}}};

bool has(std::string_view name, std::string_view part) {
  return name.find(part) != std::string_view::npos;
}

bool is_depthwise(std::string_view name) {
  return has(name, "conv_depthwise2d_");
}

std::optional<LayoutKind> layout_kind(std::string_view name) {
  if (has(name, "nchwToNhwc") || has(name, "nhwcToNchw")) return LayoutKind::conversion;
  if (has(name, "nhwc") || has(name, "channels_last")) return std::nullopt;
  if (has(name, "batch_norm_") || has(name, "bn_fw_") || has(name, "bn_bw_"))
    return LayoutKind::batch_norm;
  if (has(name, "max_pool_") && has(name, "_nchw")) return LayoutKind::max_pool;
  const bool is_short = has(name, "BFloat16") || has(name, "Half");
  const bool is_narrow = has(name, "_kernel<3, ") || has(name, "_kernel<5, ");
  if (is_depthwise(name) && (is_short || is_narrow)) return LayoutKind::depthwise;
  return std::nullopt;
}

struct KernelName {
  std::optional<LayoutKind> kind;
  bool takes_nchw = false, is_group_norm = false;

  explicit KernelName(std::string_view name)
      : kind(layout_kind(name)),
        takes_nchw(kind == LayoutKind::conversion || is_depthwise(name)),
        is_group_norm(has(name, "GroupNorm")) {}
};

struct LayoutTime {
  explicit LayoutTime(const JudgedRun& run) : price(run) {}
  Price price;
  std::int64_t compute = 0, group_norm = 0;
  bool takes_nchw = false;
  std::array<std::int64_t, kLayoutKinds> ns{};
  std::array<std::vector<DeviceOpId>, kLayoutKinds> ops;
  std::vector<std::size_t> segments;

  double saved() const {
    double out = 0;
    for (std::size_t i = 0; i < kLayoutKinds; ++i)
      out += (1 - kLeft[i].expected) * static_cast<double>(ns[i]);
    return out;
  }
};

LayoutTime layout_time(const JudgedRun& run) {
  LayoutTime out(run);
  std::map<StringId, KernelName> names;
  for (std::size_t i = 0; i < run.segments().size(); ++i) {
    const Segment& s = run.segments()[i];
    if (!is_device_compute(s.cause) || s.device_evidence == kNone || !run.counts(s.time.begin))
      continue;
    out.compute += s.time.length();
    const StringId id = run.trace.device_ops().name[s.device_evidence];
    const KernelName& name = names.try_emplace(id, run.trace.text(id)).first->second;
    out.takes_nchw |= name.takes_nchw;
    if (name.is_group_norm) out.group_norm += s.time.length();
    if (!name.kind) continue;
    const auto kind = static_cast<std::size_t>(*name.kind);
    out.ns[kind] += s.time.length();
    out.ops[kind].push_back(s.device_evidence);
    out.price.add(s, s.time.length());
    out.segments.push_back(i);
  }
  return out;
}

std::string layout_text(const JudgedRun& run, const LayoutTime& time) {
  const auto of = [&](LayoutKind kind) {
    return run.per_step(time.ns[static_cast<std::size_t>(kind)]);
  };
  std::string out = "images are in NCHW order";
  if (const double ns = of(LayoutKind::conversion); ns > 0)
    out += fmt::format(", and cuDNN converts them for tensor cores and back: {} a step ({})",
                       format_duration(ns), percent(run.share(ns)));
  const double others =
      of(LayoutKind::batch_norm) + of(LayoutKind::max_pool) + of(LayoutKind::depthwise);
  if (others > 0)
    out += fmt::format("; kernels that are faster in NHWC take {} ({})", format_duration(others),
                       percent(run.share(others)));
  return out;
}

Finding layout_finding(const JudgedRun& run, LayoutTime& time) {
  const double caused = run.per_step(time.price.total());
  Finding out = time.price.finding(caused);
  out.ceiling_ns_per_step = run.per_step(static_cast<std::int64_t>(time.saved()));
  out.title = layout_text(run, time);
  for (std::size_t i = 0; i < kLayoutKinds; ++i) {
    if (time.ops[i].empty()) continue;
    Fix faster{.kind = FixKind::scale_work,
               .factor = kLeft[i].expected,
               .factor_low = kLeft[i].low,
               .factor_high = kLeft[i].high};
    set_ops(faster, std::move(time.ops[i]), kMemoryLayout);
    out.fixes.push_back(std::move(faster));
  }
  advise(Advice::memory_layout, run.language, out);
  out.falsified_by =
      "with channels_last the kernels nchwToNhwc and nhwcToNchw stay, or copies "
      "(direct_copy_kernel) "
      "take their place: an operation between the convolutions gives NCHW back";
  out.certainty = Certainty::assumption;
  return out;
}

}  // namespace

Judgement judge_memory_layout(const JudgedRun& run) {
  LayoutTime time = layout_time(run);
  const auto compute = static_cast<double>(time.compute);
  if (!time.takes_nchw) return cleared("no convolution is seen that takes tensors in NCHW order");
  if (static_cast<double>(time.group_norm) > kMuchGroupNorm * compute)
    return cleared(
        "convolutions take NCHW, and so does group normalisation in PyTorch: in channels_last it "
        "would convert at each");
  if (time.saved() < kLayoutLeastOfCompute * compute ||
      run.per_step(static_cast<std::int64_t>(time.saved())) < run.least_ns())
    return cleared(
        fmt::format("channels_last would save {} a step",
                    format_duration(run.per_step(static_cast<std::int64_t>(time.saved())))));
  const std::vector<std::size_t> segments = time.segments;
  return fired(layout_finding(run, time), whole_segments(run, segments));
}

}  // namespace stepscope::rules
