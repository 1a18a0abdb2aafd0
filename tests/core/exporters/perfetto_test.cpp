// SPDX-License-Identifier: Apache-2.0
// Perfetto's trace processor is not at hand offline, so the file is read back by a small reader of
// the wire format: every slice begins and ends on its track, in order, with its name.
#include <map>
#include <vector>

#include "tests/core/exporters/exported_run.hpp"

namespace stepscope {
namespace {

struct Field {
  std::uint64_t number = 0;
  std::uint64_t value = 0;
  std::string_view bytes;
};

std::uint64_t take_varint(std::string_view& in) {
  std::uint64_t out = 0;
  for (unsigned shift = 0; !in.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(in.front());
    in.remove_prefix(1);
    out |= std::uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) break;
  }
  return out;
}

std::vector<Field> fields_of(std::string_view in) {
  std::vector<Field> out;
  while (!in.empty()) {
    const std::uint64_t tag = take_varint(in);
    Field field{tag >> 3U};
    if ((tag & 7U) == 0) {
      field.value = take_varint(in);
    } else {
      const std::size_t size = (tag & 7U) == 1 ? 8 : take_varint(in);
      EXPECT_LE(size, in.size());
      if (size > in.size()) return out;
      field.bytes = in.substr(0, size);
      in.remove_prefix(size);
    }
    out.push_back(field);
  }
  return out;
}

const Field* find(const std::vector<Field>& fields, std::uint64_t number) {
  for (const Field& field : fields) {
    if (field.number == number) return &field;
  }
  return nullptr;
}

struct ReadBack {
  std::map<std::uint64_t, std::string> tracks;
  std::map<std::uint64_t, std::string> names;
  std::map<std::uint64_t, std::vector<std::uint64_t>> open;
  std::map<std::string, std::int64_t> slices, time;  // by name
  std::map<std::uint64_t, std::uint64_t> open_name;
  std::uint64_t launches = 0, launched = 0;

  void packet(std::string_view bytes) {
    const auto fields = fields_of(bytes);
    if (const Field* track = find(fields, 60)) {
      const auto facts = fields_of(track->bytes);
      const Field* name = find(facts, 2);
      tracks[find(facts, 1)->value] = name == nullptr ? "" : name->bytes;
    }
    if (const Field* interned = find(fields, 12)) {
      for (const Field& entry : fields_of(interned->bytes)) {
        const auto pair = fields_of(entry.bytes);
        names[find(pair, 1)->value] = find(pair, 2)->bytes;
      }
    }
    if (const Field* event = find(fields, 11)) track_event(find(fields, 8)->value, event->bytes);
  }

  void track_event(std::uint64_t time_ns, std::string_view bytes) {
    const auto event = fields_of(bytes);
    const std::uint64_t type = find(event, 9)->value;
    const std::uint64_t track = find(event, 11)->value;
    ASSERT_TRUE(tracks.contains(track));
    std::vector<std::uint64_t>& stack = open[track];
    if (type == 1) {
      ASSERT_TRUE(stack.empty() || stack.back() <= time_ns);
      stack.push_back(time_ns);
      const Field* name = find(event, 10);
      if (name != nullptr) ++slices[names.at(name->value)];
      launches += find(event, 47) != nullptr ? 1U : 0U;
      launched += find(event, 48) != nullptr ? 1U : 0U;
    } else if (type == 2) {
      ASSERT_FALSE(stack.empty());
      ASSERT_GE(time_ns, stack.back());
      time[tracks[track]] += static_cast<std::int64_t>(time_ns - stack.back());
      stack.pop_back();
    }
  }
};

TEST(Perfetto, EverySliceIsReadBackOnItsTrack) {
  const ExportedRun run;
  const std::string file = run.written_by(write_perfetto);
  ReadBack back;
  for (const Field& packet : fields_of(file)) {
    ASSERT_EQ(packet.number, 1U);
    back.packet(packet.bytes);
  }
  for (const auto& [track, open] : back.open) EXPECT_TRUE(open.empty()) << back.tracks[track];
  std::map<std::string, std::int64_t> expected;
  for (const StringId name : run.trace.device_ops().name)
    ++expected[std::string(run.trace.text(name))];
  for (const auto& [name, count] : expected) EXPECT_GE(back.slices[name], count) << name;
  std::int64_t owned = 0;
  for (const Segment& segment : run.attribution.process.segments) owned += segment.time.length();
  EXPECT_EQ(back.time["causes"], owned);
  std::int64_t wall = 0;
  for (const Step& step : run.steps.list) wall += step.wall_ns();
  EXPECT_EQ(back.time["steps"], wall);
  EXPECT_GT(back.launches, 0U);
  EXPECT_GE(back.launched, back.launches);
}

}  // namespace
}  // namespace stepscope
