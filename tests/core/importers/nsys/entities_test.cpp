// SPDX-License-Identifier: Apache-2.0
// Processes, threads and devices by name, and what the export says about the run.
#include <gmock/gmock.h>

#include "tests/core/importers/nsys/nsys_maker.hpp"

namespace stepscope {
namespace {

using testing::Contains;
using testing::HasSubstr;

std::string two_processes() {
  return std::string(kStringTable) + kKernelTable + kRuntimeTable +
         "INSERT INTO StringIds VALUES (1, 'k'), (3, 'cudaLaunchKernel_v7000'), (4, 'main'), "
         "(5, 'worker');"
         "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (10, 20, 0, " +
         gtid(5, 6) + ", 1, 3, 0), (11, 21, 0, " + gtid(8, 9) +
         ", 1, 3, 0);"
         "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES"
         "(30, 45, 0, 1, 7, 1, " +
         gtid(5, 0) +
         ", 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, NULL, NULL),"
         "(30, 45, 0, 1, 7, 1, " +
         gtid(8, 0) + ", 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, NULL, NULL);";
}

TEST(NsysEntities, AProcessNumbersTheDevicesThatItSees) {
  const NsysFile file;
  file.run(two_processes() +
           "CREATE TABLE TARGET_INFO_GPU (id, name, totalMemory, smCount, uuid);"
           "INSERT INTO TARGET_INFO_GPU VALUES (0, 'NVIDIA H100', 85899345920, 132, 'a'), "
           "(1, 'NVIDIA A100', 42949672960, 108, 'b');"
           "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId, cudaId, pid);"
           "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (0, 0, 5), (1, 0, 8);");
  const TraceData data = file.read();
  ASSERT_EQ(data.devices.size(), 2U);
  EXPECT_EQ(data.streams.size(), 2U);
  for (const Device& device : data.devices) {
    const bool first = data.processes[device.process].pid == 5;
    EXPECT_EQ(device.name, first ? "NVIDIA H100" : "NVIDIA A100");
    EXPECT_EQ(device.multiprocessors, first ? 132U : 108U);
  }
}

TEST(NsysEntities, DevicesOfOldVersionsStandInATableOfTheirOwn) {
  const NsysFile file;
  file.run(two_processes() +
           "CREATE TABLE TARGET_INFO_CUDA_GPU (vmId, name, globalMemorySize, numMultiprocessors, "
           "deviceId, pid);"
           "INSERT INTO TARGET_INFO_CUDA_GPU VALUES (1, 'Tesla V100', 34359738368, 80, 0, 5);");
  const TraceData data = file.read();
  ASSERT_FALSE(data.devices.empty());
  EXPECT_EQ(data.devices[0].name, "Tesla V100");
  EXPECT_EQ(data.devices[0].multiprocessors, 80U);
}

TEST(NsysEntities, ADeviceOfWhichNothingWasRecordedIsSaid) {
  const NsysFile file;
  file.run(std::string(kNvtxTable) + "INSERT INTO NVTX_EVENTS VALUES (10, 90, 59, 'work', " +
           gtid(5, 6) +
           ", NULL, NULL);"
           "CREATE TABLE TARGET_INFO_GPU (id, name, totalMemory, smCount, uuid);"
           "INSERT INTO TARGET_INFO_GPU VALUES (0, 'NVIDIA H100', 85899345920, 132, 'a');");
  EXPECT_THAT(file.read().health.notes, ::testing::Contains(::testing::HasSubstr(
                                            "describes a device (NVIDIA H100) and holds neither")));
}

TEST(NsysEntities, NamesFactsAndTheBeginOfTheSession) {
  const NsysFile file;
  file.run(two_processes() +
           "CREATE TABLE PROCESSES (globalPid, pid, name);"
           "INSERT INTO PROCESSES VALUES (" +
           gtid(5, 0) + ", 5, 'python3'), (" + gtid(77, 0) +
           ", 77, 'bash');"
           "CREATE TABLE ThreadNames (nameId, priority, globalTid);"
           "INSERT INTO ThreadNames VALUES (5, 1, " +
           gtid(5, 6) + "), (4, 20, " + gtid(5, 6) +
           ");"
           "CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs);"
           "INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1779630014975716426);"
           "CREATE TABLE TARGET_INFO_SYSTEM_ENV (name, value);"
           "INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES ('NvDriverVersion', '580.95.05'), "
           "('CudaDriverVersion', '13000'), ('Hostname', 'box');"
           "CREATE TABLE META_DATA_CAPTURE (name, value);"
           "INSERT INTO META_DATA_CAPTURE VALUES ('PROCESS_0:ARGUMENT_1', 'x.py'), "
           "('PROCESS_0:COMMAND', 'python'), ('PROCESS_0:ARGUMENT_0', '-u');"
           "CREATE TABLE MPI_RANKS (globalPid, rank);"
           "INSERT INTO MPI_RANKS VALUES (" +
           gtid(5, 0) + ", 0), (" + gtid(8, 0) +
           ", 1);"
           "CREATE TABLE DIAGNOSTIC_EVENT (severity, text);"
           "INSERT INTO DIAGNOSTIC_EVENT VALUES (1, 'fine'), (2, '12 events were dropped');");
  const TraceData data = file.read();
  ASSERT_EQ(data.processes.size(), 2U);
  const Process& main = data.processes[0];
  EXPECT_EQ(main.name, "python3");
  EXPECT_EQ(main.host, "box");
  EXPECT_EQ(main.facts.at("driver"), "580.95.05");
  EXPECT_EQ(main.facts.at("cuda_driver"), "13.0");
  EXPECT_EQ(main.facts.at("command"), "python -u x.py");
  EXPECT_EQ(main.rank, 0);
  EXPECT_EQ(data.processes[1].rank, 1);
  EXPECT_EQ(main.world_size, 2);
  EXPECT_EQ(data.threads[0].name, "main");
  EXPECT_EQ(data.device_ops.begin[0], 1779630014975716426 + 30);
  EXPECT_THAT(data.health.notes, Contains(HasSubstr("12 events were dropped")));
  EXPECT_THAT(data.health.notes, testing::Not(Contains(HasSubstr("fine"))));
}

TEST(NsysEntities, APieceOfARunIsSaidToBeOne) {
  const auto notes_of = [](const std::string& trigger, const std::string& times) {
    const NsysFile file;
    file.run(two_processes() +
             "CREATE TABLE META_DATA_CAPTURE (name, value);"
             "INSERT INTO META_DATA_CAPTURE VALUES ('START_TRIGGER', '" +
             trigger +
             "');"
             "CREATE TABLE META_DATA_EXPORT (name, value);"
             "INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PARAM_TIMES_TO_EXPORT', '" +
             times + "');");
    return file.read().health.notes;
  };
  EXPECT_THAT(notes_of("Immediate", ""), testing::Not(Contains(HasSubstr("run"))));
  EXPECT_THAT(notes_of("CudaProfilerApi", ""), Contains(HasSubstr("in the middle of the run")));
  EXPECT_THAT(notes_of("Immediate", "1s-2s"), Contains(HasSubstr("the times 1s-2s alone")));
}

}  // namespace
}  // namespace stepscope
