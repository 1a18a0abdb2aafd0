// SPDX-License-Identifier: Apache-2.0
// The ranks of a job, read back from a report's document.
#pragma once

#include "core/summary/document/document_field.hpp"
#include "core/summary/job/job_facts.hpp"

namespace stepscope {

JobFacts read_job(const Field& field);

}  // namespace stepscope
