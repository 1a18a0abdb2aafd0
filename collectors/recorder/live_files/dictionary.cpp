// SPDX-License-Identifier: Apache-2.0
#include "collectors/recorder/live_files/dictionary.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <mutex>

#include "collectors/recorder/live_files/liveness.hpp"
#include "collectors/recorder/live_files/numbered_name.hpp"

namespace stepscope::recorder {
namespace {

static_assert(kMaxNames == 1U << RangeName::kIdBits);

constexpr std::uint32_t kNameSlots = kMaxNames * 2;
constexpr std::uint32_t kSiteSlots = kMaxSites * 2;
constexpr std::size_t kBlock = 1U << 16U;
constexpr int kNames = 0, kSites = 1, kLog = 2, kText = 3;

std::uint64_t mix(std::uint64_t h) noexcept {
  h *= 0x9e3779b97f4a7c15ULL;
  return h ^ (h >> 29U);
}

std::uint32_t hash_text(std::string_view text) noexcept {
  std::uint64_t h = text.size();
  while (text.size() >= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data(), 8);
    h = mix(h ^ word);
    text.remove_prefix(8);
  }
  std::uint64_t rest = 0;
  std::memcpy(&rest, text.data(), text.size());
  return static_cast<std::uint32_t>(mix(h ^ rest) >> 32U);
}

template <class T>
T* private_table(std::size_t count) noexcept {
  void* at = mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return at == MAP_FAILED ? nullptr : static_cast<T*>(at);
}

}  // namespace

void SpinLock::lock() noexcept {
  while (flag_.test_and_set(std::memory_order_acquire)) sched_yield();
}

std::string_view SessionView::name(NameId id) const {
  const NameEntry entry = table<NameEntry>(kNamesOffset)[id];
  return {table<char>(kTextOffset) + entry.offset, entry.length};
}

std::string_view SessionView::known_name(std::uint32_t id) const {
  if (id >= header().names.load(std::memory_order_acquire)) return {};
  const NameEntry entry = table<NameEntry>(kNamesOffset)[id];
  const std::uint32_t used = header().text_bytes.load(std::memory_order_acquire);
  if (std::uint64_t{entry.offset} + entry.length > used) return {};
  return {table<char>(kTextOffset) + entry.offset, entry.length};
}

SiteEntry SessionView::known_site(std::uint32_t id) const {
  return id < header().sites.load(std::memory_order_acquire) ? site(id) : SiteEntry{};
}

bool Dictionary::open() noexcept {
  auto* base = private_table<std::byte>(kSessionBytes);
  name_slots_ = private_table<std::atomic<std::uint64_t>>(kNameSlots);
  site_slots_ = private_table<std::atomic<std::uint32_t>>(kSiteSlots);
  if (base == nullptr || name_slots_ == nullptr || site_slots_ == nullptr) return false;
  view_ = SessionView(base);
  view_.header().magic = SessionHeader::kMagic;
  const std::scoped_lock hold(lock_);
  append_name("");
  append_name("(too many names)");
  view_.header().sites.store(1, std::memory_order_release);
  return true;
}

NameId Dictionary::find_name(std::string_view text, std::uint32_t hash) const noexcept {
  for (std::uint32_t at = hash % kNameSlots;; at = (at + 1) % kNameSlots) {
    const std::uint64_t slot = name_slots_[at].load(std::memory_order_acquire);
    if (slot == 0) return 0;
    const auto id = static_cast<NameId>(slot) - 1;
    if (static_cast<std::uint32_t>(slot >> 32U) == hash && view_.name(id) == text) return id;
  }
}

NameId Dictionary::name(std::string_view text) noexcept {
  if (text.empty()) return 0;
  const std::uint32_t hash = hash_text(text);
  const NameId known = find_name(text, hash);
  return known != 0 ? known : insert_name(text, hash);
}

RangeName Dictionary::range_name(std::string_view text) noexcept {
  if (text.empty()) return 0;
  const std::uint32_t hash = hash_text(text);
  if (const NameId known = find_name(text, hash); known != 0) return known;
  const NumberedName numbered = take_numbers(text);
  if (!numbered.numbered || !is_one_of_many(numbered.pattern.view()))
    return insert_name(text, hash);
  const NameId pattern = name(numbered.pattern.view());
  return pattern == kTooManyNames ? pattern : RangeName(pattern, numbered.numbers);
}

bool Dictionary::is_one_of_many(std::string_view pattern) noexcept {
  if (view_.header().names.load(std::memory_order_relaxed) >= kMaxNames / 4 * 3) return true;
  std::atomic<std::uint16_t>& count =
      names_of_pattern_[hash_text(pattern) % std::size(names_of_pattern_)];
  if (count.load(std::memory_order_relaxed) >= kNamesOfAPattern) return true;
  count.fetch_add(1, std::memory_order_relaxed);
  return false;
}

NameId Dictionary::insert_name(std::string_view text, std::uint32_t hash) noexcept {
  const std::scoped_lock hold(lock_);
  std::uint32_t at = hash % kNameSlots;
  for (std::uint64_t slot; (slot = name_slots_[at].load(std::memory_order_relaxed)) != 0;
       at = (at + 1) % kNameSlots) {
    const auto id = static_cast<NameId>(slot) - 1;
    if (static_cast<std::uint32_t>(slot >> 32U) == hash && view_.name(id) == text) return id;
  }
  const NameId id = append_name(text);
  if (id != kTooManyNames) {
    name_slots_[at].store((std::uint64_t{hash} << 32U) | (id + 1), std::memory_order_release);
  }
  return id;
}

// Appends a name, with the lock held. The text gets a zero byte, so that it can be compared as a C
// string.
NameId Dictionary::append_name(std::string_view text) noexcept {
  SessionHeader& header = view_.header();
  const std::uint32_t id = header.names.load(std::memory_order_relaxed);
  const std::size_t at = header.text_bytes.load(std::memory_order_relaxed);
  if (id >= kMaxNames || at + text.size() + 1 > kMaxText) return kTooManyNames;
  if (!reserve(kText, at + text.size() + 1) || !reserve(kNames, (id + 1) * sizeof(NameEntry))) {
    return kTooManyNames;
  }
  char* to = view_.table<char>(kTextOffset) + at;
  std::memcpy(to, text.data(), text.size());
  to[text.size()] = '\0';
  view_.table<NameEntry>(kNamesOffset)[id] = {static_cast<std::uint32_t>(at),
                                              static_cast<std::uint32_t>(text.size())};
  header.text_bytes.store(static_cast<std::uint32_t>(at + text.size() + 1),
                          std::memory_order_release);
  header.names.store(id + 1, std::memory_order_release);
  return id;
}

SiteRef Dictionary::site(NameId file, std::uint32_t line, NameId function) noexcept {
  const SiteEntry wanted{file, line, function, 0};
  const auto same = [&](SiteRef id) {
    const SiteEntry known = view_.site(id);
    return known.file == file && known.line == line && known.function == function;
  };
  const std::uint64_t key = mix(mix(file) ^ line) ^ function;
  auto at = static_cast<std::uint32_t>(mix(key) >> 32U) % kSiteSlots;
  for (std::uint32_t slot; (slot = site_slots_[at].load(std::memory_order_acquire)) != 0;
       at = (at + 1) % kSiteSlots) {
    if (same(slot - 1)) return slot - 1;
  }
  const std::scoped_lock hold(lock_);
  for (std::uint32_t slot; (slot = site_slots_[at].load(std::memory_order_relaxed)) != 0;
       at = (at + 1) % kSiteSlots) {
    if (same(slot - 1)) return slot - 1;
  }
  SessionHeader& header = view_.header();
  const std::uint32_t id = header.sites.load(std::memory_order_relaxed);
  if (id >= kMaxSites || !reserve(kSites, (id + 1) * sizeof(SiteEntry))) return 0;
  view_.table<SiteEntry>(kSitesOffset)[id] = wanted;
  header.sites.store(id + 1, std::memory_order_release);
  site_slots_[at].store(id + 1, std::memory_order_release);
  return id;
}

void Dictionary::log(const LogEntry& entry) noexcept {
  const std::scoped_lock hold(lock_);
  SessionHeader& header = view_.header();
  const std::uint32_t row = header.log_entries.load(std::memory_order_relaxed);
  if (row >= kMaxLog || !reserve(kLog, (row + 1) * sizeof(LogEntry))) return;
  view_.table<LogEntry>(kLogOffset)[row] = entry;
  header.log_entries.store(row + 1, std::memory_order_release);
}

void Dictionary::add_collected(std::uint32_t bits) noexcept {
  const std::scoped_lock hold(lock_);
  view_.header().collected.fetch_or(bits);
}

// Blocks behind [0, end) of a region, once it is a file's.
bool Dictionary::reserve(std::size_t region, std::size_t end) noexcept {
  Region& r = regions_[region];
  if (path_[0] == '\0' || end <= r.backed) return true;
  const std::size_t more = (end - r.backed + kBlock - 1) / kBlock * kBlock;
  const int fd = ::open(path_, O_RDWR | O_CLOEXEC);
  const bool good = fd >= 0 && allocate_blocks(fd, r.offset + r.backed, more);
  if (fd >= 0) close(fd);
  if (!good) return false;
  r.backed += more;
  return true;
}

bool Dictionary::share(const char* path) noexcept {
  const std::scoped_lock hold(lock_);
  const SessionHeader& header = view_.header();
  const std::size_t used[4] = {header.names * sizeof(NameEntry), header.sites * sizeof(SiteEntry),
                               header.log_entries * sizeof(LogEntry), header.text_bytes};
  if (!may_be_as_large(kSessionBytes)) return false;
  const int fd = create_backed_file(path, kNamesOffset, kNamesOffset);
  if (fd < 0) return false;
  lock_session(fd);
  bool good = std::strlen(path) < sizeof(path_) &&
              pwrite(fd, view_.base(), sizeof(SessionHeader), 0) == sizeof(SessionHeader);
  for (std::size_t i = 0; i < 4 && good; ++i) {
    regions_[i].backed = std::max(kBlock, (used[i] + kBlock - 1) / kBlock * kBlock);
    good = allocate_blocks(fd, regions_[i].offset, regions_[i].backed) &&
           pwrite(fd, view_.base() + regions_[i].offset, used[i],
                  static_cast<off_t>(regions_[i].offset)) == static_cast<ssize_t>(used[i]);
  }
  // Others take a file of this size for a whole one.
  good = good && ftruncate(fd, static_cast<off_t>(kSessionBytes)) == 0 &&
         map_shared(fd, kSessionBytes, view_.base()) != nullptr;
  close(fd);
  if (good) {
    std::strcpy(path_, path);
    view_.header().mapping_holds_lock.store(mapping_holds_lock(path) ? 1 : 0);
  } else {
    unlink(path);
  }
  return good;
}

// The parent may go on appending, so only what was counted at the fork is taken; the child's
// look-up tables are private copies of that moment.
bool Dictionary::unshare() noexcept {
  if (path_[0] == '\0') return true;
  path_[0] = '\0';
  auto* copy = private_table<std::byte>(kSessionBytes);
  if (copy == nullptr) return false;
  const SessionHeader& header = view_.header();
  std::memcpy(copy, view_.base(), sizeof(SessionHeader));
  std::memcpy(copy + kNamesOffset, view_.base() + kNamesOffset, header.names * sizeof(NameEntry));
  std::memcpy(copy + kSitesOffset, view_.base() + kSitesOffset, header.sites * sizeof(SiteEntry));
  std::memcpy(copy + kLogOffset, view_.base() + kLogOffset, header.log_entries * sizeof(LogEntry));
  std::memcpy(copy + kTextOffset, view_.base() + kTextOffset, header.text_bytes);
  return mremap(copy, kSessionBytes, kSessionBytes, MREMAP_MAYMOVE | MREMAP_FIXED, view_.base()) !=
         MAP_FAILED;
}

}  // namespace stepscope::recorder
