// SPDX-License-Identifier: Apache-2.0
#include "collectors/recorder/capture/step_marks.hpp"

#include "collectors/recorder/live_files/numbered_name.hpp"

namespace stepscope::recorder {
namespace {

constexpr std::string_view kDigits = "0123456789\x01";
static_assert(kDigits.back() == kNumber);

char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool ends_with_word(std::string_view text, std::string_view word) noexcept {
  if (text.size() < word.size()) return false;
  const std::string_view end = text.substr(text.size() - word.size());
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (lower(end[i]) != word[i]) return false;
  }
  if (text.size() == word.size()) return true;
  const char before = lower(text[text.size() - word.size() - 1]);
  return before < 'a' || before > 'z';
}

std::string_view without_number(std::string_view name) noexcept {
  const std::size_t last = name.find_last_not_of(kDigits);
  return last == std::string_view::npos ? std::string_view() : name.substr(0, last + 1);
}

bool is_numbered_step(std::string_view name) noexcept {
  std::string_view stem = without_number(name);
  if (stem.size() == name.size()) return false;
  const std::size_t last = stem.find_last_not_of(" _#:/-");
  if (last == std::string_view::npos) return false;
  stem = stem.substr(0, last + 1);
  for (const std::string_view word : {"step", "iteration", "iter", "batch"}) {
    if (ends_with_word(stem, word)) return true;
  }
  return false;
}

}  // namespace

bool is_step_mark(std::string_view name) noexcept {
  return name.starts_with("Optimizer.step#") || name.starts_with("ProfilerStep#") ||
         is_numbered_step(name);
}

// FNV-1a; never 0, which is an empty slot.
std::uint64_t mark_key(std::string_view name, std::uint32_t site) noexcept {
  const bool numbered = without_number(name).size() != name.size();
  std::uint64_t key = 0xcbf29ce484222325U ^ site;
  for (const char c : name) {
    if (numbered && kDigits.find(c) != std::string_view::npos) continue;
    key = (key ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  }
  return key | 1U;
}

bool StepCount::add(std::uint64_t key) noexcept {
  for (Slot& slot : slots_) {
    std::uint64_t found = slot.key.load(std::memory_order_relaxed);
    if (found == 0 && slot.key.compare_exchange_strong(found, key)) found = key;
    if (found != key) continue;
    const std::uint64_t count = slot.count.fetch_add(1, std::memory_order_relaxed) + 1;
    std::uint64_t steps = steps_.load(std::memory_order_relaxed);
    while (count > steps) {
      if (steps_.compare_exchange_weak(steps, count)) return true;
    }
    return false;
  }
  return false;
}

void StepCount::reset() noexcept {
  steps_.store(0);
  for (Slot& slot : slots_) {
    slot.key.store(0);
    slot.count.store(0);
  }
}

}  // namespace stepscope::recorder
