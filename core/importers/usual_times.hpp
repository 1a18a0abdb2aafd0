// SPDX-License-Identifier: Apache-2.0
// The times that records of the device usually take. A record without a believable length is given
// such a time.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "core/model/trace.hpp"

namespace stepscope {

bool is_plain_copy(const DeviceOps& ops, std::size_t op);  // copies and sets of no graph
bool is_kernel(const DeviceOps& ops, std::size_t op);

using StreamOrder = std::vector<std::uint32_t>;  // rows of the table

// Returns the ops by stream and begin.
StreamOrder in_stream_order(const DeviceOps& ops);

// A record whose end is wrong, and the begin of the next op of its stream, where it ends at the
// latest.
struct WrongEnd {
  std::uint32_t op;
  std::int64_t next;
};

// Times of kernels by name, of copies and sets by kind, direction and size. Ops that `is_wrong`
// names, by row, tell none.
class UsualTimes {
 public:
  UsualTimes(const DeviceOps& ops, const std::vector<bool>& is_wrong);

  // The median kernel of its name, or the copy of its kind and the nearest size. -1: there is none.
  std::int64_t of(std::uint32_t op) const;
  // The shortest such kernel, or that copy. -1: there is none.
  std::int64_t least(std::uint32_t op) const;

 private:
  using Key = std::tuple<DeviceOpKind, CopyKind, StringId>;
  using Times = std::vector<std::pair<std::uint64_t, std::int64_t>>;  // size and time, in order

  const Times* of_its_kind(std::uint32_t op) const;
  Key key(std::uint32_t op) const;
  std::uint64_t size(std::uint32_t op) const;

  const DeviceOps& ops_;
  std::map<Key, Times> times_;
};

// Each ends when its usual time is over, at the latest where the next op begins, and there if
// nothing is usual. Returns by how much the records together became shorter.
std::int64_t give_usual_times(DeviceOps& ops, const std::vector<WrongEnd>& wrong);

}  // namespace stepscope
