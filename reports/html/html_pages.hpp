// SPDX-License-Identifier: Apache-2.0
// Results as HTML pages, one function for each kind of result.
#pragma once

#include <string>
#include <vector>

#include "core/compare/comparison.hpp"
#include "core/ladder/ladder.hpp"
#include "core/ladder/orders.hpp"
#include "core/ladder/sweep.hpp"
#include "core/summary/summary.hpp"

namespace stepscope {

struct HtmlOptions {
  bool with_source = true;  // lines of source files that are at hand
};

// The report as one page that needs nothing beside it: opened from a file, sent by mail, kept by a
// CI. Its numbers and sentences are those of the text report; every total stands in it to the
// nanosecond.
std::string html_report(const std::vector<Summary>& summaries, const HtmlOptions& options = {});

// A comparison as one page: how much longer or shorter, the waterfall, and every part of the
// difference in tables that sum to it, to the nanosecond. For runs that are not comparable: why
// not, and what the sides are.
std::string html_diff(const Comparison& comparison);

// A ladder as one page: the picture, a row a rung, and what each changed in the step.
std::string html_ladder(const Ladder& ladder);

// What rungs bring whatever their order, and a few rungs at several micro-batches, as a page each.
std::string html_orders(const RungOrders& orders);
std::string html_sweep(const LadderSweep& sweep);

}  // namespace stepscope
