// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>

#include "tests/core/steps/loop_maker.hpp"

namespace stepscope {

// A program whose loops are noted as the recorder does.
class NestMaker : public LoopMaker {
 public:
  std::string file = "/home/me/train.py";  // whose loops these are
  bool counts_early = false;  // as enumerate does, which lets the last item go behind its count

  // Calls body(i) for each iteration. `iterator_fetches`: it is asked once more at the end.
  template <class Body>
  void loop(std::uint32_t line, int times, Body body, std::uint32_t caller = 0,
            bool iterator_fetches = false) {
    const std::size_t depth = depth_++;
    std::uint8_t entered = kLoopEntered;
    for (int i = 1; i <= times; ++i, entered = 0) {
      if (iterator_fetches) {
        note(depth, line, caller, i, kLoopAtHead | entered);
        fetch(), entered = 0;
        if (counts_early && i > 1) note(depth, line, caller, i + 1, kLoopAtHead);
      }
      note(depth, line, caller, i, kLoopCounted | entered);
      body(i - 1);
    }
    if (iterator_fetches) note(depth, line, caller, times + 1, kLoopAtHead), fetch();
    --depth_;
    pending_leave_ = true;
  }
  void fetch() {
    range("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", [&] { now += 2'000; });
  }
  // A loop inside those resumed before, at the iteration that it was left in.
  void resume(std::uint32_t line, std::int64_t iteration) {
    note(depth_++, line, 0, iteration, kLoopCounted | kLoopEntered);
  }
  void leave_all() { depth_ = 0, pending_leave_ = true, leave(); }
  // The first record behind a loop shows that it was left.
  void leave() {
    if (pending_leave_) note(depth_, 0, 0, 0, kLoopLeft);
    pending_leave_ = false;
  }
  void sample(std::uint32_t line, std::int64_t time) {
    Samples& rows = make.data.samples;
    rows.time.push_back(time);
    rows.thread.push_back(make.thread(1));
    rows.site.push_back(site_of(line));
    rows.called.push_back(0), rows.innermost.push_back(0);
    rows.cpu.push_back(0), rows.flags.push_back(0), rows.asleep_in.emplace_back();
  }
  void op_at(const std::string& name, std::uint32_t line) {
    leave(), op(name);
    make.data.host_ranges.site.resize(make.data.host_ranges.size(), kNone);
    make.data.host_ranges.site.back() = site_of(line);
  }
  void train(const std::string& net = "net", std::uint32_t line = 50) {
    leave();
    zero_grad(), train_ops(net);
    const std::size_t row = make.data.host_ranges.size();
    optimizer("Adam");
    // The scope comes behind its ops.
    make.data.host_ranges.site.resize(make.data.host_ranges.size(), kNone);
    for (std::size_t r = row; r < make.data.host_ranges.size(); ++r)
      make.data.host_ranges.site[r] = site_of(line);
  }

 private:
  void note(std::size_t depth, std::uint32_t line, std::uint32_t caller, std::int64_t iteration,
            int flags) {
    if (pending_leave_ && (flags & kLoopLeft) == 0) leave();
    LoopPositions& rows = make.data.loop_positions;
    rows.time.push_back(now);
    rows.thread.push_back(make.thread(1));
    rows.depth.push_back(static_cast<std::uint8_t>(depth));
    rows.flags.push_back(static_cast<std::uint8_t>(flags));
    rows.loop.push_back(line == 0 ? kNone : site_of(line));
    rows.caller.push_back(caller == 0 ? kNone : site_of(caller));
    rows.iteration.push_back(iteration);
    now += 100;
  }
  SiteId site_of(std::uint32_t line) {
    const auto [known, is_new] = sites_.try_emplace(line, 0);
    if (is_new) known->second = make.site(file, line);
    return known->second;
  }

  std::size_t depth_ = 0;
  bool pending_leave_ = false;
  std::map<std::uint32_t, SiteId> sites_;
};

}  // namespace stepscope
