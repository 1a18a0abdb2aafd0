#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_library.sh LIBRARY: exports exactly its entry points, needs libc (and the loader) alone, and no
# symbol newer than glibc 2.35.
set -eu
library=$1
fail() { echo "$library: $*" >&2; exit 1; }

exports=$(nm -D --defined-only "$library" | awk '{ print $3 }' | sort | tr '\n' ' ')
expected="InitializeInjection InitializeInjectionNvtx2 InitializeInjectionNvtxExtension _Exit _ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE _ZN4c10d7BackendC2Eii __libc_start_main _exit cuptiActivityDisable cuptiActivityEnable cuptiActivityFlushAll cuptiActivityRegisterCallbacks cuptiActivityRegisterTimestampCallback \
cuptiEnableAllDomains cuptiEnableCallback cuptiEnableDomain cuptiFinalize cuptiSubscribe cuptiUnsubscribe dlopen stepscope_capture stepscope_range_begin stepscope_range_end stepscope_sampling "
[ "$exports" = "$expected" ] || fail "exports: $exports"

needed=$(readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort | tr '\n' ' ')
case $needed in
  "libc.so.6 " | "ld-linux-x86-64.so.2 libc.so.6 " | "ld-linux-aarch64.so.1 libc.so.6 ") ;;
  *) fail "needs: $needed" ;;
esac

newest=$(readelf -V "$library" | grep -o 'GLIBC_2\.[0-9]*' | sort -t. -k2 -n -u | tail -1)
[ -n "$newest" ] || fail "no GLIBC version found: readelf -V said nothing"
[ "${newest#GLIBC_2.}" -le 35 ] || fail "needs $newest, newer than 2.35"
echo "exports, NEEDED and $newest are as they should be"
