// SPDX-License-Identifier: Apache-2.0
#include "collectors/recorder/draining/salvage.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <set>

#include "collectors/recorder/clock.hpp"
#include "collectors/recorder/draining/drain.hpp"
#include "collectors/recorder/live_files/liveness.hpp"
#include "collectors/recorder/live_files/numbered_name.hpp"
#include "collectors/recorder/live_files/ring.hpp"

namespace stepscope::recorder {
namespace {

constexpr std::string_view kSessionSuffix = ".session";

std::vector<std::string> files_of(const std::string& folder) {
  std::vector<std::string> names;
  DIR* dir = opendir(folder.c_str());
  if (dir == nullptr) return names;
  while (const dirent* entry = readdir(dir)) names.emplace_back(entry->d_name);
  closedir(dir);
  std::sort(names.begin(), names.end());
  return names;
}

bool exists(const std::string& path) {
  return access(path.c_str(), F_OK) == 0;
}

// Open as long as this is: a lock on it stays.
class SessionFile {
 public:
  explicit SessionFile(const std::string& path) : fd_(open(path.c_str(), O_RDWR | O_CLOEXEC)) {
    struct stat info {};
    if (fd_ >= 0 && fstat(fd_, &info) == 0 && info.st_size == static_cast<off_t>(kSessionBytes))
      view_ = SessionView(static_cast<std::byte*>(map_shared(fd_, kSessionBytes, nullptr)));
  }
  SessionFile(const SessionFile&) = delete;
  ~SessionFile() {
    if (view_.base() != nullptr) munmap(view_.base(), kSessionBytes);
    if (fd_ >= 0) close(fd_);
  }
  const SessionView& view() const { return view_; }
  int fd() const { return fd_; }

 private:
  int fd_;
  SessionView view_;
};

bool sound(const SessionHeader& header) {
  return header.magic == SessionHeader::kMagic && header.names <= kMaxNames &&
         header.sites <= kMaxSites && header.log_entries <= kMaxLog &&
         header.text_bytes <= kMaxText;
}

// The writer's last pair, unless it died while changing it; and now, unless the ticks began anew
// with the machine.
void add_clocks(TickConverter& clock, StoreWriter& store, const SessionHeader& header) {
  std::vector<ClockPair> pairs{header.first_clock};
  if (header.clock_version % 2 == 0) pairs.push_back(header.last_clock);
  if (header.home.boot == process_home().boot)
    pairs.push_back(sample_clocks(header.ticks_are_ns != 0));
  for (const ClockPair& pair : pairs) (void)clock.add(pair);
  for (const ClockPair& pair : {pairs.front(), pairs.back()}) {
    store.clock({0, pair.realtime_ns, pair.monotonic_raw_ns, pair.ticks, pair.error_ns});
  }
}

class Salvager {
 public:
  Salvager(const std::string& folder, const std::vector<ProcessEnd>& ends, Depth depth)
      : folder_(folder),
        live_(folder + "/live"),
        ends_(ends),
        depth_(depth),
        files_(files_of(live_)) {}

  Salvage run() {
    for (const std::string& file : files_) {
      if (file.size() > kSessionSuffix.size() && file.ends_with(kSessionSuffix)) session(file);
    }
    if (depth_ == Depth::full) {
      for (const std::string& file : files_) {
        if (file.ends_with(kLastSpaceSuffix)) take_last_words(file);
      }
      remove_locks();
      rmdir(live_.c_str());  // where it is empty
    }
    return std::move(result_);
  }

 private:
  void session(const std::string& file) {
    const SessionFile session(live_ + "/" + file);
    const SessionView& view = session.view();
    if (view.base() == nullptr) return;  // gone, or not yet whole
    const std::string stem = file.substr(0, file.size() - kSessionSuffix.size());
    if (!sound(view.header())) {
      result_.problems.push_back(live_ + "/" + file +
                                 " is damaged; its process's last second is lost");
    } else if (is_said_to_run(view.header().pid) ||
               is_running(view.header(), session.fd(), file, depth_)) {
      running_.insert(stem);
      ++result_.running;
      if (exists(folder_ + "/" + stem + ".sst")) result_.recording.push_back(view.header().pid);
    } else if (exists(live_ + "/" + file)) {  // a process that ended well has removed it meanwhile
      empty(view, stem);
    }
  }

  void take_last_words(const std::string& file) {
    if (running_.contains(file.substr(0, file.size() - kLastSpaceSuffix.size()))) return;
    const std::string path = live_ + "/" + file, why = last_words(path);
    if (!why.empty()) result_.problems.push_back(why);
    unlink(path.c_str());
  }

  void remove_locks() const {
    for (const std::string& file : files_) {
      if (running_.empty() && file.ends_with(".lock")) unlink((live_ + "/" + file).c_str());
    }
  }

  bool is_said_to_run(std::int64_t pid) const {
    return std::any_of(ends_.begin(), ends_.end(), [&](const ProcessEnd& end) {
      return end.pid == pid && end.reason == ExitReason::still_running;
    });
  }

  void empty(const SessionView& view, const std::string& stem) {
    const std::string path = folder_ + "/" + stem + ".sst";
    const std::string last = live_ + "/" + stem + std::string(kLastSpaceSuffix);
    if (last_words(last).empty()) unlink(last.c_str());  // the end of the file needs it
    Result<StoreWriter> made = exists(path) ? StoreWriter::append(path) : StoreWriter::create(path);
    if (!made) {
      result_.problems.push_back(made.error().message);
      return;
    }
    StoreWriter& store = *made;
    TickConverter clock(view.header().ticks_are_ns != 0);
    add_clocks(clock, store, view.header());
    Drain drain(view, store, clock);
    const std::uint64_t chunk = view.header().chunk_at.load(std::memory_order_acquire);
    const bool is_written = chunk != 0 && StoreWriter::has_chunk_at(path, chunk);
    std::vector<RingHeader*> rings;
    for (const std::string& file : rings_of(stem)) {
      if (RingHeader* ring = open_ring((live_ + "/" + file).c_str())) rings.push_back(ring);
    }
    for (RingHeader* ring : rings) {
      if (is_written) Drain::take_as_written(*ring);
      drain.take(*ring);
    }
    Status written = drain.flush();
    const ProcessEnd end = end_of(view.header().pid, stem);
    if (written.ok()) written = store.close(end.reason, end.status);
    for (RingHeader* ring : rings) close_ring(ring);
    if (!written.ok()) {
      result_.problems.push_back(written.error().message);
      return;
    }
    ++result_.recovered;
    for (const std::string& file : rings_of(stem)) unlink((live_ + "/" + file).c_str());
    unlink((live_ + "/" + stem + std::string(kSessionSuffix)).c_str());
  }

  std::vector<std::string> rings_of(const std::string& stem) const {
    std::vector<std::string> rings;
    for (const std::string& file : files_) {
      if (file.starts_with(stem + ".") && file.ends_with(".ring")) rings.push_back(file);
    }
    return rings;
  }

  // HOST-PID-NONCE: a later nonce of the same host and pid is the same process after exec.
  ProcessEnd end_of(std::int64_t pid, const std::string& stem) const {
    const std::string same = stem.substr(0, stem.rfind('-') + 1);
    for (const std::string& file : files_of(folder_)) {
      if (file.starts_with(same) && file.ends_with(".sst") &&
          file.substr(0, file.size() - 4) > stem) {
        return {pid, ExitReason::executed, 0};
      }
    }
    for (const ProcessEnd& end : ends_) {
      if (end.pid == pid) return end;
    }
    return {pid, ExitReason::unknown, 0};
  }

  std::string folder_;
  std::string live_;
  const std::vector<ProcessEnd>& ends_;
  Depth depth_;
  std::vector<std::string> files_;
  std::set<std::string> running_;  // sessions, by the stems of their files
  Salvage result_;
};

}  // namespace

Salvage salvage(const std::string& folder, const std::vector<ProcessEnd>& ends, Depth depth) {
  return Salvager(folder, ends, depth).run();
}

}  // namespace stepscope::recorder
