// SPDX-License-Identifier: Apache-2.0
// Traces written as text, one event a line, so that a case can be read and checked on paper.
// The grammar is in tests/cases/GRAMMAR.md. All times are shifted by kBase, since a device op at
// time 0 would count as one without a time.
#pragma once

#include <map>
#include <string>

#include "core/steps/steps.hpp"
#include "tests/core/model/trace_maker.hpp"
#include "tests/support/text_line.hpp"

namespace stepscope::testing {

inline constexpr std::int64_t kBase = 1'000'000;

// Reads event lines one after the other. Throws std::invalid_argument for a line it cannot read.
class TextTrace {
 public:
  // False where the line's first word is no event, so that the caller may know it.
  bool add(const TextLine& line);

  bool has_steps() const { return !steps_.list.empty(); }
  Steps steps() const { return steps_; }
  Trace build();

  // Shifts of the lines that follow, inside a `repeat`.
  void shift(std::int64_t host_ns, std::int64_t device_ns, std::uint32_t correlation);

 private:
  using Reader = void (TextTrace::*)(const TextLine&);
  static const std::map<std::string, Reader, std::less<>>& readers();

  void source(const TextLine& line);
  void collected(const TextLine& line);
  void process(const TextLine& line);
  void device(const TextLine& line);
  void thread(const TextLine& line);
  void no_device(const TextLine& line);
  void step(const TextLine& line);
  void multiprocessors(const TextLine& line);
  void device_memory(const TextLine& line);
  void counter(const TextLine& line);
  void host_range(const TextLine& line);
  void call(const TextLine& line);
  void launch(const TextLine& line);
  void kernel(const TextLine& line);
  void copy(const TextLine& line);
  void set(const TextLine& line);
  void mark(const TextLine& line);
  void cpu(const TextLine& line);
  void sample(const TextLine& line);
  void loop(const TextLine& line);
  void graph_node(const TextLine& line);
  void nccl(const TextLine& line);

  RangeId add_range(HostKind kind, const TextLine& line);
  LaunchConfigId blocks(const std::string& count);
  DeviceOpId add_device_op(DeviceOpKind kind, const TextLine& line, std::size_t first_word,
                           std::string_view name, std::uint32_t correlation);
  ThreadId thread_of(std::string_view word);
  StreamId stream_of(std::string_view word);
  SiteId site_of(const TextLine& line, SiteKind kind);
  std::uint32_t correlation_of(const TextLine& line) const;
  std::int64_t host_time(const std::string& word) const;
  std::int64_t device_time(const std::string& word) const;

  TraceMaker make_;
  Steps steps_;
  std::map<std::string, bool> collected_;
  std::map<std::pair<std::string, SiteKind>, SiteId> sites_;
  std::int64_t host_shift_ = kBase;
  std::int64_t device_shift_ = kBase;
  std::uint32_t correlation_shift_ = 0;
  std::uint32_t own_correlation_ = 1'000'000;  // next id of `launch` lines, which name none
};

}  // namespace stepscope::testing
