// SPDX-License-Identifier: Apache-2.0
#include "core/report/read_parts.hpp"

#include <algorithm>
#include <mutex>
#include <numeric>

#include "core/support/memory_limit.hpp"
#include "core/support/side_by_side.hpp"

namespace stepscope {
namespace {

Result<job::JobPart> read_events(const JobTraces& traces, std::size_t part,
                                 const JobOptions& options) {
  job::JobPart out;
  const Status read =
      traces.use(part, [&](const Trace& trace) { out = job::read_part(trace, options); });
  if (!read) return read.error();
  return out;
}

class PartsReader {
 public:
  PartsReader(const JobTraces& traces, const JobOptions& options, const Progress& progress,
              const JobReaders* readers)
      : traces_(traces),
        options_(options),
        progress_(progress),
        readers_(readers),
        parts_(traces.size()) {}

  PartsOfJob read() {
    std::vector<std::size_t> rest(traces_.size());
    std::iota(rest.begin(), rest.end(), 0);
    for (const std::vector<std::size_t>& some : {std::vector<std::size_t>{0}, rest}) {
      read_summaries(some);
      if (readers_ && some.size() > 1) read_among_all();
      unread_ = read_here(missing_of(some));
      if (parts_[0] && parts_[0]->ranks.empty()) parts_.resize(1);
      if (parts_.size() == 1) break;
    }
    PartsOfJob out{.parts = std::move(parts_), .unread = std::move(unread_)};
    for (std::string& why : unused_)
      if (!why.empty()) out.unused_summaries.push_back(std::move(why));
    return out;
  }

 private:
  std::vector<std::size_t> missing_of(const std::vector<std::size_t>& some) const {
    std::vector<std::size_t> out;
    std::copy_if(some.begin(), some.end(), std::back_inserter(out),
                 [this](std::size_t part) { return !parts_[part]; });
    return out;
  }

  void tell_progress() {
    const std::scoped_lock hold(telling_);
    report_progress(progress_, ++done_, traces_.size());
  }

  // Summaries are small, so this process reads all of them.
  void read_summaries(const std::vector<std::size_t>& some) {
    if (!options_.is_usual()) return;
    unused_.resize(traces_.size());
    const std::vector<std::size_t> which = missing_of(some);
    for_each_side_by_side(which.size(), usable_cores(), [&](std::size_t i) {
      auto summary = traces_.summary(which[i]);
      if (!summary) unused_[which[i]] = summary.error().message;
      if (!summary || !*summary) return;
      parts_[which[i]] = std::move(**summary);
      tell_progress();
    });
  }

  // What failed is read again by read_here(), in order.
  void read_among_all() {
    std::vector<std::size_t> all(traces_.size()), own;
    std::iota(all.begin(), all.end(), 0);
    const std::vector<std::size_t> missing = missing_of(all);
    readers_->begin(traces_, missing);
    for (std::size_t i = 0; i < missing.size(); i += readers_->size()) own.push_back(missing[i]);
    (void)read_here(own);
    for (std::size_t p = 1; p < readers_->size(); ++p)
      for (auto& [part, read] : readers_->parts_of(p))
        if (part < parts_.size()) parts_[part] = std::move(read);
  }

  // Returns the errors.
  std::vector<Error> read_here(const std::vector<std::size_t>& which) {
    auto read = read_parts(traces_, which, options_, [this] { tell_progress(); });
    std::vector<Error> failed;
    for (std::size_t i = 0; i < which.size(); ++i) {
      if (read[i])
        parts_[which[i]] = std::move(*read[i]);
      else
        failed.push_back(read[i].error());
    }
    return failed;
  }

  const JobTraces& traces_;
  const JobOptions& options_;
  const Progress& progress_;
  const JobReaders* readers_;
  std::vector<std::optional<job::JobPart>> parts_;  // nothing: not read yet
  std::vector<Error> unread_;
  std::vector<std::string> unused_;  // by part, why its summary is not used
  std::mutex telling_;
  std::uint64_t done_ = 0;
};

}  // namespace

std::size_t parts_at_once(const JobTraces& traces, const std::vector<std::size_t>& parts) {
  std::uint64_t largest = 1;
  for (const std::size_t part : parts) largest = std::max(largest, traces.bytes_to_read(part));
  const std::uint64_t fit = std::max<std::uint64_t>(1, memory_left_bytes() / 2 / largest);
  return std::min<std::uint64_t>(fit, usable_cores());
}

std::vector<Result<job::JobPart>> read_parts(const JobTraces& traces,
                                             const std::vector<std::size_t>& parts,
                                             const JobOptions& options,
                                             const std::function<void()>& done) {
  std::vector<Result<job::JobPart>> out(parts.size(), bad_input("not read"));
  for_each_side_by_side(parts.size(), parts_at_once(traces, parts), [&](std::size_t i) {
    out[i] = read_events(traces, parts[i], options);
    if (done) done();
  });
  return out;
}

PartsOfJob read_job_parts(const JobTraces& traces, const JobOptions& options,
                          const Progress& progress, const JobReaders* readers) {
  return PartsReader(traces, options, progress, readers).read();
}

}  // namespace stepscope
