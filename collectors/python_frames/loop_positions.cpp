// SPDX-License-Identifier: Apache-2.0
#include "collectors/python_frames/loop_positions.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>

#include "collectors/python_frames/frame_change.hpp"
#include "collectors/python_frames/iterator_count.hpp"
#include "collectors/python_frames/known_code.hpp"
#include "collectors/recorder/recorder.hpp"

namespace stepscope::python {
namespace {

constexpr std::size_t kMostFrames = 128;
constexpr std::size_t kMostLevels = 16;
constexpr std::uint32_t kMostSlots = 32;  // the lowest slots of a frame's stack are read
constexpr std::uintptr_t kTags = 7;       // bits that CPython 3.14 keeps in references of the stack

struct Level {
  std::uint32_t frame = 0;  // its place among the frames
  std::uint32_t slot = 0;   // where the iterator lies on the frame's stack
  const CodeLoop* loop = nullptr;
  Object iterator = nullptr;  // null: a `while`
  std::int64_t iteration = 0;
  bool counted = false, at_head = false;
};

struct Seen {
  std::array<SeenFrame, kMostFrames> frames;  // outermost first
  std::array<Level, kMostLevels> levels;
  std::uint32_t frame_count, level_count;
  std::uint32_t own;          // the innermost frame of the program's own code
  std::uint32_t quiet_until;  // no loop of it begins or ends before this unit
};

// Too large for what a library that is opened late may have of a thread's own block.
thread_local constinit Seen seen_by_thread = {};

// --- iterators on a frame's stack ---

Object slot_of(const Interpreter& python, const Place& at, std::uint32_t slot) noexcept {
  const auto locals = load<std::uint32_t>(at.code, python.layout.code_locals);
  const auto offset = static_cast<std::uint32_t>(python.layout.frame_locals +
                                                 sizeof(Object) * (std::size_t{locals} + slot));
  const auto reference = reinterpret_cast<std::uintptr_t>(load<Object>(at.frame, offset));
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a pointer with its lowest bits cleared
  return reinterpret_cast<Object>(reference & ~kTags);
}

bool is_iterator(const Interpreter& python, Object object) noexcept {
  return object != nullptr &&
         load<Object>(load<Object>(object, python.layout.object_type), kTypeNext) != nullptr;
}

// Those of the loops around an instruction lie at the bottom of the stack, outer ones first; what a
// `with` keeps between them is no iterator.
void find_iterator(const Interpreter& python, const Place& at, std::uint32_t number,
                   Level& level) noexcept {
  const auto size = load<std::uint32_t>(at.code, python.layout.code_stack_size);
  for (std::uint32_t slot = 0; slot < std::min(size, kMostSlots); ++slot) {
    const Object object = slot_of(python, at, slot);
    if (!is_iterator(python, object) || number-- != 0) continue;
    level.iterator = object;
    level.slot = slot;
    return;
  }
}

bool copy(Object from, void* to, std::size_t size) noexcept {
  std::memcpy(to, from, size);
  return true;
}

// False: its iterator does not count, or not while it is asked for the next.
bool count_iterations(const Interpreter& python, Level& level) noexcept {
  IteratorCount count;
  level.counted = level.iterator != nullptr &&
                  IteratorReader(python, copy).count(level.iterator, count) &&
                  !(count.is_driven && level.at_head);
  if (level.counted) level.iteration = count.position + (level.at_head ? 1 : 0);
  return level.counted;
}

// --- a look ---

// Reasons for which a position was incomplete, as facts that are renewed where the count has
// doubled.
struct Missing {
  const char* fact;
  std::atomic<std::uint32_t> looks{0};

  void count() noexcept {
    const std::uint32_t times = looks.fetch_add(1, std::memory_order_relaxed) + 1;
    if ((times & (times - 1)) != 0) return;
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%u times or more", times);
    recorder::fact(fact, text.data());
  }
};
constinit Missing deep_stacks{"loop_positions.stack_over_128_frames"};
constinit Missing unknown_code{"loop_positions.instructions_not_known"};
constinit Missing deep_loops{"loop_positions.over_15_loops_deep"};

class Look {
 public:
  Look(const Interpreter& python, Seen& last) noexcept : python_(python), last_(last) {}

  void take(Object leaf, Object own) noexcept {
    if (!collect(leaf)) return deep_stacks.count();  // the next look compares with the last
    const Change change = compare();
    keep_frames(change, own);
    find_levels(change);
  }

 private:
  const Place& at(std::uint32_t index) const noexcept { return now_[count_ - 1 - index]; }

  bool collect(Object frame) noexcept {
    for (; frame != nullptr; frame = previous_frame(python_.layout, frame)) {
      const Object code = code_of(python_.layout, python_.code_type, frame);
      if (code == nullptr) {  // a shim, below what C calls
        if (count_ > 0) now_[count_ - 1].is_called_by_python = false;
        continue;
      }
      if (count_ == kMostFrames) return false;
      const std::size_t unit = unit_of(python_.layout, frame, code);
      const std::uint32_t entry = python_.layout.frame_is_entry;
      const bool is_entry = entry != 0 && load<char>(frame, entry) != 0;
      now_[count_++] = {frame, code, static_cast<std::uint32_t>(unit), !is_entry};
    }
    return count_ > 0;
  }

  Change compare() const noexcept {
    const std::uint32_t common = std::min(count_, last_.frame_count);
    std::uint32_t same = 0;
    while (same < common && last_.frames[same].at.has_code_of(at(same)) &&
           last_.frames[same].at.unit == at(same).unit)
      ++same;
    return same < common ? change_at(last_.frames, same, at(same)) : Change{.frame = same};
  }

  void keep_frames(const Change& change, Object own) noexcept {
    for (std::uint32_t i = change.frame; i < count_; ++i) {
      SeenFrame& frame = last_.frames[i];
      const bool is_known = i < last_.frame_count && frame.at.has_code_of(at(i));
      frame.at = at(i);
      if (!is_known) describe(frame);
    }
    last_.frame_count = count_;
    last_.own = 0;
    while (last_.own + 1 < count_ && last_.frames[last_.own].at.frame != own) ++last_.own;
    last_.quiet_until = next_border(last_.frames[last_.own]);
  }

  void describe(SeenFrame& frame) const noexcept {
    static constexpr CodeShape kNoShape{};
    frame.shape = shape_of(python_.layout, frame.at.code);
    frame.is_programs = kind_of(python_.layout, frame.at.code) <= SourceKind::package;
    if (frame.shape != nullptr) return;
    if (frame.is_programs) unknown_code.count();
    frame.shape = &kNoShape;
  }

  static std::uint32_t next_border(const SeenFrame& frame) noexcept {
    std::uint32_t next = kNowhere;
    const auto try_border = [&](std::uint32_t border) {
      if (border > frame.at.unit) next = std::min(next, border);
    };
    for (const CodeLoop& loop : frame.shape->loops)
      for (const std::uint32_t border : {loop.begin, loop.body, loop.end}) try_border(border);
    for (const Handler& handler : frame.shape->handlers) try_border(handler.begin);
    return next;
  }

  // A loop that came round but whose iterator is another one, or did not go on, was entered anew:
  // it is the loop around it that came round.
  Round settled(Round round) const noexcept {
    while (round.loop != nullptr && round.loop->has_iterator) {
      const auto* level = std::find_if(
          last_.levels.begin(), last_.levels.begin() + last_.level_count,
          [&](const Level& one) { return one.frame == round.frame && one.loop == round.loop; });
      if (level == last_.levels.begin() + last_.level_count) break;
      const Level now = level_of(round.frame, *round.loop);
      const bool goes_on =
          now.iterator == level->iterator && (!now.counted || now.iteration > level->iteration);
      if (goes_on) break;
      round.loop = around(round);
    }
    return round;
  }

  const CodeLoop* around(const Round& round) const noexcept {
    const CodeLoop* found = nullptr;
    for (const CodeLoop& loop : last_.frames[round.frame].shape->loops)
      if (&loop < round.loop && loop.holds(round.loop->begin)) found = &loop;
    return found;
  }

  // Returns the loop's level as far as the frames show it now.
  Level level_of(std::uint32_t frame, const CodeLoop& loop) const noexcept {
    const SeenFrame& of = last_.frames[frame];
    const Spot spot(of);
    Level level{.frame = frame, .loop = &loop};
    if (!loop.has_iterator) return level;
    std::uint32_t number = 0;
    for (const CodeLoop& outer : of.shape->loops)
      number += &outer < &loop && outer.has_iterator && spot.is_in(outer) ? 1U : 0U;
    level.at_head = of.at.unit < loop.body;
    find_iterator(python_, of.at, number, level);
    (void)count_iterations(python_, level);
    return level;
  }

  void find_levels(const Change& change) noexcept {
    const Round round = settled(change.round);
    std::uint32_t count = 0;
    std::uint32_t caller = kNowhere;
    for (std::uint32_t i = 0; i < count_; ++i) {
      const SeenFrame& frame = last_.frames[i];
      if (!frame.is_programs) continue;
      const bool same_call = i < change.frame || (i == change.frame && change.same_call);
      bool is_first = true;
      const Spot spot(frame);
      for (const CodeLoop& loop : frame.shape->loops) {
        if (!spot.is_in(loop)) continue;
        if (count == kMostLevels) break;
        put(count++, level_of(i, loop), same_call, round, is_first ? caller : kNowhere);
        is_first = false;
      }
      caller = i;
    }
    if (count < last_.level_count && !has_reported_) report({.depth = count, .flags = kLoopLeft});
    last_.level_count = is_lost_ ? 0 : count;
    if (count == kMostLevels) deep_loops.count();
  }

  // At its head a loop may have counted the next iteration already: enumerate lets the last item go
  // only then, and what that item frees may make a record (pinned memory does).
  static std::int64_t least_after(const Level& before) noexcept {
    return before.iteration - (before.at_head ? 1 : 0);
  }

  void put(std::uint32_t index, Level now, bool same_call, const Round& round,
           std::uint32_t caller) noexcept {
    const Level before = last_.levels[index];
    const bool goes_on = !has_reported_ && same_call && index < last_.level_count &&
                         before.frame == now.frame && before.loop == now.loop &&
                         before.iterator == now.iterator &&
                         (!now.counted || now.iteration >= least_after(before));
    if (!now.counted) {
      const bool came_round = round.frame == now.frame && round.loop == now.loop;
      now.iteration = goes_on ? before.iteration + (came_round ? 1 : 0) : 1;
    }
    last_.levels[index] = now;
    if (goes_on && now.iteration == before.iteration && now.at_head == before.at_head) return;
    report(position(index, now, goes_on, caller));
  }

  recorder::LoopPosition position(std::uint32_t depth, const Level& level, bool goes_on,
                                  std::uint32_t caller) const noexcept {
    const Layout& layout = python_.layout;
    const Place& at = last_.frames[level.frame].at;
    const auto flags =
        static_cast<std::uint8_t>((level.counted ? kLoopCounted : 0) |
                                  (level.at_head ? kLoopAtHead : 0) | (goes_on ? 0 : kLoopEntered));
    recorder::SiteRef calls = 0;
    if (caller != kNowhere)
      calls = site_of(layout, last_.frames[caller].at.code, last_.frames[caller].at.unit);
    return {depth, flags, site_of(layout, at.code, level.loop->of_its_line()), calls,
            level.iteration};
  }

  // A change of a level makes what is known of deeper levels invalid.
  void report(const recorder::LoopPosition& position) noexcept {
    has_reported_ = true;
    is_lost_ = !recorder::loop_position(position) || is_lost_;
  }

  const Interpreter& python_;
  Seen& last_;
  std::array<Place, kMostFrames> now_;  // innermost first
  std::uint32_t count_ = 0;
  bool has_reported_ = false;
  bool is_lost_ = false;  // the file lacks some of it: the next look records all anew
};

// The innermost loop, where it is one of the frame's that went on or stands still.
bool gave_nothing(const Interpreter& python, const Place& at, const Level& level) noexcept {
  if (!level.counted) return true;
  Level now = level;
  return slot_of(python, at, level.slot) == level.iterator && count_iterations(python, now) &&
         now.iteration == level.iteration;
}

// Whether each frame from the leaf to that of the innermost loop stands where it stood, and the
// loop's iterator has given nothing. Only frames that are on the stack now are read.
bool stands_still(const Interpreter& python, const Seen& last, Object leaf) noexcept {
  const Layout& layout = python.layout;
  const Level* level = last.level_count == 0 ? nullptr : &last.levels[last.level_count - 1];
  std::uint32_t left = last.frame_count;
  for (Object frame = leaf; frame != nullptr; frame = previous_frame(layout, frame)) {
    if (load<char>(frame, layout.frame_owner) == kShimOwner) continue;
    if (left-- == 0) return false;
    const Place& at = last.frames[left].at;
    const bool same = frame == at.frame &&
                      without_marks(load<Object>(frame, layout.frame_code)) == at.code &&
                      unit_of(layout, frame, at.code) == at.unit;
    if (!same) return false;
    if (level != nullptr && left == level->frame) return gave_nothing(python, at, *level);
  }
  return left == 0;
}

// Whether nothing can have changed: the same frame of the program's went on inside its loops, or
// the thread is where it was.
bool is_quiet(const Interpreter& python, Seen& last, Object leaf, const Place& own) noexcept {
  if (last.frame_count == 0 || !last.frames[last.own].at.has_code_of(own)) return false;
  SeenFrame& frame = last.frames[last.own];
  if (own.unit == frame.at.unit) return stands_still(python, last, leaf);
  if (own.unit < frame.at.unit || own.unit >= last.quiet_until) return false;
  const Level* level = last.level_count == 0 ? nullptr : &last.levels[last.level_count - 1];
  const bool is_own = level != nullptr && level->frame == last.own;
  if (is_own && !gave_nothing(python, own, *level)) return false;
  frame.at.unit = own.unit;
  last.frame_count = last.own + 1;
  return true;
}

}  // namespace

bool can_read_loops(const Interpreter& python) noexcept {
  if (!knows_bytecode(python.layout.minor) || python.layout.frame_locals == 0) return false;
  const IteratorTypes& types = python.iterators;
  for (const Object type : {types.range, types.list, types.tuple, types.enumerate, types.zip})
    if (type == nullptr || load<Object>(type, kTypeNext) == nullptr) return false;
  return load<Object>(python.code_type, kTypeNext) == nullptr &&
         load<Object>(python.text_type, kTypeNext) == nullptr;
}

[[gnu::hot]] void note_loop_positions(const Interpreter& python, Object leaf, Object own,
                                      Object own_code) noexcept {
  const std::size_t unit = unit_of(python.layout, own, own_code);
  Seen& seen = seen_by_thread;
  if (is_quiet(python, seen, leaf, {own, own_code, static_cast<std::uint32_t>(unit), false}))
    return;
  Look(python, seen).take(leaf, own);
}

void forget_loop_positions() noexcept {
  seen_by_thread.frame_count = seen_by_thread.level_count = 0;
}

}  // namespace stepscope::python
