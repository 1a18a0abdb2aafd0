// SPDX-License-Identifier: Apache-2.0
// precision: matrix products in full float32, which tensor cores could do; and work in float64.
//
//   fires where   time(float32 matrix kernels) >= 5 % of the device's compute time, on a device
//                 with TF32 (compute capability 8.0 and later, where it is known), and
//                 ceiling >= least; and the same of all kernels over float64, on any device
//   which         kernels named sgemm or f32f32_f32f32 that name no tensor core (tf32, tensorop,
//                 s1688, ...): cuBLAS's and CUTLASS's names; kernels with double in their template's
//                 or their first argument's type
//   ceiling       what TF32 saves of it (an assumption): it takes 0.18 of the time on data centre
//                 devices (compute capability 8.0, 9.0, 10.0), 0.6 on others, 0.25 where the device
//                 is not known. Float32 takes half of float64's time, for half of the bytes; on other
//                 devices than data centre ones products in float64 run at 1/32 or 1/64 of the rate
//   forecast      TF32; its interval also holds bf16: other float32 kernels move half the bytes
#include "core/findings/rules/rules.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <utility>
#include <vector>

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
// Time that float32 takes of float64's. Products run at half of float32's rate, or far below it where a library
// has no tensor cores for float64.
constexpr TensorFactor kFloat64InDataCentre{0.45, 0.15, 0.6};
constexpr TensorFactor kFloat64Elsewhere{0.15, 0.03, 0.5};
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

// Whether the device that the run used first is a data centre's; nothing where it is not known.
std::optional<bool> is_data_centre(const JudgedRun& run) {
  for (const Device& device : run.trace.data().devices) {
    if (device.process != run.steps.process || device.compute_major == 0) continue;
    return device.compute_minor == 0;
  }
  return std::nullopt;
}

TensorFactor factor_of(const JudgedRun& run) {
  const std::optional<bool> known = is_data_centre(run);
  return !known ? kUnknownDevice : *known ? kDataCentre : kOtherDevice;
}

TensorFactor float64_factor_of(const JudgedRun& run) {
  return is_data_centre(run).value_or(true) ? kFloat64InDataCentre : kFloat64Elsewhere;
}

bool is_float64_kernel(std::string_view name) {
  for (const char* part : {"<double", "(double", "double const*", "f64f64", "dgemm"})
    if (name.find(part) != std::string_view::npos) return true;
  return false;
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

// The work of the device in kernels of one precision.
struct WorkInPrecision {
  WorkInPrecision(const JudgedRun& run, bool (*is_of)(std::string_view)) : price(run) {
    std::map<StringId, bool> known;
    DeviceOpId last = kNone;
    for (const Segment& s : run.segments()) {
      if (!is_device_compute(s.cause) || s.device_evidence == kNone || !run.counts(s.time.begin))
        continue;
      compute += s.time.length();
      const StringId name = run.trace.device_ops().name[s.device_evidence];
      const auto [at, is_new] = known.try_emplace(name, false);
      if (is_new) at->second = is_of(run.trace.text(name));
      if (!at->second) continue;
      price.add(s, s.time.length());
      ops.push_back(s.device_evidence);
      if (s.device_evidence != last) ++calls;
      last = s.device_evidence;
    }
  }
  // Whether it is worth a finding, of which `saved` is the share that another precision would save.
  bool is_much(const JudgedRun& run, double saved) const {
    return static_cast<double>(price.total()) >=
               kPrecisionLeastOfCompute * static_cast<double>(compute) &&
           saved * run.per_step(price.total()) >= run.least_ns();
  }

  Price price;
  std::int64_t compute = 0;  // time of all kernels, whatever their precision
  std::uint64_t calls = 0;
  std::vector<DeviceOpId> ops;
};

Finding precision_finding(const JudgedRun& run, WorkInPrecision work, TensorFactor factor,
                          const char* what, Advice advice) {
  const double time = run.per_step(work.price.total());
  Finding out = work.price.finding(time);
  out.ceiling_ns_per_step = (1 - factor.expected) * time;
  out.count_per_step = run.count_per_step(work.calls);
  out.title = fmt::format("{:.0f} {}: {} ({})", out.count_per_step, what, format_duration(time),
                          percent(run.share(time)));
  Fix faster;
  faster.kind = FixKind::scale_work;
  faster.factor = factor.expected;
  faster.factor_low = factor.low;
  faster.factor_high = factor.high;
  set_ops(faster, std::move(work.ops), kPrecision);
  out.fixes = {faster};
  advise(advice, run.language, out);
  out.certainty = Certainty::assumption;
  return out;
}

void judge_float32(const JudgedRun& run, Judgement& out) {
  WorkInPrecision work(run, is_float32_matrix_kernel);
  const double time = run.per_step(work.price.total());
  const TensorFactor factor = factor_of(run);
  if (work.price.total() == 0) {
    out.cleared.emplace_back("no matrix product runs in full float32");
  } else if (!may_have_tf32(run)) {
    out.cleared.emplace_back("this device has no TF32");
  } else if (!work.is_much(run, 1 - factor.expected)) {
    out.cleared.push_back(fmt::format("matrix products in full float32 take {} a step ({})",
                                      format_duration(time), percent(run.share(time))));
  } else {
    Finding finding = precision_finding(
        run, std::move(work), factor,
        "matrix products a step run in full float32, without tensor cores", Advice::precision);
    if (Fix half = halve_bytes(run); !half.scope.ops.empty())
      finding.fixes.push_back(std::move(half));
    finding.falsified_by =
        "with precision 'high' these kernels keep their names (sgemm) and their time";
    out.found.push_back(std::move(finding));
  }
}

void judge_float64(const JudgedRun& run, Judgement& out) {
  WorkInPrecision work(run, is_float64_kernel);
  const TensorFactor factor = float64_factor_of(run);
  if (!work.is_much(run, 1 - factor.expected)) return;
  Finding finding =
      precision_finding(run, std::move(work), factor,
                        "kernels a step work in float64, twice the bytes of float32 and at a half "
                        "of its rate or less",
                        Advice::precision_double);
  finding.falsified_by = "in float32 these kernels take as long";
  out.found.push_back(std::move(finding));
}

}  // namespace

Judgement judge_precision(const JudgedRun& run) {
  Judgement out;
  judge_float64(run, out);
  judge_float32(run, out);
  if (!out.found.empty()) out.cleared.clear();
  return out;
}

}  // namespace stepscope::rules
