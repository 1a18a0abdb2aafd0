// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/comm/links.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>

#include "reference_trainers/comm/comm.hpp"
#include "tests/reference_trainers/comm/in_process_ranks.hpp"

namespace stepscope::trainers {
namespace {

constexpr std::chrono::seconds kPatience{60};
constexpr Call kCall{Call::Kind::barrier, 7};

std::string failure_of(Links& links, int from) {
  try {
    links.receive(from, kCall, nullptr, 0);
  } catch (const RankFailure& failure) {
    return failure.what();
  }
  return "nothing failed";
}

// A stranger connects as rank 1 and sends this as a header.
std::string failure_after(std::uint32_t meaning, std::uint64_t bytes) {
  struct {
    std::uint32_t meaning;
    Call call{Call::Kind::barrier};
    std::uint64_t bytes;
  } const header{meaning, kCall, bytes};
  std::array<int, 2> pair{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) != 0) return "no sockets";
  Links links(0, {pair[0]}, kPatience);
  const bool sent = write(pair[1], &header, sizeof header) == sizeof header;
  close(pair[1]);
  return sent ? failure_of(links, 1) : "not sent";
}

TEST(Links, TheLengthOfAReasonIsNotTrusted) {
  constexpr std::uint32_t kData = 0x73746570;
  EXPECT_EQ(failure_after(kData + 1, std::uint64_t{1} << 62U), "rank 1 sent what no rank sends");
  EXPECT_EQ(failure_after(kData + 9, 0), "rank 1 sent what no rank sends");
  EXPECT_EQ(failure_after(kData + 1, 0), "");
  EXPECT_EQ(failure_after(kData + 1, 5), "rank 1 ended before the run was done");
}

TEST(Links, AReasonThatIsVeryLongIsToldInPart) {
  const auto links = connected_links(2, kPatience);
  links[1]->fail(std::string(std::size_t{8} << 20U, 'x'));
  const std::string told = failure_of(*links[0], 1);
  EXPECT_GT(told.size(), 1000U);
  EXPECT_EQ(told.find_first_not_of('x'), std::string::npos) << told.substr(0, 80);
}

}  // namespace
}  // namespace stepscope::trainers
