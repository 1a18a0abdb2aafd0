// SPDX-License-Identifier: Apache-2.0
// Text of one event, or of one member of a document, that is no JSON and whose meaning is plain.
//
// PyTorch 2.11 writes quotes of names as they are, and other writers leave out values, write N/A,
// or let a path end with a single backslash. A string is then taken to end at a quote that a comma
// or a closing bracket follows, and of several such quotes at the first one with which the whole
// event can be read: each further key of the event is one that events have, and a comma and another
// event, or the end of the list, come behind it. A word that is no value of JSON becomes null.
//
// What is found is written again as JSON. Nothing is mended where no reading is found within
// kMostTries strings: the text is then refused.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stepscope::kineto {

class Mender {
 public:
  enum class Unit { event, member };

  // `begin` is the event's bracket, or the member's key; [begin, end) all that is looked at.
  Mender(const char* begin, const char* end, Unit unit) : begin_(begin), end_(end), unit_(unit) {}

  // True where a reading was found: text() is JSON, and stop() lies behind what was read.
  bool mend();
  std::string text() const;
  const char* stop() const { return best_.stop; }

 private:
  enum class Expect { key, value, behind_value };
  struct State {
    const char* at;
    std::string open;  // brackets, the outermost first
    Expect expect;
    const char* comma = nullptr;  // the last one taken
    int keys = 0;                 // outer ones
  };
  enum class As { string, null, nothing };
  struct Edit {  // what stands there in the text, without its quotes, and what is written for it
    const char* begin;
    const char* end;
    As as;
  };

  struct Reading {
    std::vector<Edit> edits;
    bool escapes_count = true;  // false: a backslash stands for itself
    const char* stop = nullptr;
    int keys = -1;
  };

  bool search(State state);
  bool step(State& state, bool& found);
  bool take_key(State& state);
  bool take_value(State& state, bool& found);
  bool take_word(State& state);
  bool take_behind(State& state, bool& found);
  bool try_strings(const State& state);
  bool is_followed(const char* at) const;
  bool skip_space(const char*& at) const;
  bool begins_event(const char* quote) const;
  bool ends_string(const State& state, const char* quote) const;

  const char* begin_;
  const char* end_;
  Unit unit_;
  Reading best_, now_;
  int tries_ = 0;
};

}  // namespace stepscope::kineto
