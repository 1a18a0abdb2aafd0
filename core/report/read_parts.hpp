// SPDX-License-Identifier: Apache-2.0
// Reads the parts of a job: from what a rank reduced itself to where that is valid, else from its
// events, side by side on the cores that there are and by other processes beside this one. The result
// is that of reading one part after the other, whoever read it.
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
  // What its rank reduced itself to when it ended (core/summary/job/rank_summary.hpp); nothing where
  // it did not. An error says why what is there is not valid.
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
  // Lets each other process begin: process p reads parts[p], parts[p + size()] and so on.
  virtual void begin(const JobTraces& traces, const std::vector<std::size_t>& parts) const = 0;
  // Returns the parts that process p has read. A part that it could not read is left out.
  virtual std::vector<std::pair<std::size_t, job::JobPart>> parts_of(std::size_t p) const = 0;
};

// As many parts at once as there are cores, within half of the memory that is left.
std::size_t parts_at_once(const JobTraces& traces, const std::vector<std::size_t>& parts);

// Reads the events of these parts side by side. `done` is called behind each, from one thread at a
// time.
std::vector<Result<job::JobPart>> read_parts(const JobTraces& traces,
                                             const std::vector<std::size_t>& parts,
                                             const JobOptions& options,
                                             const std::function<void()>& done = {});

struct PartsOfJob {
  // One a part of the traces, nothing for one that cannot be read; the first alone where that names no
  // rank, since then they are no job.
  std::vector<std::optional<job::JobPart>> parts;
  std::vector<Error> unread;                  // why each could not be read, in order
  std::vector<std::string> unused_summaries;  // why each was not read, though it is there
};

// `readers`: those that read beside this process, or null.
PartsOfJob read_job_parts(const JobTraces& traces, const JobOptions& options,
                          const Progress& progress, const JobReaders* readers);

}  // namespace stepscope
