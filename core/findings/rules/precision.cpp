// SPDX-License-Identifier: Apache-2.0
// precision: matrix products in full float32, which tensor cores could do.
//
//   fires where   time(float32 matrix kernels) >= 5 % of the device's compute time, on a device
//                 with TF32 (compute capability 8.0 and later, where it is known), and
//                 ceiling >= least
//   which         kernels named sgemm or f32f32_f32f32 that name no tensor core (tf32, tensorop,
//                 s1688, ...): cuBLAS's and CUTLASS's names
//   ceiling       what TF32 saves of it (an assumption): it takes 0.18 of the time on data centre
//                 devices (compute capability 8.0, 9.0, 10.0), 0.6 on others, 0.25 where the device
//                 is not known
//   forecast      TF32; its interval also holds bf16: other float32 kernels move half the bytes
#include "core/findings/rules/rules.hpp"

#include <fmt/format.h>

#include "core/findings/advice/advice.hpp"
#include "core/findings/wait_lines.hpp"
#include "core/support/duration.hpp"

namespace stepscope::rules {
namespace {

constexpr const char* kPrecision = "precision";
constexpr double kPrecisionLeastOfCompute = 0.05;
struct TensorFactor {
  double expected, low, high;
};
constexpr TensorFactor kUnknownDevice{0.25, 0.1, 0.5};
// 8.0, 9.0, 10.0: data centre devices, whose tensor cores multiply as TF32 at seven to eight times
// the rate of float32. Others (8.6, 8.9, 12.0) have hardly more than that rate.
constexpr TensorFactor kDataCentre{0.18, 0.08, 0.4};
constexpr TensorFactor kOtherDevice{0.6, 0.3, 1};
constexpr std::uint32_t kFirstWithTf32 = 8;
constexpr double kHalfTheBytes = 0.5;  // time of kernels that read and write float32, with bf16

// Whether the device that the run used first may have TF32; false only where it is known not to.
bool may_have_tf32(const JudgedRun& run) {
  for (const Device& device : run.trace.data().devices) {
    if (device.process == run.steps.process && device.compute_major > 0)
      return device.compute_major >= kFirstWithTf32;
  }
  return true;
}

TensorFactor factor_of(const JudgedRun& run) {
  for (const Device& device : run.trace.data().devices) {
    if (device.process != run.steps.process || device.compute_major == 0) continue;
    return device.compute_minor == 0 ? kDataCentre : kOtherDevice;
  }
  return kUnknownDevice;
}

}  // namespace

bool is_float32_matrix_kernel(std::string_view name) {
  const auto has = [name](const char* part) { return name.find(part) != std::string_view::npos; };
  const bool single = has("sgemm") || has("f32f32_f32f32") || has("simt_sgemm") || has("ffma");
  const bool tensor = has("tf32") || has("tensorop") || has("s1688") || has("s16816") ||
                      has("884") || has("bf16") || has("f16f16") || has("hmma");
  return single && !tensor;
}

namespace {

bool is_float32_memory_kernel(Cause cause, std::string_view name) {
  const auto has = [name](const char* part) { return name.find(part) != std::string_view::npos; };
  return (cause == Cause::gpu_elementwise || cause == Cause::gpu_reduce) && has("float") &&
         !has("BFloat16") && !has("bfloat16") && !has("Half");
}

// TF32 leaves them as they are; bf16, which is advised as well, halves what they move.
Fix halve_bytes(const JudgedRun& run) {
  const DeviceOps& d = run.trace.device_ops();
  std::vector<DeviceOpId> ops;
  for (const Segment& s : run.segments()) {
    if (s.device_evidence == kNone || run.optimizer_phases[s.phase]) continue;
    if (is_float32_memory_kernel(s.cause, run.trace.text(d.name[s.device_evidence])))
      ops.push_back(s.device_evidence);
  }
  Fix out;
  out.kind = FixKind::scale_work;
  out.factor_low = kHalfTheBytes;
  set_ops(out, std::move(ops), kPrecision);
  return out;
}

}  // namespace

Judgement judge_precision(const JudgedRun& run) {
  Price price(run);
  std::int64_t compute = 0;
  std::uint64_t calls = 0;
  std::map<StringId, bool> is_single;
  DeviceOpId last = kNone;
  std::vector<DeviceOpId> ops;
  for (const Segment& s : run.segments()) {
    if (!is_device_compute(s.cause) || s.device_evidence == kNone || !run.counts(s.time.begin))
      continue;
    compute += s.time.length();
    const StringId name = run.trace.device_ops().name[s.device_evidence];
    const auto [at, is_new] = is_single.try_emplace(name, false);
    if (is_new) at->second = is_float32_matrix_kernel(run.trace.text(name));
    if (!at->second) continue;
    price.add(s, s.time.length());
    ops.push_back(s.device_evidence);
    if (s.device_evidence != last) ++calls;
    last = s.device_evidence;
  }
  const double time = run.per_step(price.total());
  const TensorFactor factor = factor_of(run);
  if (price.total() == 0) return cleared("no matrix product runs in full float32");
  if (!may_have_tf32(run)) return cleared("this device has no TF32");
  if (static_cast<double>(price.total()) <
          kPrecisionLeastOfCompute * static_cast<double>(compute) ||
      (1 - factor.expected) * time < run.least_ns()) {
    return cleared(fmt::format("matrix products in full float32 take {} a step ({})",
                               format_duration(time), percent(run.share(time))));
  }
  Finding finding = price.finding(time);
  finding.ceiling_ns_per_step = (1 - factor.expected) * time;
  finding.count_per_step = run.count_per_step(calls);
  finding.title = fmt::format(
      "{:.0f} matrix products a step run in full float32, without tensor cores: {} ({})",
      finding.count_per_step, format_duration(time), percent(run.share(time)));
  Fix faster;
  faster.kind = FixKind::scale_work;
  faster.factor = factor.expected;
  faster.factor_low = factor.low;
  faster.factor_high = factor.high;
  set_ops(faster, std::move(ops), kPrecision);
  finding.fixes = {faster};
  if (Fix half = halve_bytes(run); !half.scope.ops.empty())
    finding.fixes.push_back(std::move(half));
  advise(Advice::precision, run.language, finding);
  finding.falsified_by =
      "with precision 'high' these kernels keep their names (sgemm) and their time";
  finding.certainty = Certainty::assumption;
  return fired(std::move(finding));
}

}  // namespace stepscope::rules
