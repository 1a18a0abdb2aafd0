// SPDX-License-Identifier: Apache-2.0
// A real libcupti says whether the metrics exist on a chip and fit in one pass, which needs no
// device. Left out where there is none.
#include <gtest/gtest.h>

#include "collectors/cupti/library/cupti_library.hpp"
#include "collectors/pm_sampling/device_sampling.hpp"

namespace stepscope::pm {
namespace {

class RealMetrics : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const cupti::FoundLibrary cupti = cupti::find_library();
    if (!cupti.usable) GTEST_SKIP() << cupti.why_not.data();
    const FoundLibrary found = find_library(cupti.path.data());
    if (found.missing != nullptr) GTEST_SKIP() << found.missing;
    library_ = found.functions;
    HostInitialize host;
    host.chip = GetParam();
    if (library_.host_initialize(&host) != kSuccess) GTEST_SKIP() << "no libnvperf_host";
    host_ = host.host;
  }
  void TearDown() override {
    HostDeinitialize host;
    host.host = host_;
    EXPECT_TRUE(host_ == nullptr || library_.host_deinitialize(&host) == kSuccess);
  }

  Library library_{};
  void* host_ = nullptr;
};

TEST_P(RealMetrics, FitInOnePass) {
  AddMetrics metrics;
  metrics.host = host_;
  metrics.metrics = kMetrics.data();
  metrics.count = kMetrics.size();
  ASSERT_EQ(library_.add_metrics(&metrics), kSuccess);
  GetConfigSize size;
  size.host = host_;
  ASSERT_EQ(library_.config_size(&size), kSuccess);
  std::vector<std::uint8_t> image(size.config_bytes);
  GetConfig config;
  config.host = host_;
  config.config_bytes = image.size();
  config.config = image.data();
  ASSERT_EQ(library_.config(&config), kSuccess);
  GetPasses passes;
  passes.config_bytes = image.size();
  passes.config = image.data();
  ASSERT_EQ(library_.passes(&passes), kSuccess);
  EXPECT_EQ(passes.passes, 1U);
}

TEST_P(RealMetrics, AnUnknownOneIsRefused) {
  const char* none = "sm__no_such_metric.avg";
  AddMetrics metrics;
  metrics.host = host_;
  metrics.metrics = &none;
  metrics.count = 1;
  EXPECT_NE(library_.add_metrics(&metrics), kSuccess);
}

INSTANTIATE_TEST_SUITE_P(Chips, RealMetrics,
                         testing::Values("GA100", "GA102", "AD102", "GH100", "GB100"),
                         [](const auto& chip) { return chip.param; });

}  // namespace
}  // namespace stepscope::pm
