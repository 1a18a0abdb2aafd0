// SPDX-License-Identifier: Apache-2.0
#include "core/importers/kineto/event.hpp"

#include "core/importers/kineto/name_table.hpp"

namespace stepscope::kineto {
namespace {

using NamedField = NamedValue<Field>;

constexpr std::array kEventKeys = {
    NamedField{"ph", Field::ph},     NamedField{"cat", Field::cat},
    NamedField{"name", Field::name}, NamedField{"pid", Field::pid},
    NamedField{"tid", Field::tid},   NamedField{"ts", Field::ts},
    NamedField{"dur", Field::dur},   NamedField{"id", Field::flow_id},
    NamedField{"args", Field::args},
};

constexpr std::array kArgumentKeys = {
    NamedField{"correlation", Field::correlation},
    NamedField{"device", Field::device},
    NamedField{"context", Field::context},
    NamedField{"stream", Field::stream},
    NamedField{"bytes", Field::bytes},
    NamedField{"grid", Field::grid},
    NamedField{"block", Field::block},
    NamedField{"registers per thread", Field::registers},
    NamedField{"shared memory", Field::shared_memory},
    NamedField{"graph id", Field::graph_id},
    NamedField{"graph node id", Field::graph_node},
    NamedField{"Sequence number", Field::sequence},
    NamedField{"Fwd thread id", Field::forward_thread},
    NamedField{"cuda_sync_kind", Field::sync_kind},
    NamedField{"wait_on_cuda_event_record_corr_id", Field::waits_for_correlation},
    NamedField{"wait_on_cuda_event_id", Field::waits_for_event},
    NamedField{"event_id", Field::event_id},
    NamedField{"name", Field::label_name},
    NamedField{"labels", Field::labels},
    NamedField{"Total Allocated", Field::total_allocated},
    NamedField{"Total Reserved", Field::total_reserved},
    NamedField{"Device Type", Field::device_type},
    NamedField{"Device Id", Field::device_id},
    NamedField{"inDevice", Field::in_device},
    NamedField{"inContext", Field::in_context},
    NamedField{"Ev Idx", Field::number},
    NamedField{"sycl queue", Field::stream},          // Intel's
    NamedField{"connection_id", Field::correlation},  // Ascend's, and the next two
    NamedField{"Stream Id", Field::stream},
    NamedField{"Task Type", Field::task_type},
};

constexpr NameTable<Field, kEventKeys.size(), 32> kEventTable{kEventKeys};
constexpr NameTable<Field, kArgumentKeys.size(), 128> kArgumentTable{kArgumentKeys};
static_assert(kEventTable.perfect() && kArgumentTable.perfect(), "widen the table");

template <class Table>
JsonValue& slot_for(const Table& table, const JsonValue& key, Event& out, JsonValue& unwanted) {
  const Field* field = table.find(key.text);
  return field == nullptr ? unwanted : out.set(*field);
}

// The args' members are picked up on the way; their whole text stays in Field::args.
bool read_arguments(JsonScanner& scanner, Event& out) {
  const char* const begin = scanner.at();
  JsonValue unwanted;
  const bool good =
      for_each_member(scanner, [&out, &unwanted](const JsonValue& key, JsonScanner& inner) {
        return inner.value(slot_for(kArgumentTable, key, out, unwanted));
      });
  const auto size = static_cast<std::size_t>(scanner.at() - begin);
  out.set(Field::args) = {{begin, size}, JsonValue::Kind::object, false};
  return good;
}

}  // namespace

bool read_event(JsonScanner& scanner, Event& out) {
  out.clear();
  JsonValue unwanted;
  return for_each_member(scanner, [&out, &unwanted](const JsonValue& key, JsonScanner& inner) {
    if (key.text == "args" && inner.next_is('{')) return read_arguments(inner, out);
    return inner.state() == JsonScanner::State::good &&
           inner.value(slot_for(kEventTable, key, out, unwanted));
  });
}

}  // namespace stepscope::kineto
