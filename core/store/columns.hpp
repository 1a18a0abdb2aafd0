// SPDX-License-Identifier: Apache-2.0
// The columns of each stored table: their numbers in the file, how they are encoded, and which
// value stands for "not there". One list serves writer and reader, and is FORMAT.md's table of
// columns.
//
// A visitor has times(begin, end) for the pair that is columns 0 and 1, and column(id, coding,
// values).
#pragma once

#include <cstdint>

#include "core/store/format.hpp"
#include "core/store/writer/batch.hpp"

namespace stepscope::store {

struct Coding {
  Encoding encoding = Encoding::plain;
  // 1: "not there" is all ones in memory and 0 in the file, so every value is stored plus one.
  std::uint8_t bias = 0;
};

inline constexpr Coding kPlain{Encoding::plain, 0};
inline constexpr Coding kPlainOrNone{Encoding::plain, 1};
inline constexpr Coding kDelta{Encoding::delta, 0};
inline constexpr Coding kSparse{Encoding::sparse_delta, 0};
inline constexpr Coding kSparseOrNone{Encoding::sparse_delta, 1};
inline constexpr Coding kBytes{Encoding::bytes, 0};
inline constexpr Coding kWords{Encoding::words, 0};

template <class Visit>
void visit_columns(auto& t, Visit&& visit) requires requires {
  t.forward_thread;
}  // HostRanges
{
  visit.times(t.begin, t.end);
  visit.column(2, kPlain, t.name);
  visit.column(3, kPlain, t.thread);
  visit.column(4, kBytes, t.kind);
  visit.column(5, kPlain, t.category);
  visit.column(6, kPlainOrNone, t.site);
  visit.column(7, kSparseOrNone, t.sequence);
  visit.column(8, kPlainOrNone, t.forward_thread);
}

template <class Visit>
void visit_columns(auto& t, Visit&& visit) requires requires {
  t.event;
}  // Calls
{
  visit.column(0, kDelta, t.range);
  visit.column(1, kBytes, t.api);
  visit.column(2, kSparse, t.correlation);
  visit.column(3, kPlainOrNone, t.stream);
  visit.column(4, kPlain, t.event);
  visit.column(5, kPlainOrNone, t.bytes);
}

template <class Visit>
void visit_columns(auto& t, Visit&& visit) requires requires {
  t.communicator;
}  // Collectives
{
  visit.column(0, kDelta, t.range);
  visit.column(1, kPlain, t.communicator);
  visit.column(2, kPlainOrNone, t.bytes);
  visit.column(3, kBytes, t.reduce);
  visit.column(4, kPlainOrNone, t.peer);
}

template <class Visit>
void visit_columns(auto& t, Visit&& visit) requires requires {
  t.iteration;
}  // LoopPositions
{
  visit.column(0, kDelta, t.time);
  visit.column(1, kPlain, t.thread);
  visit.column(2, kBytes, t.depth);
  visit.column(3, kBytes, t.flags);
  visit.column(4, kPlainOrNone, t.loop);
  visit.column(5, kPlainOrNone, t.caller);
  visit.column(6, kDelta, t.iteration);
}

template <class Visit>
void visit_columns(auto& t, Visit&& visit) requires requires {
  t.original;
}  // GraphNodes
{
  visit.column(0, kDelta, t.time);
  visit.column(1, kDelta, t.node);
  visit.column(2, kDelta, t.original);
  visit.column(3, kPlain, t.thread);
  visit.column(4, kPlainOrNone, t.site);
}

template <class Visit>
void visit_columns(auto& t, Visit&& visit) requires requires {
  t.graph_node;
}  // DeviceOps
{
  visit.times(t.begin, t.end);
  visit.column(2, kPlain, t.name);
  visit.column(3, kBytes, t.kind);
  visit.column(4, kPlain, t.stream);
  visit.column(5, kSparse, t.correlation);
  visit.column(6, kPlain, t.graph);
  visit.column(7, kPlain, t.graph_node);
  visit.column(8, kPlainOrNone, t.bytes);
  visit.column(9, kBytes, t.copy_kind);
  visit.column(10, kBytes, t.source_memory);
  visit.column(11, kBytes, t.target_memory);
  visit.column(12, kPlainOrNone, t.launch_config);
}

template <class Visit>
void visit_columns(auto& t, Visit&& visit) requires requires {
  t.awaited_correlation;
}  // Syncs
{
  visit.times(t.begin, t.end);
  visit.column(2, kBytes, t.api);
  visit.column(3, kPlainOrNone, t.stream);
  visit.column(4, kSparse, t.correlation);
  visit.column(5, kSparse, t.awaited_correlation);
}

template <class Visit>
void visit_columns(auto& t, Visit&& visit) requires requires {
  t.track;
}  // Counters
{
  visit.column(0, kDelta, t.time);
  visit.column(1, kPlain, t.track);
  visit.column(2, kPlain, t.process);
  visit.column(3, kWords, t.value);
}

template <class Visit>
void visit_columns(auto& t, Visit&& visit) requires requires {
  t.time;
  t.name;
}  // Marks
{
  visit.column(0, kDelta, t.time);
  visit.column(1, kPlain, t.name);
  visit.column(2, kPlain, t.thread);
}

template <class Visit>
void visit_columns(auto& t, Visit&& visit) requires requires {
  t.innermost;
}  // Samples
{
  visit.column(0, kDelta, t.time);
  visit.column(1, kPlain, t.thread);
  visit.column(2, kPlainOrNone, t.site);
  visit.column(3, kPlain, t.called);
  visit.column(4, kPlain, t.innermost);
  visit.column(5, kDelta, t.cpu);
  visit.column(6, kBytes, t.flags);
  visit.column(7, kBytes, t.asleep_in);
}

template <class Visit>
void visit_columns(auto& t, Visit&& visit) requires requires {
  t.begin;
  t.lane;
}  // OpenRanges
{
  visit.column(0, kDelta, t.begin);
  visit.column(1, kPlain, t.name);
  visit.column(2, kPlain, t.thread);
  visit.column(3, kBytes, t.kind);
  visit.column(4, kPlain, t.category);
  visit.column(5, kPlainOrNone, t.site);
  visit.column(6, kSparseOrNone, t.sequence);
  visit.column(7, kPlain, t.lane);
}

template <class Visit>
void visit_columns(auto& t, Visit&& visit) requires requires {
  t.time;
  t.lane;
}  // LateEnds
{
  visit.column(0, kDelta, t.time);
  visit.column(1, kPlain, t.thread);
  visit.column(2, kPlain, t.lane);
}

}  // namespace stepscope::store
