// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <exception>
#include <string>

#include "reference_trainers/comm/local_ranks.hpp"
#include "reference_trainers/comm/rank_place.hpp"
#include "reference_trainers/common/first_line.hpp"
#include "reference_trainers/llm/data/corpus.hpp"
#include "reference_trainers/llm/options.hpp"
#include "reference_trainers/llm/run.hpp"

namespace {

constexpr int kFailed = 1, kUsage = 2;

int fail(int status, const std::string& message) {
  std::fprintf(stderr, "train_llm: error: %s\n", message.c_str());
  return status;
}

int print(const std::string& text) {
  return std::fputs(text.c_str(), stdout) < 0 ? kFailed : 0;
}

int train(int count, char** arguments) {
  using namespace stepscope;
  const auto request = llm::parse({arguments + 1, static_cast<std::size_t>(count - 1)});
  if (!request) return fail(kUsage, request.error().message);
  if (request->help) return print(*request->help);
  if (request->describe) return print(llm::describe_json() + "\n");

  const auto say = [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); };
  if (!request->text.text.empty())
    return fail(kFailed, llm::run_text_program(request->text, request->config.write_data).message);
  if (!request->config.write_data.empty()) {
    const auto written = llm::write_made_corpus(request->config, say);
    return written ? 0 : fail(kFailed, written.error().message);
  }
  if (trainers::starts_ranks(request->config.nproc)) {
    const auto status = trainers::run_local_ranks(request->config.nproc, arguments, say);
    return status ? *status : fail(kFailed, status.error().message);
  }
  const auto result = llm::run(request->config, say);
  if (!result)
    return fail(result.error().code == ErrorCode::usage ? kUsage : kFailed, result.error().message);
  if (result->rank != 0) return 0;
  return print(llm::to_json(request->config, *result) + "\n");
}

}  // namespace

int main(int count, char** arguments) {
  try {
    return train(count, arguments);
  } catch (const std::exception& error) {  // LibTorch throws where a device fails
    return fail(kFailed, stepscope::trainers::first_line(error));
  }
}
