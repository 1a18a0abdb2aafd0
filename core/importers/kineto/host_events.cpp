// SPDX-License-Identifier: Apache-2.0
#include "core/importers/kineto/host_events.hpp"

#include "core/importers/kineto/names.hpp"

namespace stepscope::kineto {
namespace {

constexpr SiteId kUnparsed = kNone - 1;

HostKind kind_of(Category category) {
  switch (category) {
    case Category::cpu_op:
      return HostKind::op;
    case Category::user_annotation:
      return HostKind::user_scope;
    case Category::python_function:
      return HostKind::python_function;
    case Category::runtime:
      return HostKind::runtime_call;
    case Category::driver:
      return HostKind::driver_call;
    case Category::overhead:
      return HostKind::overhead;
    default:
      return HostKind::other;
  }
}

}  // namespace

bool HostEvents::add(Category category, const Event& event) {
  const HostKind kind = kind_of(category);
  if (!add_range(kind, event)) return false;
  HostRanges& h = data_.host_ranges;
  switch (kind) {
    case HostKind::op:
      add_op(event);
      break;
    case HostKind::python_function:
      h.site.back() = python_site(h.name.back());
      break;
    case HostKind::runtime_call:
    case HostKind::driver_call:
      add_call(event);
      break;
    case HostKind::other:
      h.category.back() = fields_.intern(event.get(Field::cat));
      break;
    default:
      break;
  }
  return true;
}

bool HostEvents::add_range(HostKind kind, const Event& event) {
  const std::optional<std::int64_t> begin = fields_.time(event);
  if (!begin || FieldReader::lost_time(event)) return false;
  HostRanges& h = data_.host_ranges;
  h.begin.push_back(*begin);
  h.end.push_back(*begin + fields_.duration(event));
  h.name.push_back(fields_.name(event));
  h.thread.push_back(entities_.thread_of(event));
  h.kind.push_back(kind);
  h.category.push_back(0);
  h.site.push_back(kNone);
  h.sequence.push_back(kNoSequence);
  h.forward_thread.push_back(kNone);
  return true;
}

// A backward node is wrapped in "autograd::engine::evaluate_function: Node"; the node inside
// carries the id of the thread that ran its forward op, which is 0 for forward ops.
void HostEvents::add_op(const Event& event) {
  HostRanges& h = data_.host_ranges;
  h.sequence.back() = fields_.id<std::uint32_t>(event, Field::sequence, kNoSequence);
  const auto forward = fields_.id<std::uint32_t>(event, Field::forward_thread, 0);
  const bool wrapper =
      event.get(Field::name).text.starts_with("autograd::engine::evaluate_function");
  if (!wrapper && (forward == 0 || h.sequence.back() == kNoSequence)) return;
  h.kind.back() = HostKind::backward_node;
  if (forward != 0) h.forward_thread.back() = forward;
}

void HostEvents::add_call(const Event& event) {
  Calls& c = data_.calls;
  if (!event.has(Field::correlation)) fields_.count_missing();
  c.range.push_back(static_cast<RangeId>(data_.host_ranges.size() - 1));
  c.api.push_back(classify_api(data_.strings.view(data_.host_ranges.name.back())));
  c.correlation.push_back(fields_.correlation(event));
  c.stream.push_back(kNone);
  c.event.push_back(0);
  c.bytes.push_back(kUnknownBytes);
}

SiteId HostEvents::python_site(StringId name) {
  if (name >= site_of_.size()) site_of_.resize(data_.strings.size(), kUnparsed);
  if (site_of_[name] != kUnparsed) return site_of_[name];
  SiteId site = kNone;
  if (const auto parsed = parse_python_name(data_.strings.view(name))) {
    site = static_cast<SiteId>(data_.sites.size());
    data_.sites.push_back({data_.strings.intern(parsed->file), parsed->line,
                           data_.strings.intern(parsed->function), SiteKind::function});
  }
  return site_of_[name] = site;
}

}  // namespace stepscope::kineto
