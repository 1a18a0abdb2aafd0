// SPDX-License-Identifier: Apache-2.0
#include "core/importers/kineto/trace_filler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/importers/kineto/json/mender.hpp"

namespace stepscope::kineto {
namespace {

constexpr const char* kCut =
    "the file ends early: it was cut while it was written or copied. Copy it again, or record the "
    "run again";
constexpr const char* kTwoTraces =
    "Two processes wrote into this file, or a trace over a longer one: give each rank a file of "
    "its "
    "own, with its number in the name, and record the run again";
constexpr const char* kHole =
    "The file has a hole of zero bytes here: it was copied while it was written, or the disk was "
    "full. Copy it again, or record the run again";
constexpr const char* kNoReading =
    "This is not valid JSON, and there is no plain reading of it. The file was changed after it "
    "was "
    "written, or its writer is at fault; `python3 -m json.tool` names the place, too";
constexpr const char* kPython =
    "This is how Python prints a dictionary, and no JSON: write it with json.dump";
constexpr const char* kLocale =
    "A number with a comma in it: the file was written under a locale with decimal commas, or with "
    "digits in groups. Write it under LC_ALL=C";
constexpr const char* kNoTrace =
    "not a trace of PyTorch's profiler, which is an object with a \"traceEvents\" list, or a list "
    "of events";
constexpr const char* kLines =
    "JSON lines (one document a line), which stepscope does not read. Of Nsight Systems give what "
    "nsys export --type sqlite writes, else one document with a \"traceEvents\" list";
constexpr std::size_t kMostMended = std::size_t{1} << 18U;  // bytes of one event

// What is read is taken only with what stands behind it, since a quote in a string can end it early.
bool is_followed(JsonScanner& scanner, char end, const char* wanted) {
  return scanner.next_is(',') || scanner.next_is(end) ||
         (scanner.state() == JsonScanner::State::good && scanner.fail(wanted));
}

// True where there was one. Between two events a comma too many says nothing.
bool take_commas(JsonScanner& scanner) {
  bool some = false;
  while (scanner.state() == JsonScanner::State::good && scanner.take_if(',')) some = true;
  return some;
}

bool is_space(char c) {
  return static_cast<unsigned char>(c) <= ' ';
}

bool closes(const char* begin, const char* end) {
  return std::all_of(begin, end, [](char c) { return c == ']' || c == '}' || is_space(c); });
}

class Document {
 public:
  Document(const importers::ByteSource& source, Window& window, const MemoryRoom& room,
           const HoldsTwo& holds_two, TraceFiller& filler)
      : source_(source), window_(window), room_(room), holds_two_(holds_two), filler_(filler) {}

  Status read();

 private:
  // Reads one unit: step(scanner) returns whether it took all of it. What is no JSON and can be
  // mended is given to `step` a second time, as JSON.
  template <class Step>
  Status unit(Step step, std::optional<Mender::Unit> mended_as = {});
  // True where the unit was mended and taken. At the end of the file that is so only where nothing
  // but closing brackets come behind it.
  template <class Step>
  Result<bool> mend(Step step, Mender::Unit unit, bool at_end);
  Status fill_for_mending();
  // At the end of the file: true where a list without a document ends behind a whole event, which is
  // taken. The format of Chrome's traces lets its writers leave out the bracket.
  template <class Step>
  bool take_open_end(Step step);
  Status check_room();
  Status members();  // reads the outer object's members
  Status events();
  Status trailing_space();
  bool member(JsonScanner& scanner);
  bool event(JsonScanner& scanner);
  const char* cause_of_damage(char found) const;
  Error error_at(std::uint64_t offset, std::string_view what) const;

  const importers::ByteSource& source_;
  Window& window_;
  const MemoryRoom& room_;
  const HoldsTwo& holds_two_;
  TraceFiller& filler_;
  Event event_;
  bool first_ = true;         // no comma before the first member, the first event
  bool closed_ = false;       // the list or object that is being read has ended
  bool events_next_ = false;  // the window stands at the list of events
  bool found_events_ = false;
  bool is_list_ = false;          // the file is a list of events without an object around it
  std::uint64_t next_check_ = 0;  // byte of the content
};

Error Document::error_at(std::uint64_t offset, std::string_view what) const {
  if (!source_.compressed()) return bad_input(fmt::format("byte {}: {}", offset, what));
  return bad_input(fmt::format("byte {} of the content (near byte {} of the compressed file): {}",
                               offset, source_.file_position(), what));
}

const char* Document::cause_of_damage(char found) const {
  if (holds_two_()) return kTwoTraces;
  if (found == '\'') return kPython;
  if (found >= '0' && found <= '9') return kLocale;
  return found == '\0' ? kHole : kNoReading;
}

// What the mender looks at must not depend on how much happens to be in memory.
Status Document::fill_for_mending() {
  const auto size = [this] { return static_cast<std::size_t>(window_.end() - window_.begin()); };
  while (size() < kMostMended) {
    const Result<bool> more = window_.more();
    if (!more.ok()) return more.error();
    if (!*more) break;
  }
  return Done{};
}

template <class Step>
Result<bool> Document::mend(Step step, Mender::Unit unit, bool at_end) {
  if (const Status filled = fill_for_mending(); !filled.ok()) return filled.error();
  const char* begin = window_.begin();
  const char* const end = begin + std::min<std::ptrdiff_t>(window_.end() - begin, kMostMended);
  JsonScanner before(begin, window_.end());
  const bool has_comma = before.take_if(',');
  if (has_comma == first_) return false;
  if (has_comma) begin = before.at();
  if (before.state() == JsonScanner::State::good && before.next_is('{')) begin = before.at();
  if (begin >= end) return false;
  Mender mender(begin, end, unit);
  if (!mender.mend() || (at_end && !closes(mender.stop(), window_.end()))) return false;
  std::string text = (first_ ? "" : ",") + mender.text();
  const std::size_t size = text.append(unit == Mender::Unit::event ? "]" : "}").size();
  text.append(JsonScanner::kPadding, '\0');
  JsonScanner scanner(text.data(), text.data() + size);
  if (!step(scanner)) return false;
  filler_.count_mended(window_.offset_of(begin));
  return window_.consume_to(mender.stop()), true;
}

template <class Step>
Status Document::unit(Step step, std::optional<Mender::Unit> mended_as) {
  for (;;) {
    JsonScanner scanner(window_.begin(), window_.end());
    if (step(scanner)) {
      if (scanner.odd_words() > 0) filler_.count_mended(window_.offset_of(window_.begin()));
      return window_.consume_to(scanner.at()), Done{};
    }
    if (scanner.state() == JsonScanner::State::wrong) {
      const std::uint64_t place = window_.offset_of(scanner.at());
      const char found = *scanner.at();  // mending moves the text
      if (scanner.why() == kNoTrace) return error_at(place, kNoTrace);
      if (mended_as) {
        const Result<bool> mended = mend(step, *mended_as, false);
        if (!mended.ok()) return mended.error();
        if (*mended) return Done{};
      }
      return error_at(place, fmt::format("{}. {}", scanner.why(), cause_of_damage(found)));
    }
    const Result<bool> more = window_.more();
    if (!more.ok()) return more.error();
    if (!*more && take_open_end(step)) return Done{};
    if (!*more && mended_as) {
      const Result<bool> mended = mend(step, *mended_as, true);
      if (mended.ok() && *mended) return Done{};
    }
    if (!*more) return error_at(window_.offset_of(window_.end()), holds_two_() ? kTwoTraces : kCut);
    if (Status room = check_room(); !room.ok()) return room;
  }
}

template <class Step>
bool Document::take_open_end(Step step) {
  if (!is_list_) return false;
  std::string text(window_.begin(), window_.end());
  const auto trim = [&text] { text.erase(text.find_last_not_of(" \t\r\n") + 1); };
  trim();
  if (text.ends_with(',')) text.pop_back(), trim();
  const std::size_t size = text.append("]").size();
  text.append(JsonScanner::kPadding, '\0');
  JsonScanner scanner(text.data(), text.data() + size);
  if (!step(scanner)) return false;
  closed_ = true;
  filler_.note_open_list();
  return window_.consume_to(window_.end()), true;
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
  if (!is_followed(scanner, '}', "expected ',' or '}' after a member")) return false;
  filler_.facts().add(key.text, value);
  return true;
}

// One event, or the end of the list.
bool Document::event(JsonScanner& scanner) {
  closed_ = scanner.take_if(']');
  if (closed_) return true;
  if (scanner.state() != JsonScanner::State::good) return false;
  const bool has_comma = first_ || !scanner.next_is('{');
  if (!first_ && has_comma && !scanner.take(',', "expected ',' or ']' after an event"))
    return false;
  const bool more_commas = !first_ && take_commas(scanner);
  if (first_ && (scanner.next_is('[') || scanner.next_is('"'))) return scanner.fail(kNoTrace);
  const bool is_event = !scanner.next_is('n');  // null
  JsonValue nothing;
  if (!(is_event ? read_event(scanner, event_) : scanner.value(nothing))) return false;
  if (!scanner.next_is('{') && !is_followed(scanner, ']', "expected ',' or ']' after an event"))
    return false;
  if (!has_comma || more_commas) filler_.count_mended(window_.offset_of(window_.begin()));
  if (is_event) filler_.add(event_);
  return true;
}

Status Document::events() {
  found_events_ = true;
  Status status = unit([](JsonScanner& scanner) { return scanner.take('[', "expected '['"); });
  closed_ = false;
  for (first_ = true; status.ok() && !closed_; first_ = false)
    status = unit([this](JsonScanner& scanner) { return event(scanner); }, Mender::Unit::event);
  closed_ = false;
  return status;
}

Status Document::members() {
  Status status = Done{};
  for (first_ = true; status.ok() && !closed_; first_ = false) {
    status = unit([this](JsonScanner& scanner) { return member(scanner); }, Mender::Unit::member);
    if (status.ok() && events_next_ && found_events_)
      return error_at(window_.offset_of(window_.begin()),
                      fmt::format("a second list of events. {}", kTwoTraces));
    if (status.ok() && events_next_) status = events();
    events_next_ = false;
  }
  return status;
}

// Zero bytes behind the document are of the disk's last block.
Status Document::trailing_space() {
  for (;;) {
    const char* const at = std::find_if_not(window_.begin(), window_.end(), is_space);
    if (at < window_.end() && !found_events_ && (*at == '{' || *at == '['))
      return error_at(window_.offset_of(at), kLines);
    if (at < window_.end())
      return error_at(window_.offset_of(at),
                      fmt::format("text after the end of the trace. {}", kTwoTraces));
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
    return events_next_ ||
           (scanner.state() == JsonScanner::State::good && scanner.take('{', kNoTrace));
  });
  is_list_ = events_next_;
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
                     const HoldsTwo& holds_two, TraceFiller& filler) {
  return Document(source, window, room, holds_two, filler).read();
}

}  // namespace stepscope::kineto
