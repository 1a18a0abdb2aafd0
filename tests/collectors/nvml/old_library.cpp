// SPDX-License-Identifier: Apache-2.0
// A libnvidia-ml.so.1 of an older driver: throttle reasons under their first name, no fields.
#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED int nvmlInit_v2() {
  return 0;
}
EXPORTED int nvmlDeviceGetHandleByUUID(const char* /*uuid*/, void** /*device*/) {
  return 6;
}
EXPORTED int nvmlDeviceGetIndex(void* /*device*/, unsigned* index) {
  *index = 3;
  return 0;
}
EXPORTED int nvmlDeviceGetCurrentClocksThrottleReasons(void* /*device*/, unsigned long long* bits) {
  *bits = 0x40;
  return 0;
}
EXPORTED int nvmlDeviceGetPowerUsage(void* /*device*/, unsigned* milliwatts) {
  *milliwatts = 300'000;
  return 0;
}
