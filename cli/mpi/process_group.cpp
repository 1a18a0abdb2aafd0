// SPDX-License-Identifier: Apache-2.0
#include "cli/mpi/process_group.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>

#include "cli/input/job_traces.hpp"
#include "cli/output/failure.hpp"
#include "cli/programs/module_path.hpp"
#include "core/summary/job/packed.hpp"
#include "core/summary/job/rank_summary.hpp"

namespace stepscope {
namespace {

constexpr int kFirst = 0;

int number_in_environment(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? -1 : std::atoi(text);
}

// The variables of mpirun are inherited: a training program's own call of stepscope has them too, and
// must not join the group of its ranks.
bool parent_is_launcher() {
  std::string name;
  std::getline(std::ifstream(fmt::format("/proc/{}/comm", getppid())), name);
  constexpr std::array<std::string_view, 6> kNames = {"mpirun", "mpiexec", "orterun",
                                                      "orted",  "prterun", "prted"};
  return std::any_of(kNames.begin(), kNames.end(),
                     [&](std::string_view launcher) { return name.starts_with(launcher); });
}

// The symbols are global, since Open MPI opens plug-ins of its own that need them.
const MpiCalls* load_calls(std::string& why) {
  const std::string path = module_path(kMpiModule, "mpi");
  void* const module = path.empty() ? nullptr : dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (module == nullptr) {
    why = path.empty() ? fmt::format(
                             "{} is not beside this stepscope, which was built without "
                             "STEPSCOPE_WITH_MPI",
                             kMpiModule)
                       : dlerror();
    return nullptr;
  }
  const auto calls = reinterpret_cast<const MpiCalls* (*)()>(dlsym(module, kMpiCalls));
  return calls == nullptr ? nullptr : calls();
}

std::string_view text_of(const store::ByteSink& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
store::Bytes bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace

std::unique_ptr<ProcessGroup> ProcessGroup::join() {
  if (number_in_environment("OMPI_COMM_WORLD_SIZE") < 2 || !parent_is_launcher()) return nullptr;
  const int process = number_in_environment("OMPI_COMM_WORLD_RANK");
  std::string why;
  const MpiCalls* calls = load_calls(why);
  if (calls == nullptr && process == kFirst)
    say("stepscope report: the first of the processes that mpirun started reads alone: {}\n", why);
  return std::unique_ptr<ProcessGroup>(new ProcessGroup(calls, process));
}

ProcessGroup::ProcessGroup(const MpiCalls* calls, int process) : calls_(calls), process_(process) {
  if (calls_ != nullptr) calls_->start(&process_, &processes_);
}

ProcessGroup::~ProcessGroup() {
  if (calls_ == nullptr) return;
  if (is_first())
    for (int p = 1; p < processes_; ++p) calls_->send(p, "");
  calls_->end();
}

void ProcessGroup::begin(const JobTraces& traces, const std::vector<std::size_t>& parts) const {
  for (std::size_t p = 1; p < size(); ++p) {
    std::vector<std::size_t> share;
    for (std::size_t i = p; i < parts.size(); i += size()) share.push_back(parts[i]);
    job::Packer request;
    request(traces.paths(), traces.size(), share);
    calls_->send(static_cast<int>(p), text_of(request.bytes()));
  }
}

void ProcessGroup::serve(const JobOptions& options) const {
  if (calls_ == nullptr) return;
  for (std::string request = calls_->receive(kFirst); !request.empty();
       request = calls_->receive(kFirst))
    calls_->send(kFirst, read_share(request, options));
}

// Where this machine does not see the same files, the first process reads them.
std::string ProcessGroup::read_share(std::string_view request, const JobOptions& options) const {
  std::vector<std::string> paths;
  std::size_t parts = 0;
  std::vector<std::size_t> share;
  job::Unpacker(bytes_of(request))(paths, parts, share);
  const auto traces = traces_of_job(paths);
  if (traces->size() != parts) share.clear();
  const auto read = read_parts(*traces, share, options);
  store::ByteSink out;
  for (std::size_t i = 0; i < share.size(); ++i) {
    if (!read[i]) continue;
    const std::string packed = job::pack_part(*read[i], job::Packing::fast);
    out.put_varint(share[i]);
    out.put_varint(packed.size());
    out.put_bytes(packed.data(), packed.size());
  }
  return std::string(text_of(out));
}

std::vector<std::pair<std::size_t, job::JobPart>> ProcessGroup::parts_of(std::size_t p) const {
  std::vector<std::pair<std::size_t, job::JobPart>> out;
  const std::string reply = calls_->receive(static_cast<int>(p));
  store::ByteSource in(bytes_of(reply));
  while (in.more()) {
    const auto part = static_cast<std::size_t>(in.varint());
    auto read = job::unpack_part(in.text());
    if (read) out.emplace_back(part, std::move(*read));
  }
  return out;
}

}  // namespace stepscope
