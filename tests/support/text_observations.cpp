// SPDX-License-Identifier: Apache-2.0
// The words of a case that say what was seen of a thread or a machine now and then: samples, counters,
// clocks, marks and positions in loops.
#include <map>
#include <string_view>

#include "tests/support/text_trace.hpp"

namespace stepscope::testing {

// counter [pN.]TRACK TIME VALUE: a sample, of process 0 unless another is named.
void TextTrace::counter(const TextLine& line) {
  Counters& counters = make_.data.counters;
  std::string_view track = line.word(1);
  ProcessId process = 0;
  if (const std::size_t dot = track.find('.');
      dot != std::string_view::npos && dot > 1 && track[0] == 'p' &&
      std::isdigit(static_cast<unsigned char>(track[1])) != 0) {
    process = static_cast<ProcessId>(parse_count(track.substr(1, dot - 1)));
    track.remove_prefix(dot + 1);
  }
  counters.time.push_back(host_time(line.word(2)));
  counters.track.push_back(make_.data.strings.intern(track));
  counters.process.push_back(process);
  counters.value.push_back(static_cast<double>(parse_count(line.word(3))));
}

// cpu THREAD TIME CPU_TIME
void TextTrace::cpu(const TextLine& line) {
  const Thread& thread = make_.data.threads[thread_of(line.word(1))];
  Counters& counters = make_.data.counters;
  counters.time.push_back(host_time(line.word(2)));
  counters.track.push_back(make_.data.strings.intern(kThreadCpuTrack + std::to_string(thread.tid)));
  counters.process.push_back(thread.process);
  counters.value.push_back(static_cast<double>(host_time(line.word(3)) - host_time("0")));
  collected_.try_emplace("off_cpu", true);
}

// sample THREAD TIME [at=FILE:LINE] [in=NAME] [innermost=NAME] [cpu=TIME] [flags=BITS]
// [asleep=timer|lock|child|channel|file]
void TextTrace::sample(const TextLine& line) {
  Samples& samples = make_.data.samples;
  samples.thread.push_back(thread_of(line.word(1)));
  samples.time.push_back(host_time(line.word(2)));
  samples.site.push_back(site_of(line, SiteKind::call));
  samples.called.push_back(make_.data.strings.intern(line.option("in", "")));
  samples.innermost.push_back(make_.data.strings.intern(line.option("innermost", "")));
  const std::int64_t cpu = line.has("cpu") ? parse_time(line.option("cpu")) : 0;
  samples.cpu.push_back(static_cast<std::uint64_t>(cpu));
  samples.flags.push_back(static_cast<std::uint8_t>(parse_count(line.option("flags", "0"))));
  static const std::map<std::string_view, AsleepIn> kinds{
      {"", AsleepIn::unknown},    {"timer", AsleepIn::timer},     {"lock", AsleepIn::lock},
      {"child", AsleepIn::child}, {"channel", AsleepIn::channel}, {"file", AsleepIn::file}};
  samples.asleep_in.push_back(kinds.at(line.option("asleep", "")));
}

// loop THREAD BEGIN END TIMES at=FILE:LINE [depth=N]: iterations of equal length
void TextTrace::loop(const TextLine& line) {
  LoopPositions& rows = make_.data.loop_positions;
  const auto add = [&](std::int64_t time, std::uint8_t flags, SiteId loop, std::int64_t iteration) {
    rows.time.push_back(time);
    rows.thread.push_back(thread_of(line.word(1)));
    rows.depth.push_back(static_cast<std::uint8_t>(parse_count(line.option("depth", "0"))));
    rows.flags.push_back(flags);
    rows.loop.push_back(loop);
    rows.caller.push_back(kNone);
    rows.iteration.push_back(iteration);
  };
  const std::int64_t begin = host_time(line.word(2)), end = host_time(line.word(3));
  const auto times = static_cast<std::int64_t>(parse_count(line.word(4)));
  const SiteId at = site_of(line, SiteKind::call);
  for (std::int64_t i = 0; i < times; ++i)
    add(begin + i * (end - begin) / times,
        static_cast<std::uint8_t>(kLoopCounted | (i == 0 ? kLoopEntered : 0)), at, i + 1);
  add(end, kLoopLeft, kNone, 0);
}

void TextTrace::mark(const TextLine& line) {
  make_.data.marks.time.push_back(host_time(line.word(2)));
  make_.data.marks.name.push_back(make_.data.strings.intern(line.word(3)));
  make_.data.marks.thread.push_back(thread_of(line.word(1)));
}

}  // namespace stepscope::testing
