// SPDX-License-Identifier: Apache-2.0
#include "core/importers/kineto/event.hpp"

#include "core/importers/kineto/name_table.hpp"

namespace stepscope::kineto {
namespace {

using Named = NamedValue<Field>;

constexpr std::array kEventKeys = {
    Named{"ph", Field::ph},   Named{"cat", Field::cat},   Named{"name", Field::name},
    Named{"pid", Field::pid}, Named{"tid", Field::tid},   Named{"ts", Field::ts},
    Named{"dur", Field::dur}, Named{"args", Field::args},
};

constexpr std::array kArgumentKeys = {
    Named{"correlation", Field::correlation},
    Named{"device", Field::device},
    Named{"context", Field::context},
    Named{"stream", Field::stream},
    Named{"bytes", Field::bytes},
    Named{"grid", Field::grid},
    Named{"block", Field::block},
    Named{"registers per thread", Field::registers},
    Named{"shared memory", Field::shared_memory},
    Named{"graph id", Field::graph_id},
    Named{"graph node id", Field::graph_node},
    Named{"Sequence number", Field::sequence},
    Named{"Fwd thread id", Field::forward_thread},
    Named{"cuda_sync_kind", Field::sync_kind},
    Named{"wait_on_cuda_event_record_corr_id", Field::waits_for_correlation},
    Named{"wait_on_cuda_event_id", Field::waits_for_event},
    Named{"event_id", Field::event_id},
    Named{"name", Field::label_name},
    Named{"labels", Field::labels},
    Named{"Total Allocated", Field::total_allocated},
    Named{"Total Reserved", Field::total_reserved},
    Named{"Device Type", Field::device_type},
    Named{"Device Id", Field::device_id},
    Named{"inDevice", Field::in_device},
    Named{"inContext", Field::in_context},
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
