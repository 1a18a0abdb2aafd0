// SPDX-License-Identifier: Apache-2.0
// Sends each event of a file to the part that knows its category, and completes the model at the
// end.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "core/importers/kineto/begin_end.hpp"
#include "core/importers/kineto/category.hpp"
#include "core/importers/kineto/device_events.hpp"
#include "core/importers/kineto/document_facts.hpp"
#include "core/importers/kineto/entities.hpp"
#include "core/importers/kineto/host_events.hpp"
#include "core/importers/kineto/json/window.hpp"
#include "core/importers/kineto/launch_flows.hpp"
#include "core/importers/kineto/samples.hpp"
#include "core/support/memory_room.hpp"

namespace stepscope::kineto {

class TraceFiller {
 public:
  TraceFiller() = default;
  TraceFiller(const TraceFiller&) = delete;
  TraceFiller& operator=(const TraceFiller&) = delete;

  void add(const Event& event);
  DocumentFacts& facts() { return facts_; }
  const CategoryCounts& counts() const { return counts_; }
  // An event or a fact that was no JSON, at that byte of the content.
  void count_mended(std::uint64_t byte) {
    if (mended_++ == 0) first_mended_ = byte;
  }

  void note_open_list() { has_open_list_ = true; }

  // After finish(): why the trace is of no use, where most of what its device did is in a form that
  // is not known; else empty.
  const std::string& unread_device_work() const { return unread_; }
  // The other tool that wrote the trace; empty where none is known.
  std::string writer() const { return writer_of(skipped_, entities_.process_names()); }

  // Times become absolute, rows get their owners, notes are written. Call once.
  TraceData finish();

 private:
  Category category_of_event(const Event& event, char phase);
  bool place(Category category, const Event& event);
  void skip(const Event& event, Category category);
  void shift_times();
  void note_skipped();
  void note_lonely(const BeginEnd::Lonely& lonely);
  void note_mended();
  void note_missing_numbers();
  void note_unseen_device();
  void note_frames(std::uint64_t moved);
  void set_collected(bool api_arguments);

  TraceData data_;
  FieldReader fields_{data_.strings, data_.health};
  Entities entities_{data_, fields_};
  HostEvents host_{data_, fields_, entities_};
  DeviceEvents device_{data_, fields_, entities_};
  LaunchFlows flows_{data_, fields_, entities_};
  Samples samples_{data_, fields_, entities_};
  BeginEnd begin_end_{data_};
  DocumentFacts facts_;
  CategoryCounts counts_{};
  std::map<std::string, std::uint64_t> skipped_;  // by phase and category
  std::string unread_;
  std::uint64_t mended_ = 0, first_mended_ = 0;
  bool has_open_list_ = false;
  std::uint64_t timeless_ = 0;  // events of the profiler, and events without a time that can be
  // PyTorch numbers its own events from 0 on and leaves none out ("Ev Idx").
  std::uint64_t numbered_ = 0, numbers_ = 0;  // events that have one, and the highest plus 1
};

// The outline of a Kineto document: one object whose members are facts, one of them the list of
// events. Each member and each event is one unit: it is read from the window as a whole, or the
// window slides on and the unit is read again.

// Whether the whole file holds the begins of two traces: asked where something is wrong with it.
using HoldsTwo = std::function<bool()>;

// An event or member that is no JSON and has one plain reading is mended (json/mender.hpp), and
// counted. Errors name the byte of the content, and of the file where it is compressed.
Status read_document(const importers::ByteSource& source, Window& window, const MemoryRoom& room,
                     const HoldsTwo& holds_two, TraceFiller& filler);

void skip_byte_order_mark(Window& window);

}  // namespace stepscope::kineto
