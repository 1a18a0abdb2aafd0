// SPDX-License-Identifier: Apache-2.0
// How many cores a program may use: those that it is allowed to run on, and no more than the quota
// of its control groups, which containers set in place of an affinity (`--cpus 2`). Each group above
// its own limits it, too.
//
// Source: cgroups(7): version 2 has "QUOTA PERIOD" or "max PERIOD" in cpu.max, version 1 has one
// number each in cpu.cfs_quota_us (-1: none) and cpu.cfs_period_us.
#pragma once

#include <optional>
#include <string>

namespace stepscope::launcher {

// Returns the cores that the control groups of this process allow, where they limit it. `groups` is
// the text of /proc/self/cgroup, `mount` the folder /sys/fs/cgroup. In a container a group's path
// may be the host's, which is not there: then the mount's own folder is the group.
std::optional<double> core_quota(const std::string& groups, const std::string& mount);

// Returns the whole cores that this process may use, at least one.
unsigned usable_cores();

}  // namespace stepscope::launcher
