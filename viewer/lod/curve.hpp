// SPDX-License-Identifier: Apache-2.0
// A sampled counter over time (a clock, memory, power): sorted samples and a 32-ary pyramid of
// their least, most and sum. A value holds until the next sample. Each sample of a query is in
// exactly one column, so no peak is lost at any zoom.
#pragma once

#include <cstdint>
#include <vector>

#include "core/support/interval.hpp"

namespace stepscope::viewer {

// The samples within one pixel column.
struct CurveColumn {
  std::int64_t time = 0;  // time of the first one
  std::uint32_t count = 0;
  double least = 0;
  double most = 0;
  double mean = 0;
  double last = 0;
};

class Curve {
 public:
  void add(std::int64_t time, double value);  // in order of time
  void finish();                              // once, after the last add

  std::size_t size() const { return time_.size(); }
  double least() const { return levels_.empty() ? 0 : whole_.least; }
  double most() const { return levels_.empty() ? 0 : whole_.most; }

  // Columns that hold samples, left to right; the first is what held before `span`, if anything
  // did.
  void columns(Interval span, int pixels, std::vector<CurveColumn>& out) const;
  // Gives the value at `t`; false before the first sample.
  bool value_at(std::int64_t t, double& value) const;

 private:
  struct Block {
    double least = 0;
    double most = 0;
    double sum = 0;
  };
  void merge(Block& into, const Block& one) const;
  Block sum_of(std::size_t first, std::size_t last) const;

  std::vector<std::int64_t> time_;
  std::vector<double> value_;
  std::vector<std::vector<Block>> levels_;  // level 0: 32 samples a block
  Block whole_;
};

}  // namespace stepscope::viewer
