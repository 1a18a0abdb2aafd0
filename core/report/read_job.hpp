// SPDX-License-Identifier: Apache-2.0
// The report of a run of several ranks: each rank is read with its own steps and its own exact
// partition, and only what the job's ledger needs is kept of it. Ranks of different files are read
// side by side on the cores that there are; the result does not depend on how many.
//
// A rank that reduced itself when it ended (core/summary/job/rank_summary.hpp) is read from its
// summary. The result is the same, and its events are read only where the findings need them.
//
// Ranks that are missing, cut off, doubled or without steps are named, and the rest is reported;
// where ranks are missing nobody is blamed for coming late.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/model/trace.hpp"
#include "core/summary/job/read_part.hpp"
#include "core/support/progress.hpp"
#include "core/support/result.hpp"

namespace stepscope {

// Where the ranks of a job were recorded, in parts that are read one by one, so that the whole job
// need not be in memory. A part holds one rank or several.
class JobTraces {
 public:
  virtual ~JobTraces() = default;
  virtual std::size_t size() const = 0;
  virtual std::string name(std::size_t part) const = 0;
  // The paths that another process makes the same parts of; none where that cannot be.
  virtual std::vector<std::string> paths() const { return {}; }
  // About what reading the part comes to hold at most.
  virtual std::uint64_t bytes_to_read(std::size_t part) const = 0;
  // What could not be looked at, a sentence each.
  virtual std::vector<std::string> problems() const { return {}; }
  // Hands the part's trace over, from any thread. Errors: those of load().
  virtual Status use(std::size_t part, const std::function<void(const Trace&)>& user) const = 0;
  // What its rank reduced itself to when it ended; nothing where it did not. An error says why what is
  // there is not valid.
  virtual Result<std::optional<job::JobPart>> summary(std::size_t /*part*/) const {
    return std::optional<job::JobPart>();
  }
};

// Other processes that read parts of the same job (mpirun).
class JobReaders {
 public:
  virtual ~JobReaders() = default;
  // How many processes read, this one included.
  virtual std::size_t size() const = 0;
  // Lets each other process begin to read its parts: process p those with p = part modulo size().
  virtual void begin(const JobTraces& traces) const = 0;
  // Returns the parts that process p has read. A part that it could not read is left out.
  virtual std::vector<std::pair<std::size_t, job::JobPart>> parts_of(std::size_t p) const = 0;
};

// Nothing where fewer than two ranks have steps: then it is one rank's report, and `why_not` says
// why, if the trace is of a job.
std::optional<Summary> read_job(const Trace& trace, const JobOptions& options,
                                std::string& why_not);

// The same of several parts. Nothing also where two parts hold the same rank. Errors: those of
// load(), for any of the parts. `readers`: those that read beside this process, or null.
Result<std::optional<Summary>> read_job(const JobTraces& traces, const JobOptions& options,
                                        const Progress& progress, std::string& why_not,
                                        const JobReaders* readers = nullptr);

// One part, from its summary where that is valid.
Result<job::JobPart> read_part(const JobTraces& traces, std::size_t part,
                               const JobOptions& options);
// As many parts at once as there are cores, within half of the memory that is left.
std::size_t parts_at_once(const JobTraces& traces, const std::vector<std::size_t>& parts);
// Reads these parts side by side. `done` is called behind each, from one thread at a time.
std::vector<Result<job::JobPart>> read_parts(const JobTraces& traces,
                                             const std::vector<std::size_t>& parts,
                                             const JobOptions& options,
                                             const std::function<void()>& done = {});

}  // namespace stepscope
