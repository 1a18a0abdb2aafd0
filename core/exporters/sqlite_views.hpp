// SPDX-License-Identifier: Apache-2.0
// The views of an SQLite export: the questions that are asked first, ready to select from.
#pragma once

namespace stepscope::exporting {

inline constexpr const char* kSqliteViews = R"sql(
CREATE VIEW counted_steps AS SELECT * FROM steps WHERE counted = 1;
CREATE VIEW partition AS
  SELECT cause, sum(ns) AS ns_total, sum(ns) / (SELECT count(*) FROM counted_steps) AS ns_per_step,
         1.0 * sum(ns) / (SELECT sum(wall_ns) FROM counted_steps) AS share
  FROM cells WHERE device IS NULL AND step IN (SELECT step FROM counted_steps)
  GROUP BY cause ORDER BY ns_total DESC;
CREATE VIEW phase_time AS
  SELECT phase, cause, sum(ns) / (SELECT count(*) FROM counted_steps) AS ns_per_step
  FROM cells WHERE device IS NULL AND step IN (SELECT step FROM counted_steps)
  GROUP BY phase, cause ORDER BY ns_per_step DESC;
CREATE VIEW line_time AS
  SELECT file, line, cause, sum(ns) / (SELECT count(*) FROM counted_steps) AS ns_per_step
  FROM cells WHERE device IS NULL AND file IS NOT NULL AND step IN (SELECT step FROM counted_steps)
  GROUP BY file, line, cause ORDER BY ns_per_step DESC;
CREATE VIEW kernels AS
  SELECT o.device_op, o.name, o.end_ns - o.begin_ns AS ns, o.begin_ns, o.end_ns, s.device, s.number AS stream,
         o.cause, p.name AS phase, r.name AS launched_by, r.end_ns AS launch_end_ns
  FROM device_ops o JOIN streams s ON s.stream = o.stream LEFT JOIN phases p ON p.phase = o.phase
  LEFT JOIN host_ranges r ON r.host_range = o.launched_by WHERE o.kind = 'kernel';
CREATE VIEW kernel_time AS
  SELECT name, count(*) AS calls, sum(end_ns - begin_ns) AS ns, avg(end_ns - begin_ns) AS mean_ns
  FROM device_ops WHERE kind = 'kernel' GROUP BY name ORDER BY ns DESC;
CREATE VIEW copies AS
  SELECT direction, name, count(*) AS calls, sum(bytes) AS bytes, sum(end_ns - begin_ns) AS ns,
         1.0 * sum(bytes) / nullif(sum(end_ns - begin_ns), 0) AS gigabytes_per_second
  FROM device_ops WHERE kind = 'memcpy' GROUP BY direction, name ORDER BY ns DESC;
)sql";

}  // namespace stepscope::exporting
