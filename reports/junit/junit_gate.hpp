// SPDX-License-Identifier: Apache-2.0
// A gate's verdict as JUnit XML, which GitLab, Jenkins and others show: one test case a metric, and
// one for whether the runs can be compared.
//
// A regression is a <failure>; what is inconclusive an <error>, or <skipped> where the user lets it
// pass; what is not judged <skipped>. The form is that of Ant's and Maven's reports: testsuites >
// testsuite > testcase, counts as attributes, times in seconds (0: nothing was run here).
#pragma once

#include <string>

#include "core/gate/verdict.hpp"

namespace stepscope {

std::string junit_gate(const GateVerdict& verdict, bool inconclusive_passes = false);

}  // namespace stepscope
