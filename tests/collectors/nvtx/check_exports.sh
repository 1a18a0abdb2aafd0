#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_exports.sh LIBRARY: both NVTX entry points are dynamic symbols, and nothing else of ours is.
exports=$(nm -D --defined-only "$1" | awk '{print $3}')
for wanted in InitializeInjectionNvtx2 InitializeInjectionNvtxExtension; do
  echo "$exports" | grep -qx "$wanted" || { echo "$1 does not export $wanted" >&2; exit 1; }
done
leaked=$(echo "$exports" | grep stepscope)
[ -z "$leaked" ] || { echo "$1 exports internals: $leaked" >&2; exit 1; }
