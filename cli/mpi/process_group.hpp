// SPDX-License-Identifier: Apache-2.0
// `mpirun -n N stepscope report JOB`: N processes read the job's ranks, the first one puts the report
// together and alone speaks. The others only ever do what it asks, so that it decides everything and
// the answer is that of one process.
#pragma once

#include <memory>

#include "cli/mpi/mpi_calls.hpp"
#include "core/report/read_job.hpp"

namespace stepscope {

class ProcessGroup final : public JobReaders {
 public:
  // Nothing where this process was not started by an Open MPI launcher with others beside it. A
  // program that runs under mpirun and starts stepscope itself starts it alone.
  static std::unique_ptr<ProcessGroup> join();
  ~ProcessGroup() override;

  bool is_first() const { return process_ == 0; }
  // Reads for the first process until that has ended. Not in the first one.
  void serve(const JobOptions& options) const;

  std::size_t size() const override { return static_cast<std::size_t>(processes_); }
  void begin(const JobTraces& traces, const std::vector<std::size_t>& parts) const override;
  std::vector<std::pair<std::size_t, job::JobPart>> parts_of(std::size_t p) const override;

 private:
  // Without calls: this stepscope has no module, so the first process reads alone.
  ProcessGroup(const MpiCalls* calls, int process);
  std::string read_share(std::string_view request, const JobOptions& options) const;

  const MpiCalls* calls_;
  int process_ = 0;
  int processes_ = 1;
};

}  // namespace stepscope
