// SPDX-License-Identifier: Apache-2.0
#include "core/summary/job/job_rows.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "core/summary/rows/by_time.hpp"
#include "core/summary/rows/operation_rows.hpp"

namespace stepscope::job {
namespace {

using CellKey = std::tuple<Cause, std::string, std::string, std::uint32_t, Direction, std::string>;

CellKey key_of(const CellRow& c) {
  return {c.cause, c.phase_path, c.file, c.line, c.direction, c.operation};
}

template <class Key, class Row>
std::vector<Row> rows_of(std::map<Key, Row> table) {
  std::vector<Row> out;
  for (auto& [key, row] : table) out.push_back(std::move(row));
  return out;
}

template <class Key, class Row>
std::vector<Row> rows_by_time(std::map<Key, Row> table) {
  std::vector<Row> out = rows_of(std::move(table));
  sort_by_time(out);
  return out;
}

// Sorts outer phases by their time, each followed by its inner ones, as in the report of one process.
void sort_phases(std::vector<PhaseRow>& rows) {
  std::map<std::string, std::int64_t> time;
  for (const PhaseRow& row : rows) time[row.path] = row.wall_ns_total;
  // The negated time and the path of each phase around the row, and of the row itself.
  const auto key = [&time](const PhaseRow& row) {
    std::vector<std::pair<std::int64_t, std::string>> out;
    for (std::size_t end = 0; end != std::string::npos;) {
      end = row.path.find('/', end == 0 ? 0 : end + 1);
      const std::string around = row.path.substr(0, end);
      out.emplace_back(-time[around], around);
    }
    return out;
  };
  std::vector<std::pair<decltype(key(rows.front())), PhaseRow>> keyed;
  for (PhaseRow& row : rows) keyed.emplace_back(key(row), std::move(row));
  std::stable_sort(keyed.begin(), keyed.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = std::move(keyed[i].second);
}

bool is_inside(const std::string& path, const std::string& phase) {
  return path == phase || path.starts_with(phase + "/");
}

// In how many of the job's steps a phase runs, on whatever rank. A step in which it takes less than a
// tenth of its longest time holds the end of the step's before.
class PhaseSteps {
 public:
  PhaseSteps(const Owners& owners, const Ledger& ledger) : owners_(owners), times_(owners.size()) {
    for (const JobCell& cell : ledger.cells) {
      std::vector<StepTime>& times = times_[cell.owner];
      if (times.empty() || times.back().step != cell.step) times.push_back({cell.step, 0});
      times.back().ns += cell.ns;
    }
  }

  std::uint64_t count(const std::string& phase) const {
    std::map<std::uint32_t, std::int64_t> steps;
    for (std::uint32_t owner = 0; owner < times_.size(); ++owner) {
      if (!is_inside(owners_[owner].phase_path, phase)) continue;
      for (const StepTime& time : times_[owner]) steps[time.step] += time.ns;
    }
    std::int64_t longest = 0;
    for (const auto& [step, ns] : steps) longest = std::max(longest, ns);
    return static_cast<std::uint64_t>(
        std::ranges::count_if(steps, [&](const auto& one) { return 10 * one.second >= longest; }));
  }

 private:
  struct StepTime {
    std::uint32_t step = 0;
    std::int64_t ns = 0;
  };
  const Owners& owners_;
  std::vector<std::vector<StepTime>> times_;  // by owner, in order of steps
};

}  // namespace

std::vector<CellRow> cells_of(const Owners& owners, const Ledger& ledger,
                              const std::vector<Summary>& summaries) {
  std::map<CellKey, CellRow> table;
  for (const JobCell& cell : ledger.cells) {
    const Owner& o = owners[cell.owner];
    CellRow row{.cause = o.cause,
                .phase = o.phase,
                .phase_path = o.phase_path,
                .file = o.file,
                .line = o.line,
                .function = o.function,
                .operation = o.operation,
                .direction = o.direction};
    const auto [at, is_new] = table.try_emplace(key_of(row), row);
    at->second.ns_total += cell.ns;
    if (o.function < at->second.function) at->second.function = o.function;
  }
  for (const Summary& summary : summaries) {
    for (const CellRow& cell : summary.cells) {
      const auto at = cell.device ? table.end() : table.find(key_of(cell));
      if (at != table.end()) at->second.calls_total += cell.calls_total;
    }
  }
  return rows_of(std::move(table));
}

std::vector<LineRow> lines_of(const std::vector<CellRow>& cells,
                              const std::vector<Summary>& summaries) {
  using Key = std::tuple<std::string, std::uint32_t, Cause, Direction>;
  std::map<Key, LineRow> table;
  for (const CellRow& c : cells) {
    if (c.file.empty()) continue;
    LineRow& row = table[{c.file, c.line, c.cause, c.direction}];
    row.file = c.file;
    row.line = c.line;
    row.cause = c.cause;
    row.direction = c.direction;
    row.function = c.function;
    row.ns_total += c.ns_total;
  }
  for (const Summary& summary : summaries) {
    for (const LineRow& line : summary.lines) {
      const auto at = table.find({line.file, line.line, line.cause, line.direction});
      if (at == table.end()) continue;
      at->second.kind = line.kind;
      at->second.calls_total += line.calls_total;
    }
  }
  return rows_by_time(std::move(table));
}

std::vector<PhaseRow> phases_of(const Owners& owners, const Ledger& ledger,
                                const std::vector<CellRow>& cells,
                                const std::vector<Summary>& summaries) {
  std::vector<PhaseRow> out;
  std::map<std::string, std::size_t> known;
  for (const Summary& summary : summaries) {
    for (const PhaseRow& row : summary.phases) {
      const auto [at, is_new] = known.try_emplace(row.path, out.size());
      if (is_new) {
        out.push_back(row);
        continue;
      }
      PhaseRow& sum = out[at->second];
      sum.gpu_busy_ns_total += row.gpu_busy_ns_total;
      sum.bytes_total += row.bytes_total;
      sum.calls_total += row.calls_total;
    }
  }
  const PhaseSteps steps(owners, ledger);
  for (PhaseRow& row : out) {
    row.wall_ns_total = row.exposed_ns_total = 0;
    const std::uint64_t count = steps.count(row.path);
    row.steps_in = count * summaries.size();
    if (count > 0)
      row.every_steps = static_cast<double>(ledger.steps.size()) / static_cast<double>(count);
  }
  for (const CellRow& cell : cells) {
    for (PhaseRow& row : out) {
      if (!is_inside(cell.phase_path, row.path)) continue;
      row.wall_ns_total += cell.ns_total;
      if (!is_device_compute(cell.cause)) row.exposed_ns_total += cell.ns_total;
    }
  }
  sort_phases(out);
  return out;
}

std::vector<WorkCount> counts_of(const std::vector<Summary>& summaries) {
  std::vector<WorkCount> out;
  for (const Summary& summary : summaries) {
    for (const WorkCount& count : summary.counts) {
      const auto at = std::find_if(out.begin(), out.end(),
                                   [&](const WorkCount& c) { return c.name == count.name; });
      if (at == out.end()) {
        out.push_back(count);
        continue;
      }
      at->total += count.total;
      at->least_a_step = std::min(at->least_a_step, count.least_a_step);
      at->most_a_step = std::max(at->most_a_step, count.most_a_step);
      at->p10_a_step = std::min(at->p10_a_step, count.p10_a_step);
      at->p90_a_step = count.p90_a_step ? std::max(at->p90_a_step, count.p90_a_step) : std::nullopt;
      if (at->in_recording && count.in_recording) *at->in_recording += *count.in_recording;
      for (const CountPlace& place : count.places) {
        const auto same = std::find_if(at->places.begin(), at->places.end(), [&](auto& p) {
          CountPlace other = p;
          other.total = place.total;
          return other == place;
        });
        if (same == at->places.end()) {
          at->places.push_back(place);
        } else {
          same->total += place.total;
        }
      }
    }
  }
  return out;
}

std::vector<KernelRow> kernels_of(const std::vector<Summary>& summaries) {
  std::map<std::tuple<std::string, std::string, Cause>, KernelRow> table;
  for (const Summary& summary : summaries) {
    for (const KernelRow& row : summary.kernels) {
      const auto [at, is_new] = table.try_emplace({row.name, row.phase, row.cause}, row);
      if (!is_new) add_kernel_row(at->second, row);
    }
  }
  return rows_by_time(std::move(table));
}

std::vector<TransferRow> transfers_of(const std::vector<Summary>& summaries) {
  std::map<std::tuple<std::string, std::uint64_t, std::string, std::string>, TransferRow> table;
  for (const Summary& summary : summaries) {
    for (const TransferRow& row : summary.transfers) {
      const auto [at, is_new] =
          table.try_emplace({row.operation, row.communicator, row.reduce, row.phase}, row);
      if (is_new) continue;
      TransferRow& sum = at->second;
      sum.calls_total += row.calls_total;
      sum.bytes_total += row.bytes_total;
      sum.ns_total += row.ns_total;
      sum.late_ns_total += row.late_ns_total;
      if (row.latest_rank_ns_total > sum.latest_rank_ns_total) {
        sum.latest_rank = row.latest_rank;
        sum.latest_rank_ns_total = row.latest_rank_ns_total;
      }
    }
  }
  return rows_by_time(std::move(table));
}

}  // namespace stepscope::job
