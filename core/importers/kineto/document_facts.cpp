// SPDX-License-Identifier: Apache-2.0
#include "core/importers/kineto/document_facts.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "core/importers/kineto/json/decimal.hpp"
#include "core/importers/kineto/json/text.hpp"

namespace stepscope::kineto {
namespace {

using simdjson::dom::element;

constexpr std::size_t kLongestFact = 4096;

template <class Unsigned>
Unsigned number(const element& object, std::string_view key) {
  std::uint64_t value = 0;
  if (object[key].get(value) != simdjson::SUCCESS) return 0;
  return static_cast<Unsigned>(
      std::min<std::uint64_t>(value, std::numeric_limits<Unsigned>::max()));
}

std::string text(const element& object, std::string_view key) {
  std::string_view value;
  return object[key].get(value) == simdjson::SUCCESS ? std::string(value) : std::string();
}

// Some launchers write numbers as text. -1: there is none that can be.
std::int32_t small_number(const element& object, std::string_view key) {
  std::int64_t value = -1;
  std::string_view written;
  if (object[key].get(written) == simdjson::SUCCESS) value = integer(written).value_or(-1);
  if (object[key].get(value) != simdjson::SUCCESS && written.empty()) return -1;
  const bool is_small = value >= 0 && value <= std::numeric_limits<std::int32_t>::max();
  return is_small ? static_cast<std::int32_t>(value) : -1;
}

// 13000 -> "13.0", as the CUDA versions are coded.
std::string cuda_version(std::int64_t code) {
  return fmt::format("{}.{}", code / 1000, code % 1000 / 10);
}

Device device_from(const element& object) {
  return {.index = number<std::uint32_t>(object, "id"),
          .name = text(object, "name"),
          .memory_bytes = number<std::uint64_t>(object, "totalGlobalMem"),
          .multiprocessors = number<std::uint32_t>(object, "numSms"),
          .compute_major = number<std::uint32_t>(object, "computeMajor"),
          .compute_minor = number<std::uint32_t>(object, "computeMinor"),
          .uuid = text(object, "uuid")};
}

}  // namespace

void DocumentFacts::add(std::string_view key, const JsonValue& value) {
  std::string scratch;
  const std::string_view content = decoded(value, scratch);
  const std::optional<std::int64_t> whole = integer(content);
  if (key == "baseTimeNanoseconds") {
    const bool sane = whole && *whole >= 0 && *whole < kLatestTime;
    base_ns_ = sane ? *whole : 0;
    if (!sane) ++unreadable_;
  } else if (key == "deviceProperties") {
    add_devices(value.text);
  } else if (key == "distributedInfo") {
    add_distributed(value.text);
  } else if (key == "cuda_runtime_version" || key == "cuda_driver_version") {
    if (whole) facts_[std::string(key.substr(0, key.rfind('_')))] = cuda_version(*whole);
  } else if (key == "cupti_version") {
    facts_["cupti"] = content;
  } else if (content.size() <= kLongestFact) {
    facts_["kineto." + repaired_utf8(key)] = repaired_utf8(content);
  }
}

void DocumentFacts::add_devices(std::string_view json) {
  simdjson::dom::parser parser;
  simdjson::dom::array list;
  if (parser.parse(json.data(), json.size()).get(list) != simdjson::SUCCESS) {
    ++unreadable_;
    return;
  }
  for (const element& device : list) devices_.push_back(device_from(device));
}

void DocumentFacts::add_distributed(std::string_view json) {
  simdjson::dom::parser parser;
  element info;
  if (parser.parse(json.data(), json.size()).get(info) != simdjson::SUCCESS || !info.is_object()) {
    ++unreadable_;
    return;
  }
  rank_ = small_number(info, "rank");
  world_size_ = small_number(info, "world_size");
  if (rank_ >= 0 && world_size_ > 0 && rank_ >= world_size_) {
    contradiction_ = fmt::format(
        "the file says rank {} of {} ranks, which cannot be: its rank is taken as unknown", rank_,
        world_size_);
    rank_ = -1;
  }
  for (const char* key : {"backend", "nccl_version"}) {
    if (const std::string found = text(info, key); !found.empty())
      facts_[std::string("distributed.") + key] = found;
  }
}

void DocumentFacts::apply(TraceData& data, ProcessId process) const {
  Process& main = data.processes[process];
  main.rank = rank_;
  main.world_size = world_size_;
  if (!contradiction_.empty()) data.health.notes.push_back(contradiction_);
  main.facts.insert(facts_.begin(), facts_.end());
  data.devices = devices_;
  std::set<std::uint32_t> known;
  for (const Device& device : data.devices) known.insert(device.index);
  std::map<std::uint32_t, ProcessId> users;  // the process of a device's first stream
  for (const Stream& stream : data.streams) {
    users.emplace(stream.device, stream.process);
    if (known.insert(stream.device).second) data.devices.push_back({.index = stream.device});
  }
  for (Device& device : data.devices) {
    const auto user = users.find(device.index);
    device.process = user == users.end() ? process : user->second;
  }
}

}  // namespace stepscope::kineto
