// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <exception>
#include <string>

#include "reference_trainers/clt/data/write_data.hpp"
#include "reference_trainers/clt/options.hpp"
#include "reference_trainers/clt/run.hpp"
#include "reference_trainers/comm/local_ranks.hpp"
#include "reference_trainers/comm/rank_place.hpp"
#include "reference_trainers/common/first_line.hpp"

namespace {

constexpr int kFailed = 1, kUsage = 2;

int fail(int status, const std::string& message) {
  std::fprintf(stderr, "train_clt: error: %s\n", message.c_str());
  return status;
}

int train(int count, char** arguments) {
  using namespace stepscope;
  const auto request = clt::parse({arguments + 1, static_cast<std::size_t>(count - 1)});
  if (!request) return fail(kUsage, request.error().message);
  if (request->help) return std::fputs(request->help->c_str(), stdout) < 0 ? kFailed : 0;

  const auto say = [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); };
  if (!request->config.write_data.empty()) {
    const auto written = clt::write_data(request->config, say);
    return written ? 0 : fail(kFailed, written.error().message);
  }
  if (trainers::starts_ranks(request->config.nproc)) {
    const auto status = trainers::run_local_ranks(request->config.nproc, arguments, say);
    return status ? *status : fail(kFailed, status.error().message);
  }
  const auto result = clt::run(request->config, say);
  if (!result) return fail(kFailed, result.error().message);
  if (result->rank != 0) return 0;
  return std::printf("%s\n", clt::to_json(request->config, *result).c_str()) < 0 ? kFailed : 0;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    return train(count, arguments);
  } catch (
      const std::exception& error) {  // LibTorch throws where memory runs out or a device fails
    return fail(kFailed, stepscope::trainers::first_line(error));
  }
}
