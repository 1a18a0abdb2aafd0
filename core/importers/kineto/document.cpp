// SPDX-License-Identifier: Apache-2.0
#include "core/importers/kineto/document.hpp"

#include <fmt/format.h>

namespace stepscope::kineto {
namespace {

constexpr const char* kCut =
    "the file ends early: it was cut while it was written or copied. Copy it again, or record the "
    "run again";
constexpr const char* kRepair =
    "This is not valid JSON; find the place with `python3 -m json.tool`, or record the run again";

class Document {
 public:
  Document(const importers::ByteSource& source, Window& window, const MemoryRoom& room,
           TraceFiller& filler)
      : source_(source), window_(window), room_(room), filler_(filler) {}

  Status read();

 private:
  // Reads one unit: step(scanner) returns whether it took all of it.
  template <class Step>
  Status unit(Step step);
  Status check_room();
  Status members();  // reads the outer object's members
  Status events();
  Status trailing_space();
  bool member(JsonScanner& scanner);
  Error error_at(std::uint64_t offset, std::string_view what) const;

  const importers::ByteSource& source_;
  Window& window_;
  const MemoryRoom& room_;
  TraceFiller& filler_;
  Event event_;
  bool first_ = true;         // no comma before the first member, the first event
  bool closed_ = false;       // the list or object that is being read has ended
  bool events_next_ = false;  // the window stands at the list of events
  bool found_events_ = false;
  std::uint64_t next_check_ = 0;  // byte of the content
};

Error Document::error_at(std::uint64_t offset, std::string_view what) const {
  if (!source_.compressed()) return bad_input(fmt::format("byte {}: {}", offset, what));
  return bad_input(fmt::format("byte {} of the content (near byte {} of the compressed file): {}",
                               offset, source_.file_position(), what));
}

template <class Step>
Status Document::unit(Step step) {
  for (;;) {
    JsonScanner scanner(window_.begin(), window_.end());
    if (step(scanner)) return window_.consume_to(scanner.at()), Done{};
    if (scanner.state() == JsonScanner::State::wrong) {
      return error_at(window_.offset_of(scanner.at()),
                      fmt::format("{}. {}", scanner.why(), kRepair));
    }
    const Result<bool> more = window_.more();
    if (!more.ok()) return more.error();
    if (!*more) return error_at(window_.offset_of(window_.end()), kCut);
    if (Status room = check_room(); !room.ok()) return room;
  }
}

Status Document::check_room() {
  constexpr std::uint64_t kBetween = 1U << 20U;
  const std::uint64_t at = window_.offset_of(window_.end());
  if (at < next_check_) return Done{};
  next_check_ = at + kBetween;
  return room_.check(source_.file_position(), source_.file_bytes());
}

// Reads one member of the outer object, or its end. For the events, only the key and the colon are
// taken.
bool Document::member(JsonScanner& scanner) {
  closed_ = scanner.take_if('}');
  if (closed_) return true;
  if (scanner.state() != JsonScanner::State::good) return false;
  if (!first_ && !scanner.take(',', "expected ',' or '}' after a member")) return false;
  JsonValue key;
  JsonValue value;
  if (!scanner.next_is('"')) {
    return scanner.state() == JsonScanner::State::good && scanner.fail("expected a key in quotes");
  }
  if (!scanner.string(key) || !scanner.take(':', "expected ':' after a key")) return false;
  events_next_ = key.text == "traceEvents" && scanner.next_is('[');
  if (events_next_) return true;
  if (scanner.state() != JsonScanner::State::good || !scanner.value(value)) return false;
  filler_.facts().add(key.text, value);
  return true;
}

Status Document::events() {
  found_events_ = true;
  Status status = unit([](JsonScanner& scanner) { return scanner.take('[', "expected '['"); });
  closed_ = false;
  for (first_ = true; status.ok() && !closed_; first_ = false) {
    status = unit([this](JsonScanner& scanner) {
      closed_ = scanner.take_if(']');
      if (closed_) return true;
      if (scanner.state() != JsonScanner::State::good) return false;
      if (!first_ && !scanner.take(',', "expected ',' or ']' after an event")) return false;
      return read_event(scanner, event_) && (filler_.add(event_), true);
    });
  }
  closed_ = false;
  return status;
}

Status Document::members() {
  Status status = Done{};
  for (first_ = true; status.ok() && !closed_; first_ = false) {
    status = unit([this](JsonScanner& scanner) { return member(scanner); });
    if (status.ok() && events_next_) status = events();
    events_next_ = false;
  }
  return status;
}

Status Document::trailing_space() {
  for (;;) {
    JsonScanner scanner(window_.begin(), window_.end());
    scanner.next_is('\0');
    if (scanner.state() == JsonScanner::State::good) {
      return error_at(window_.offset_of(scanner.at()),
                      fmt::format("text after the end of the trace. {}", kRepair));
    }
    window_.consume_to(window_.end());
    const Result<bool> more = window_.more();
    if (!more.ok()) return more.error();
    if (!*more) return Done{};
  }
}

Status Document::read() {
  const Result<bool> filled = window_.more();
  if (!filled.ok()) return filled.error();
  if (!*filled)
    return bad_input("the file is empty. Was the profiler stopped before the program ended?");
  skip_byte_order_mark(window_);
  Status status = unit([this](JsonScanner& scanner) {
    events_next_ = scanner.next_is('[');
    return events_next_ || (scanner.state() == JsonScanner::State::good &&
                            scanner.take('{', "expected '{' or '[': not a PyTorch (Kineto) trace"));
  });
  status = status.ok() ? (events_next_ ? events() : members()) : status;
  if (status.ok()) status = trailing_space();
  if (!status.ok()) return status;
  if (found_events_) return Done{};
  return bad_input(
      "JSON without a \"traceEvents\" list: not a PyTorch (Kineto) trace. Write one with "
      "torch.profiler's export_chrome_trace");
}

}  // namespace

void skip_byte_order_mark(Window& window) {
  if (std::string_view(window.begin(), static_cast<std::size_t>(window.end() - window.begin()))
          .starts_with("\xEF\xBB\xBF")) {
    window.consume_to(window.begin() + 3);
  }
}

Status read_document(const importers::ByteSource& source, Window& window, const MemoryRoom& room,
                     TraceFiller& filler) {
  return Document(source, window, room, filler).read();
}

}  // namespace stepscope::kineto
