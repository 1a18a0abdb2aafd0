// SPDX-License-Identifier: Apache-2.0
// unfused_attention: attention as a matrix product, a softmax and another product, with the scores
// of all pairs written to memory and read again between them.
//
//   fires where   time(groups) + idle >= 5 % of the device's compute time, and ceiling >= least
//   a group       in stream order: a matrix kernel, at most 12 others, a softmax (no log-softmax),
//                 at most 12 others, a matrix kernel; what lies between is part of it, selects
//                 nothing, and takes a tenth of the group or more; backward passes of softmax
//                 likewise
//   idle          the device waits for the launch of a group's second or later kernel
//   ceiling       two thirds of the time: a fused kernel takes about a third (an assumption); and
//                 idle: it is one launch
#include "core/findings/rules/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/findings/advice/advice.hpp"
#include "core/findings/wait_lines.hpp"
#include "core/support/duration.hpp"

namespace stepscope::rules {
namespace {

constexpr const char* kUnfusedAttention = "unfused_attention";
constexpr double kUnfusedAttentionLeastOfCompute = 0.05;
constexpr double kFusedTime = 1.0 / 3, kFusedLow = 0.15, kFusedHigh = 0.7;
constexpr double kLeastBesideProducts = 0.1;  // share of a group's time
constexpr std::size_t kMostBetween = 12;
constexpr double kIdleWorthSaying = 0.005;  // share of the step

// softmax_warp_forward<input, output, accumulator, log2 of elements, is a log-softmax, masked>
bool is_log_by_argument(std::string_view lower) {
  const std::size_t name = lower.find("softmax_warp_");
  std::size_t at = name == std::string_view::npos ? name : lower.find('<', name);
  for (int commas = 0; commas < 4 && at != std::string_view::npos; ++commas)
    at = lower.find(',', at + 1);
  return at != std::string_view::npos && lower.substr(at + 1).starts_with(" true");
}

bool is_softmax_kernel(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower.find("softmax") != std::string::npos &&
         lower.find("logsoftmax") == std::string::npos &&
         lower.find("log_softmax") == std::string::npos && !is_log_by_argument(lower);
}

struct AttentionGroups {
  std::vector<bool> member;    // by device op
  std::vector<bool> follower;  // kernels of a group but its first: fused, they are not launched
  std::uint64_t count = 0;
};

class GroupFinder {
 public:
  explicit GroupFinder(const JudgedRun& run) : run_(run) {
    out_.member.assign(run.trace.device_ops().size(), false);
    out_.follower = out_.member;
  }

  AttentionGroups find() {
    for (StreamId stream = 0; stream < run_.trace.data().streams.size(); ++stream) {
      if (run_.trace.data().streams[stream].process != run_.steps.process) continue;
      kernels_.clear();
      for (const DeviceOpId op : run_.trace.ops_of(stream))
        if (run_.trace.device_ops().kind[op] == DeviceOpKind::kernel) kernels_.push_back(op);
      for (std::size_t i = 0; i < kernels_.size(); ++i)
        if (is_softmax(kernels_[i])) group_around(i);
    }
    return std::move(out_);
  }

 private:
  bool is_softmax(DeviceOpId op) {
    const StringId name = run_.trace.device_ops().name[op];
    const auto [at, is_new] = softmax_.try_emplace(name, false);
    if (is_new) at->second = is_softmax_kernel(run_.trace.text(name));
    return at->second;
  }
  bool is_matrix(std::size_t i) const {
    return run_.attribution.ops[kernels_[i]].cause == Cause::gpu_gemm;
  }

  // Nothing selects among attention's scores: a softmax with top-k is a router's, or a sampler's.
  bool may_be_between(std::size_t i) const {
    return !is_matrix(i) && run_.attribution.ops[kernels_[i]].cause != Cause::gpu_select;
  }

  std::int64_t length(std::size_t i) const {
    const DeviceOps& d = run_.trace.device_ops();
    return d.end[kernels_[i]] - d.begin[kernels_[i]];
  }

  // The scores of all pairs are written and read beside the products: that is what fusing saves.
  bool is_worth(std::size_t first, std::size_t last) const {
    std::int64_t all = 0;
    for (std::size_t i = first; i <= last; ++i) all += length(i);
    const auto beside = static_cast<double>(all - length(first) - length(last));
    return beside >= kLeastBesideProducts * static_cast<double>(all);
  }

  void group_around(std::size_t softmax) {
    std::size_t first = softmax;
    while (first > 0 && softmax - first <= kMostBetween && may_be_between(first)) --first;
    std::size_t last = softmax;
    while (last + 1 < kernels_.size() && last - softmax <= kMostBetween && may_be_between(last))
      ++last;
    if (!is_matrix(first) || !is_matrix(last) || !is_worth(first, last)) return;
    if (run_.counts_op(kernels_[softmax])) ++out_.count;
    for (std::size_t i = first; i <= last; ++i) {
      out_.member[kernels_[i]] = true;
      if (i > first) out_.follower[kernels_[i]] = true;
    }
  }

  const JudgedRun& run_;
  std::vector<DeviceOpId> kernels_;
  std::map<StringId, bool> softmax_;
  AttentionGroups out_;
};

struct AttentionTime {
  explicit AttentionTime(const JudgedRun& run) : price(run) {}
  Price price;
  std::int64_t device = 0;
  std::int64_t idle = 0;  // until a kernel inside a group was launched
  std::int64_t compute = 0;
  std::vector<std::size_t> segments;
};

// Sums the time of attention's groups. The cost of launches is not known where a profiler slowed
// them.
AttentionTime attention_time(const JudgedRun& run, const AttentionGroups& groups) {
  AttentionTime out(run);
  const auto& begins = run.trace.device_ops().begin;
  for (std::size_t i = 0; i < run.segments().size(); ++i) {
    const Segment& s = run.segments()[i];
    if (!run.counts(s.time.begin)) continue;
    if (is_device_compute(s.cause) && s.device_evidence != kNone) {
      out.compute += s.time.length();
      if (!groups.member[s.device_evidence]) continue;
      out.device += s.time.length();
    } else if (is_hidden_by_lead(s.cause) && !run.inflated) {
      const auto next = std::lower_bound(begins.begin(), begins.end(), s.time.end);
      if (next == begins.end() || !groups.follower[static_cast<std::size_t>(next - begins.begin())])
        continue;
      out.idle += s.time.length();
    } else {
      continue;
    }
    out.price.add(s, s.time.length());
    out.segments.push_back(i);
  }
  return out;
}

Finding attention_finding(const JudgedRun& run, const AttentionGroups& groups, const Price& price,
                          double time, double idle) {
  Finding out = price.finding(time + idle);
  out.ceiling_ns_per_step = (1 - kFusedTime) * time + idle;
  out.count_per_step = run.count_per_step(groups.count);
  out.title = fmt::format(
      "{:.0f} times a step attention runs as product, softmax, product over scores in memory: {} "
      "({}){}",
      out.count_per_step, format_duration(time), percent(run.share(time)),
      run.weight(idle) < kIdleWorthSaying
          ? ""
          : fmt::format(", and {} in which the device waits for their launches",
                        format_duration(idle)));
  Fix fuse;
  fuse.kind = FixKind::fuse_work;
  fuse.factor = kFusedTime;
  fuse.factor_low = kFusedLow;
  fuse.factor_high = kFusedHigh;
  std::vector<DeviceOpId> ops;
  for (DeviceOpId op = 0; op < groups.member.size(); ++op)
    if (groups.member[op]) ops.push_back(op);
  set_ops(fuse, std::move(ops), kUnfusedAttention);
  out.fixes = {fuse};
  advise(Advice::unfused_attention, run.language, out);
  out.falsified_by =
      "with scaled_dot_product_attention no kernel named flash, fmha or cudnn attention runs (then "
      "shape, type or mask keep it from being fused), or the step is as long as before";
  out.certainty = Certainty::assumption;
  return out;
}

}  // namespace

Judgement judge_unfused_attention(const JudgedRun& run) {
  const AttentionGroups groups = GroupFinder(run).find();
  if (groups.count == 0) return cleared("no softmax between two matrix products");
  const AttentionTime all = attention_time(run, groups);
  const double time = run.per_step(all.device);
  const double idle = run.idle_per_step(all.idle);
  if (static_cast<double>(all.price.total()) <
          kUnfusedAttentionLeastOfCompute * static_cast<double>(all.compute) ||
      (1 - kFusedTime) * time + idle < run.least_ns()) {
    return cleared(fmt::format("softmax between products takes {} a step ({}) with them",
                               format_duration(time), percent(run.share(time))));
  }
  return fired(attention_finding(run, groups, all.price, time, idle),
               whole_segments(run, all.segments));
}

}  // namespace stepscope::rules
