// SPDX-License-Identifier: Apache-2.0
#include "core/importers/kineto/trace_filler.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/importers/kineto/range_repairs.hpp"

namespace stepscope::kineto {
namespace {

constexpr std::size_t kCategoriesNamed = 8;
constexpr std::uint64_t kFewestNumbered = 100;
constexpr double kFewMissing = 0.005;

// ph is one letter; a missing one reads as a complete event, the only kind that Kineto puts in
// numbers.
char phase_of(const Event& event, FieldReader& fields) {
  const std::string_view text = event.get(Field::ph).text;
  if (text.size() == 1) return text[0];
  fields.count_missing();
  return event.has(Field::dur) ? 'X' : '?';
}

DeviceOpKind op_kind(Category category) {
  if (category == Category::kernel) return DeviceOpKind::kernel;
  return category == Category::gpu_memcpy ? DeviceOpKind::memcpy : DeviceOpKind::memset;
}

void shift(std::vector<std::int64_t>& times, std::int64_t base) {
  for (std::int64_t& time : times) time = time == kNoTime ? 0 : time + base;
}

// What PyTorch marks itself, among the operations of profilers that kept no annotations apart.
bool is_mark_of_pytorch(const Event& event) {
  const std::string_view name = event.get(Field::name).text;
  return name.starts_with("ProfilerStep#") || name.starts_with("Optimizer.") ||
         name.starts_with("enumerate(DataLoader)");
}

// MTIA's queues name them by what was asked for.
bool is_wait_or_record(std::string_view name) {
  return name == "event_wait" || name == "event_record";
}

// What a task of Ascend's device is; waits, records and the like are no work.
Category category_of_task(std::string_view type) {
  const auto says = [type](std::string_view word) {
    return type.find(word) != std::string_view::npos;
  };
  if (says("MEMCPY") || says("DMA")) return Category::gpu_memcpy;
  constexpr std::string_view kNoWork[] = {"WAIT",  "RECORD", "NOTIFY",      "EVENT",
                                          "MODEL", "LABEL",  "PLACE_HOLDER"};
  const bool works = std::none_of(std::begin(kNoWork), std::end(kNoWork), says);
  return works ? Category::kernel : Category::trace_span;
}

// PyTorch's EventList.export_chrome_trace writes a list without categories, whose processes are
// named by what ran in them. Ascend's profiler leaves them out for its device and its runtime.
Category category_in_event_list(const Event& event) {
  const std::string_view process = event.get(Field::pid).text;
  if (event.has(Field::task_type)) return category_of_task(event.get(Field::task_type).text);
  if (event.get(Field::name).text.starts_with("AscendCL@")) return Category::runtime;
  if (event.get(Field::name).text.starts_with("hcom_")) return Category::kernel;
  if (process == "CUDA functions") return Category::kernel;
  if (process != "CPU functions") return Category::unknown;
  return is_mark_of_pytorch(event) ? Category::user_annotation : Category::cpu_op;
}

Category category_of_complete(const Event& event) {
  const std::string_view name = event.get(Field::cat).text;
  if (!event.has(Field::cat)) return category_in_event_list(event);
  const Category category = category_of(name);
  if (category == Category::cpu_op && is_mark_of_pytorch(event)) return Category::user_annotation;
  if (category != Category::device_or_cpu_op) return category;
  if (!event.has(Field::stream)) return Category::cpu_op;
  return is_wait_or_record(event.get(Field::name).text) ? Category::trace_span : Category::kernel;
}

bool any(const std::vector<HostKind>& kinds, HostKind a, HostKind b) {
  return std::any_of(kinds.begin(), kinds.end(),
                     [a, b](HostKind kind) { return kind == a || kind == b; });
}

}  // namespace

Category TraceFiller::category_of_event(const Event& event, char phase) {
  const std::string_view name = event.get(Field::cat).text;
  switch (phase) {
    case 'M':
      return Category::metadata;
    case 'C':
      return Category::hardware_counters;
    case 'i':
    case 'I':
      return Category::instant;
    case 's':
    case 't':
    case 'f':
      return category_of(name) == Category::flow_fwdbwd ? Category::flow_fwdbwd
                                                        : Category::flow_ac2g;
    case 'X':
    case 'B':
      return category_of_complete(event);
    default:
      return Category::unknown;
  }
}

void TraceFiller::add(const Event& event) {
  const char phase = phase_of(event, fields_);
  const Category category = category_of_event(event, phase);
  ++counts_[static_cast<std::size_t>(category)];
  if (event.has(Field::number)) {
    ++numbered_;
    const auto number = fields_.id<std::uint32_t>(event, Field::number, 0);
    numbers_ = std::max(numbers_, std::uint64_t{number} + 1);
  }
  const BeginEnd::Rows before = begin_end_.rows();
  if (phase == 'E') return begin_end_.end(event, fields_);
  const bool placed = place(category, event);
  if (phase == 'B') begin_end_.begin(event, before, fields_);
  if (!placed) skip(event, category);
}

bool TraceFiller::place(Category category, const Event& event) {
  switch (category) {
    case Category::cpu_op:
    case Category::device_or_cpu_op:
    case Category::user_annotation:
    case Category::python_function:
    case Category::runtime:
    case Category::driver:
    case Category::overhead:
    case Category::collective:
      return host_.add(category, event);
    case Category::kernel:
    case Category::gpu_memcpy:
    case Category::gpu_memset:
      return device_.add_op(op_kind(category), event);
    case Category::cuda_sync:
      return device_.add_sync(event);
    case Category::cuda_event:
      return device_.add_event_record(event), true;
    case Category::instant:
      return samples_.add_instant(event);
    case Category::hardware_counters:
      return samples_.add_counters(event);
    case Category::metadata:
      return entities_.label(event), true;
    case Category::flow_ac2g:
      return flows_.add(event, phase_of(event, fields_)), true;
    case Category::trace_span:
    case Category::gpu_user_annotation:
    case Category::flow_fwdbwd:
      return true;
    case Category::unknown:
      return false;
  }
  return false;
}

void TraceFiller::skip(const Event& event, Category category) {
  ++data_.health.skipped_events;
  if (category == Category::unknown && event.has(Field::dur)) entities_.count_unread(event);
  if (category != Category::unknown) {
    ++timeless_;
  } else if (event.has(Field::cat)) {
    ++skipped_[std::string(fields_.text(event.get(Field::cat)).substr(0, 64))];
  } else {
    ++skipped_[fmt::format("no category, ph {}", fields_.text(event.get(Field::ph)).substr(0, 8))];
  }
}

void TraceFiller::shift_times() {
  const std::int64_t base = facts_.base_ns();
  for (auto* times : {&data_.host_ranges.begin, &data_.host_ranges.end, &data_.device_ops.begin,
                      &data_.device_ops.end, &data_.syncs.begin, &data_.syncs.end,
                      &data_.counters.time, &data_.marks.time}) {
    shift(*times, base);
  }
}

void TraceFiller::note_skipped() {
  std::string list;
  std::size_t named = 0;
  for (const auto& [category, count] : skipped_) {
    if (named++ < kCategoriesNamed)
      list += fmt::format("{}\"{}\" ({})", list.empty() ? "" : ", ", category, count);
  }
  if (named > kCategoriesNamed) list += fmt::format(" and {} more", named - kCategoriesNamed);
  if (named > 0)
    data_.health.notes.push_back(fmt::format("events left out, by category: {}", list));
  if (timeless_ > 0)
    data_.health.notes.push_back(
        fmt::format("{} event{} left out for want of a time that can be: \"ts\" and \"dur\" are "
                    "microseconds, as PyTorch's profiler writes them",
                    timeless_, timeless_ == 1 ? "" : "s"));
}

void TraceFiller::note_lonely(const BeginEnd::Lonely& lonely) {
  const auto plural = [](std::uint64_t count) { return count == 1 ? "" : "s"; };
  if (const std::uint64_t open = lonely.begins; open > 0)
    data_.health.notes.push_back(
        fmt::format("{} event{} begin{} and never end{} in this file: no length is known", open,
                    plural(open), open == 1 ? "s" : "", open == 1 ? "s" : ""));
  data_.health.skipped_events += lonely.ends;
  if (const std::uint64_t ends = lonely.ends; ends > 0)
    data_.health.notes.push_back(
        fmt::format("{} event{} end{} that never began in this file: left out", ends, plural(ends),
                    ends == 1 ? "s" : ""));
}

void TraceFiller::note_mended() {
  const auto plural = [](std::uint64_t count) { return count == 1 ? "" : "s"; };
  if (mended_ > 0)
    data_.health.notes.push_back(fmt::format(
        "{} event{} of this file {} no JSON (the first at byte {} of the content) and {} mended: a "
        "string ends at the quote that a comma or a bracket follows, a word that is no value is "
        "unknown, and events follow each other with a comma, with several or without",
        mended_, plural(mended_), mended_ == 1 ? "is" : "are", first_mended_,
        mended_ == 1 ? "was" : "were"));
  if (has_open_list_)
    data_.health.notes.emplace_back(
        "the list of events in this file has no end (\"]\"), which some writers leave out: whether "
        "events are missing behind the last one is not known");
  if (const std::uint64_t odd = fields_.odd_texts(); odd > 0)
    data_.health.notes.push_back(fmt::format(
        "{} text{} of this file hold{} single backslashes or control bytes, which is no "
        "JSON: kept as written",
        odd, plural(odd), odd == 1 ? "s" : ""));
  if (const std::uint64_t unended = fields_.unended(); unended > 0)
    data_.health.notes.push_back(fmt::format(
        "{} event{} of this file {} no end that can be (an overflowed, negative or missing "
        "length): no length is known, and nothing ends there",
        unended, plural(unended), unended == 1 ? "has" : "have"));
}

void TraceFiller::note_missing_numbers() {
  if (numbered_ > numbers_ && numbered_ >= kFewestNumbered)
    data_.health.notes.push_back(fmt::format(
        "{} of the events that the profiler numbered have a number that another has: the traces of "
        "several ranks or runs stand in this file, or one stands in it twice. Give the trace of "
        "one "
        "rank",
        numbered_ - numbers_));
  const auto missing = static_cast<double>(numbers_) - static_cast<double>(numbered_);
  if (numbered_ < kFewestNumbered || missing <= kFewMissing * static_cast<double>(numbers_)) return;
  data_.health.notes.push_back(fmt::format(
      "the trace is cut: of {} events that the profiler numbered, {} are not in the file, "
      "which was cut or filtered after it was written",
      numbers_, numbers_ - numbered_));
}

void TraceFiller::note_unseen_device() {
  const bool described = !data_.devices.empty() && !data_.devices.front().name.empty();
  const bool seen = data_.device_ops.size() > 0 || data_.calls.size() > 0;
  if (!described || seen || data_.host_ranges.size() == 0) return;
  data_.health.notes.push_back(fmt::format(
      "the file describes a device ({}) and holds neither calls nor work of it: if the program "
      "used "
      "it, record with ProfilerActivity.CUDA. What this report says is of the host alone",
      data_.devices.front().name));
}

void TraceFiller::note_frames(std::uint64_t moved) {
  if (moved == 0) return;
  data_.health.notes.push_back(
      fmt::format("{} Python frame{} without a return, which the profiler missed: each ends with "
                  "its caller",
                  moved, moved == 1 ? "" : "s"));
}

void TraceFiller::set_collected(bool api_arguments) {
  const std::vector<HostKind>& kinds = data_.host_ranges.kind;
  Collected& c = data_.collected;
  c.device_ops = data_.device_ops.size() > 0;
  c.api_calls = data_.calls.size() > 0;
  c.api_arguments = api_arguments;
  c.framework_ops = any(kinds, HostKind::op, HostKind::backward_node);
  c.user_scopes = any(kinds, HostKind::user_scope, HostKind::user_scope);
  c.python_functions = any(kinds, HostKind::python_function, HostKind::python_function);
}

TraceData TraceFiller::finish() {
  data_.source = SourceKind::kineto;
  note_lonely(begin_end_.pair());
  unread_ = entities_.unread_device_work();
  entities_.join_layers();
  flows_.finish();
  const ProcessId owner = entities_.finish();
  facts_.apply(data_, owner);
  samples_.finish(owner);
  set_collected(device_.finish());
  note_unseen_device();
  fields_.count_unended(close_open_ranges(data_));
  note_frames(end_with_callers(data_.host_ranges));
  shift_times();
  data_.health.missing_fields += facts_.unreadable();
  note_skipped();
  note_mended();
  note_missing_numbers();
  return std::move(data_);
}

}  // namespace stepscope::kineto
