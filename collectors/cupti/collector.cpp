// SPDX-License-Identifier: Apache-2.0
#include "collectors/cupti/collector.hpp"

#include <array>
#include <cstdio>
#include <new>

#include "collectors/cupti/guests/sharing.hpp"
#include "collectors/cupti/library/cupti_library.hpp"
#include "collectors/cupti/records/activity_source.hpp"
#include "collectors/cupti/records/kinds.hpp"

namespace stepscope::cupti {
namespace {

// Nobody would empty the buffers of kinds that stayed on.
bool give_up(const Library& library, Subscriber subscriber) noexcept {
  disable_kinds(library);
  (void)library.unsubscribe(subscriber);
  return false;
}

void record_facts(const Library& library, const char* path) noexcept {
  std::uint32_t version = 0;
  (void)library.get_version(&version);
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%u", version);
  recorder::fact("cupti", text.data());
  if (path[0] != '\0') recorder::fact("cupti.library", path);
}

}  // namespace

bool start_collector(const Library& library, const Options& options) noexcept {
  Subscriber subscriber = nullptr;
  // This comes before all that changes CUPTI's state: it is the only call that reveals another
  // tool.
  if (const Status status = library.subscribe(&subscriber, on_callback, nullptr);
      status != kSuccess) {
    note_refusal(library, "cuptiSubscribe", status);
    return false;
  }
  (void)library.set_thread_id_type(kThreadIdSystem);
  if (const Status status = register_buffers(library, options.bare != Bare::no);
      status != kSuccess) {
    note_refusal(library, "cuptiActivityRegisterCallbacks", status);
    return give_up(library, subscriber);
  }
  if (options.bare == Bare::subscription) return false;
  const Begin begin = recorder::is_capturing() ? Begin::now : Begin::later;
  if (const Status status = enable_kinds(library, {.level = options.hooks.level,
                                                   .bare = options.bare != Bare::no,
                                                   .begin = begin,
                                                   .whole_graphs = options.hooks.whole_graphs,
                                                   .device = options.hooks.parts.records,
                                                   .overhead = options.hooks.parts.overhead});
      status != kSuccess) {
    note_refusal(library, "cuptiActivityEnable", status);
    return give_up(library, subscriber);
  }
  if (options.bare == Bare::switched_off) disable_kinds(library);
  // No rows: nothing to stop, and nothing is said to be collected.
  if (options.bare != Bare::no) return false;
  (void)enable_hooks(library, subscriber, options.hooks);
  // Leaked: callbacks and the writer thread use it until the last instruction.
  auto* source = new (std::nothrow) ActivitySource(library, options);
  if (source == nullptr) return false;
  serve_guests(library, subscriber, our_kinds());
  // Here, before the program makes a call: capture.hpp says what switching off within one does.
  if (begin == Begin::later) (void)source->set_capturing(false);
  if (!recorder::add_row_source(source)) {
    disable_kinds(library);  // nobody would empty their buffers
    recorder::note("device work is not recorded: there are too many sources of rows");
    return false;
  }
  recorder::collecting(recorder::Collector::device_ops);
  recorder::collecting(recorder::Collector::api_calls);
  if (options.hooks.level != Level::light) recorder::collecting(recorder::Collector::api_arguments);
  return true;
}

bool start_collector(const Options& options) noexcept {
  const FoundLibrary found = find_library();
  if (!found.usable) {
    recorder::note(found.why_not.data());
    return false;
  }
  record_facts(found.functions, found.path.data());
  return start_collector(found.functions, options);
}

}  // namespace stepscope::cupti
