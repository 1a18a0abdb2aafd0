#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Pages of a real trace, opened in headless Chromium. usage: pages_test.sh STEPSCOPE FOLDER
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
mkdir -p "$2"
"$1" report "$root/tests/data/kineto/sync_mask_norms.fixed.json.gz" --format html -o "$2/report.html"
"$1" diff "$root/tests/data/kineto/sync_mask_norms.bad.json.gz" "$root/tests/data/kineto/sync_mask_norms.fixed.json.gz" \
  --format html -o "$2/diff.html"
"$root/scripts/check-pages" -o "$2" "$2"/*.html
