// SPDX-License-Identifier: Apache-2.0
// The collector as programs meet it: real NVTX headers here (payload header in the same file) and
// in a second shared object, our library loaded by them through NVTX_INJECTION64_PATH, a fake
// recorder behind.
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <future>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtPayload.h>
#include <nvtx3/nvToolsExtSync.h>
#if __has_include(<cuda.h>) && __has_include(<driver_types.h>)  // not in the PyPI package
#include <nvtx3/nvToolsExtCuda.h>
#include <nvtx3/nvToolsExtCudaRt.h>
#define STEPSCOPE_TEST_CUDA_NAMES
#endif

#include "collectors/annotate/stepscope/annotate.hpp"
#include "tests/collectors/fake_recorder/fake_recorder.hpp"

namespace stepscope {
namespace {

using fake_recorder::Event;
using testing::ElementsAre;
using What = Event::What;

nvtxEventAttributes_t attributes(const char* message) {
  nvtxEventAttributes_t event{};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.messageType = NVTX_MESSAGE_TYPE_ASCII;
  event.message.ascii = message;
  return event;
}

std::vector<Event> only(What what) {
  std::vector<Event> kept;
  for (const Event& event : fake_recorder::events()) {
    if (event.what == what) kept.push_back(event);
  }
  return kept;
}

class NvtxInjection : public testing::Test {
 protected:
  static void SetUpTestSuite() { setenv("NVTX_INJECTION64_PATH", STEPSCOPE_TEST_INJECTION, 1); }
  void SetUp() override { fake_recorder::reset(); }
  // The gtest thread is the fake recorder's first or a later one, depending on the test's filter.
  std::vector<std::string> story() {
    const auto all = fake_recorder::events();
    return all.empty() ? std::vector<std::string>{} : fake_recorder::story(all.front().thread);
  }
};

TEST_F(NvtxInjection, DefaultDomain) {
  nvtxRangePushA("outer");
  nvtxRangePushW(L"caf\u00e9 \u20ac \U0001F600");
  nvtxMarkA("tick");
  nvtxRangePop();
  const auto event = attributes("inner");
  EXPECT_EQ(nvtxRangePushEx(&event), NVTX_NO_PUSH_POP_TRACKING);
  EXPECT_EQ(nvtxRangePop(), NVTX_NO_PUSH_POP_TRACKING);
  nvtxRangePop();
  EXPECT_THAT(story(), ElementsAre("begin outer", "begin caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80",
                                   "mark tick", "end", "begin inner", "end", "end"));
  for (const Event& begin : only(What::begin)) {
    EXPECT_EQ(begin.lane, recorder::kFirstNvtxLane);
    EXPECT_EQ(begin.kind, HostKind::nvtx_range);
  }
}

TEST_F(NvtxInjection, UnnamedEventsAndNulls) {
  nvtxEventAttributes_t event = attributes(nullptr);
  nvtxRangePushEx(&event);
  event.messageType = NVTX_MESSAGE_UNKNOWN;
  nvtxMarkEx(&event);
  event.size = 16;  // an older, shorter struct
  nvtxMarkEx(&event);
  nvtxRangePop();
  nvtxRangePop();  // one too many: the recorder's to ignore
  EXPECT_THAT(story(),
              ElementsAre("begin (unnamed)", "mark (unnamed)", "mark (unnamed)", "end", "end"));
}

TEST_F(NvtxInjection, DomainsAreFoundByNameAndHaveLanesOfTheirOwn) {
  nvtxDomainHandle_t data = nvtxDomainCreateA("data"), model = nvtxDomainCreateW(L"model");
  EXPECT_EQ(nvtxDomainCreateA("data"), data);
  EXPECT_NE(data, model);
  const auto load = attributes("load"), forward = attributes("forward");
  nvtxDomainRangePushEx(data, &load);
  nvtxDomainRangePushEx(model, &forward);
  nvtxDomainRangePop(data);  // ranges of different domains may cross
  nvtxDomainMarkEx(model, &load);
  nvtxDomainRangePop(model);
  nvtxDomainDestroy(data);
  EXPECT_EQ(nvtxDomainCreateA("data"), data);
  EXPECT_THAT(story(), ElementsAre("begin load @data", "begin forward @model", "end",
                                   "mark load @model", "end"));
  const auto all = fake_recorder::events();
  EXPECT_EQ(all[0].lane, all[2].lane);
  EXPECT_EQ(all[1].lane, all[4].lane);
  EXPECT_NE(all[0].lane, all[1].lane);
}

TEST_F(NvtxInjection, RegisteredStrings) {
  nvtxEventAttributes_t event = attributes(nullptr);
  event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  event.message.registered = nvtxDomainRegisterStringA(nullptr, "cublasSgemm");
  nvtxRangePushEx(&event);
  nvtxRangePop();
  event.message.registered = nvtxDomainRegisterStringW(nullptr, L"wide");
  nvtxMarkEx(&event);
  EXPECT_THAT(story(), ElementsAre("begin cublasSgemm", "end", "mark wide"));
}

TEST_F(NvtxInjection, StartAndEndAcrossThreads) {
  nvtxDomainHandle_t domain = nvtxDomainCreateA("io");
  const auto event = attributes("request");
  const nvtxRangeId_t first = nvtxRangeStartA("plain");
  const nvtxRangeId_t second = nvtxDomainRangeStartEx(domain, &event);
  EXPECT_NE(first, second);
  std::thread([&] {
    nvtxDomainRangeEnd(domain, second);
    nvtxRangeEnd(first);
    nvtxRangeEnd(0);  // from before a tool was there
  }).join();
  const auto begun = only(What::begin_process), ended = only(What::end_process);
  ASSERT_EQ(begun.size(), 2u);
  ASSERT_EQ(ended.size(), 2u);
  EXPECT_EQ(begun[0].id, first);
  EXPECT_EQ(begun[1].name, "request");
  EXPECT_EQ(begun[1].category, "io");
  EXPECT_EQ(ended[0].id, second);
  EXPECT_NE(ended[0].thread, begun[1].thread);
}

TEST_F(NvtxInjection, ThreadsDoNotShareStacks) {
  constexpr int kThreads = 8, kPairs = 2000;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([t] {
      nvtxDomainHandle_t domain = nvtxDomainCreateA(t % 2 == 0 ? "even" : "odd");
      const auto event = attributes(t % 2 == 0 ? "even work" : "odd work");
      for (int i = 0; i < kPairs; ++i) {
        nvtxDomainRangePushEx(domain, &event);
        nvtxDomainRangePop(domain);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const auto begun = only(What::begin);
  ASSERT_EQ(begun.size(), static_cast<std::size_t>(kThreads * kPairs));
  EXPECT_EQ(only(What::end).size(), begun.size());
  for (const Event& event : begun) EXPECT_EQ(event.name, event.category + " work");
}

#ifdef STEPSCOPE_TEST_CUDA_NAMES
TEST_F(NvtxInjection, NamesBecomeLabels) {
  int object = 0;
  const auto address = reinterpret_cast<std::uintptr_t>(&object);
  nvtxNameOsThreadA(1234, "loader");
  nvtxNameCategoryA(3, "io");
  nvtxDomainHandle_t domain = nvtxDomainCreateA("labelled");
  nvtxDomainNameCategoryW(domain, 3, L"compute");
  nvtxNameCudaStreamA(reinterpret_cast<cudaStream_t>(&object), "copies");
  nvtxNameCudaEventW(reinterpret_cast<cudaEvent_t>(&object), L"done");
  nvtxNameCudaDeviceA(1, "second");
  nvtxNameCuContextA(reinterpret_cast<CUcontext>(&object), "primary");
  nvtxNameCuStreamW(reinterpret_cast<CUstream>(&object), L"driver stream");
  nvtxResourceAttributes_t resource{};
  resource.version = NVTX_VERSION;
  resource.size = NVTX_RESOURCE_ATTRIB_STRUCT_SIZE;
  resource.identifierType = NVTX_RESOURCE_TYPE_CUDART_STREAM;
  resource.identifier.pValue = &object;
  resource.messageType = NVTX_MESSAGE_TYPE_ASCII;
  resource.message.ascii = "as resource";
  nvtxResourceHandle_t handle = nvtxDomainResourceCreate(domain, &resource);
  EXPECT_NE(handle, nullptr);
  nvtxDomainResourceDestroy(handle);
  using recorder::LabelKind;
  const auto labels = only(What::label);
  ASSERT_EQ(labels.size(), 9u);
  const auto expect = [&](std::size_t i, LabelKind kind, std::uint64_t id, const char* name) {
    EXPECT_EQ(labels[i].label, kind) << i;
    EXPECT_EQ(labels[i].id, id) << i;
    EXPECT_EQ(labels[i].name, name) << i;
  };
  expect(0, LabelKind::thread, 1234, "loader");
  expect(1, LabelKind::category, 3, "io");
  EXPECT_NE(labels[2].id, 3u);
  EXPECT_EQ(labels[2].id & 0xFFFFFFFF, 3u);
  expect(3, LabelKind::cuda_stream, address, "copies");
  expect(4, LabelKind::cuda_event, address, "done");
  expect(5, LabelKind::cuda_device, 1, "second");
  expect(6, LabelKind::cuda_context, address, "primary");
  expect(7, LabelKind::cuda_stream, address, "driver stream");
  expect(8, LabelKind::cuda_stream, address, "as resource");
}
#endif

TEST_F(NvtxInjection, UserLocksBecomeWaits) {
  nvtxDomainHandle_t domain = nvtxDomainCreateA("locks");
  nvtxSyncUserAttributes_t attribute{};
  attribute.version = NVTX_VERSION;
  attribute.size = NVTX_SYNCUSER_ATTRIB_STRUCT_SIZE;
  attribute.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attribute.message.ascii = "queue";
  nvtxSyncUser_t lock = nvtxDomainSyncUserCreate(domain, &attribute);
  ASSERT_NE(lock, nullptr);
  nvtxDomainSyncUserAcquireStart(lock);
  nvtxDomainSyncUserAcquireFailed(lock);
  nvtxDomainSyncUserAcquireStart(lock);
  nvtxDomainSyncUserAcquireSuccess(lock);
  nvtxDomainSyncUserReleasing(lock);
  nvtxDomainSyncUserDestroy(lock);
  attribute.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  attribute.message.registered = nvtxDomainRegisterStringA(domain, "registered");
  nvtxSyncUser_t other = nvtxDomainSyncUserCreate(domain, &attribute);
  nvtxDomainSyncUserAcquireStart(other);
  nvtxDomainSyncUserAcquireSuccess(other);
  EXPECT_THAT(story(),
              ElementsAre("begin acquire queue @locks", "end", "begin acquire queue @locks", "end",
                          "begin acquire registered @locks", "end"));
}

// --- payloads, as NCCL uses them ---

struct AllReduce {
  std::uint64_t comm;
  std::size_t bytes;
  std::uint32_t op;
};
constexpr std::uint64_t kAllReduceId = NVTX_PAYLOAD_SCHEMA_ID_STATIC_START + 5;

std::uint64_t register_all_reduce(nvtxDomainHandle_t domain) {
  nvtxPayloadSchemaEntry_t entries[3]{};
  entries[0].type = NVTX_PAYLOAD_ENTRY_TYPE_UINT64;
  entries[0].name = "NCCL communicator hash";
  entries[1].type = NVTX_PAYLOAD_ENTRY_TYPE_SIZE;
  entries[1].name = "Message size [bytes]";
  entries[1].offset = offsetof(AllReduce, bytes);
  entries[2].type = NVTX_PAYLOAD_ENTRY_TYPE_UINT32;
  entries[2].name = "Reduction operation";  // its offset is left to natural alignment
  nvtxPayloadSchemaAttr_t schema{};
  schema.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID;
  schema.name = "AllReduce";
  schema.type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC;
  schema.entries = entries;
  schema.numEntries = 3;
  schema.schemaId = kAllReduceId;
  return nvtxPayloadSchemaRegister(domain, &schema);
}

nvtxEventAttributes_t with_payload(const char* name, const nvtxPayloadData_t& data) {
  nvtxEventAttributes_t event = attributes(name);
  event.payloadType = NVTX_PAYLOAD_TYPE_EXT;
  event.reserved0 = 1;
  event.payload.ullValue = NVTX_POINTER_AS_PAYLOAD_ULLVALUE(&data);
  return event;
}

TEST_F(NvtxInjection, AnNcclCallSaysWhatItSends) {
  nvtxDomainHandle_t nccl = nvtxDomainCreateA("NCCL");
  EXPECT_EQ(register_all_reduce(nccl), kAllReduceId);
  EXPECT_NE(nvtxDomainIsEnabled(nccl), 0);
  const AllReduce values{0xfeedbeef12345678, 1 << 20, 2};
  const nvtxPayloadData_t data{kAllReduceId, sizeof values, &values};
  const nvtxEventAttributes_t event = with_payload("ncclAllReduce", data);
  nvtxDomainRangePushEx(nccl, &event);
  nvtxDomainRangePop(nccl);
  EXPECT_THAT(story(), ElementsAre("begin ncclAllReduce @NCCL", "collective", "end"));
  const auto said = only(What::collective)[0];
  EXPECT_EQ(said.lane, only(What::begin)[0].lane);
  EXPECT_EQ(said.message.communicator, 0xfeedbeef12345678U);
  EXPECT_EQ(said.message.bytes, 1U << 20U);
  EXPECT_EQ(said.message.reduce, ReduceOperation::maximum);
  EXPECT_EQ(said.message.peer, kNone);
}

// A reduce has both a root and an operation, and this one is the program's own.
TEST_F(NvtxInjection, RootsPeersAndOwnReductionsOfNccl) {
  struct Reduce {
    std::uint64_t comm;
    std::size_t bytes;
    int root;
    std::uint32_t op;
  };
  constexpr std::uint64_t kReduceId = NVTX_PAYLOAD_SCHEMA_ID_STATIC_START + 7;
  nvtxDomainHandle_t nccl = nvtxDomainCreateA("NCCL");
  nvtxPayloadSchemaEntry_t entries[4]{};
  const std::uint64_t types[] = {NVTX_PAYLOAD_ENTRY_TYPE_UINT64, NVTX_PAYLOAD_ENTRY_TYPE_SIZE,
                                 NVTX_PAYLOAD_ENTRY_TYPE_INT, NVTX_PAYLOAD_ENTRY_TYPE_UINT32};
  const char* names[] = {"NCCL communicator ID", "Message size [bytes]", "Root",
                         "Reduction operation"};
  for (int i = 0; i < 4; ++i) entries[i].type = types[i], entries[i].name = names[i];
  nvtxPayloadSchemaAttr_t schema{};
  schema.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID;
  schema.entries = entries;
  schema.numEntries = 4;
  schema.schemaId = kReduceId;
  EXPECT_EQ(nvtxPayloadSchemaRegister(nccl, &schema), kReduceId);
  const Reduce values{7, 512, 3, 9};
  const nvtxPayloadData_t data{kReduceId, sizeof values, &values};
  nvtxRangePushPayload(nccl, &data, 1);
  nvtxDomainRangePop(nccl);
  ASSERT_EQ(only(What::collective).size(), 1U);
  const recorder::Message said = only(What::collective)[0].message;
  EXPECT_EQ(said.communicator, 7U);
  EXPECT_EQ(said.bytes, 512U);
  EXPECT_EQ(said.peer, 3U);
  EXPECT_EQ(said.reduce, ReduceOperation::other);
}

// A communicator's begin sends nothing: its values stay a mark. So do those of an NVTX mark, which
// no range belongs to.
TEST_F(NvtxInjection, NcclPayloadsThatAreNoMessageOfARangeAreMarks) {
  struct Init {
    std::uint64_t comm;
    int ranks;
  };
  constexpr std::uint64_t kInitId = NVTX_PAYLOAD_SCHEMA_ID_STATIC_START + 8;
  nvtxDomainHandle_t nccl = nvtxDomainCreateA("NCCL");
  nvtxPayloadSchemaEntry_t entries[2]{};
  entries[0].type = NVTX_PAYLOAD_ENTRY_TYPE_UINT64;
  entries[0].name = "NCCL communicator ID";
  entries[1].type = NVTX_PAYLOAD_ENTRY_TYPE_INT;
  entries[1].name = "No. of ranks";
  nvtxPayloadSchemaAttr_t schema{};
  schema.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID;
  schema.entries = entries;
  schema.numEntries = 2;
  schema.schemaId = kInitId;
  nvtxPayloadSchemaRegister(nccl, &schema);
  register_all_reduce(nccl);
  const Init init{7, 8};
  const nvtxPayloadData_t data{kInitId, sizeof init, &init};
  const auto begun = attributes("ncclCommInitRank");
  nvtxDomainRangePushEx(nccl, &begun);
  nvtxRangePopPayload(nccl, &data, 1);
  const AllReduce values{7, 64, 0};
  const nvtxPayloadData_t sent{kAllReduceId, sizeof values, &values};
  const nvtxEventAttributes_t event = with_payload("a mark", sent);
  nvtxDomainMarkEx(nccl, &event);
  EXPECT_THAT(story(),
              ElementsAre("begin ncclCommInitRank @NCCL",
                          "mark payload NCCL: NCCL communicator ID=7, No. of ranks=8 @NCCL", "end",
                          "mark a mark @NCCL",
                          "mark payload NCCL: NCCL communicator hash=0x7, Message size "
                          "[bytes]=64, Reduction operation=0 @NCCL"));
}

// Too short for its last field, whose value is then not known.
TEST_F(NvtxInjection, ACutNcclPayloadIsReadAsFarAsItGoes) {
  nvtxDomainHandle_t nccl = nvtxDomainCreateA("NCCL");
  register_all_reduce(nccl);
  const AllReduce values{7, 64, 1};
  const nvtxPayloadData_t data{kAllReduceId, offsetof(AllReduce, op), &values};
  nvtxRangePushPayload(nccl, &data, 1);
  nvtxDomainRangePop(nccl);
  ASSERT_EQ(only(What::collective).size(), 1U);
  EXPECT_EQ(only(What::collective)[0].message.bytes, 64U);
  EXPECT_EQ(only(What::collective)[0].message.reduce, ReduceOperation::none);
}

TEST_F(NvtxInjection, PushAndPopWithPayloadNeverDrift) {
  nvtxDomainHandle_t domain = nvtxDomainCreateA("payloads");
  register_all_reduce(domain);
  const AllReduce values{};
  const nvtxPayloadData_t data{kAllReduceId, sizeof values, &values};
  const nvtxPayloadData_t unknown{kAllReduceId + 99, 8, &values};
  const auto event = attributes("init");
  nvtxDomainRangePushEx(domain, &event);      // NCCL's comm init: pushed plainly,
  nvtxRangePushPayload(domain, &data, 1);     // nested with a payload alone
  nvtxRangePushPayload(domain, &unknown, 1);  // a schema that nobody registered
  nvtxRangePushPayload(domain, nullptr, 0);
  nvtxRangePopPayload(domain, nullptr, 0);
  nvtxRangePopPayload(domain, &unknown, 1);
  nvtxDomainRangePop(domain);
  nvtxRangePopPayload(domain, &data, 1);  // popped with one
  const nvtxRangeId_t id = nvtxRangeStartPayload(domain, &data, 1);
  nvtxRangeEndPayload(domain, id, &data, 1);
  nvtxMarkPayload(domain, &data, 1);
  EXPECT_THAT(story(), ElementsAre("begin init @payloads", "begin AllReduce @payloads",
                                   "begin (unnamed) @payloads", "begin (unnamed) @payloads", "end",
                                   "end", "end", "end", "begin_process AllReduce @payloads",
                                   "end_process", "mark AllReduce @payloads"));
}

TEST_F(NvtxInjection, EventMessageOfAPayload) {
  nvtxDomainHandle_t domain = nvtxDomainCreateA("messages");
  nvtxPayloadSchemaEntry_t entry{};
  entry.type = NVTX_PAYLOAD_ENTRY_TYPE_CSTRING;
  entry.flags = NVTX_PAYLOAD_ENTRY_FLAG_EVENT_MESSAGE;
  nvtxPayloadSchemaAttr_t schema{};
  schema.fieldMask =
      NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES;
  schema.entries = &entry;
  schema.numEntries = 1;
  const std::uint64_t id = nvtxPayloadSchemaRegister(domain, &schema);
  EXPECT_GE(id, NVTX_PAYLOAD_SCHEMA_ID_DYNAMIC_START);
  const char* text = "from the payload";
  const nvtxPayloadData_t data{id, sizeof text, &text};
  nvtxRangePushPayload(domain, &data, 1);
  nvtxRangePopPayload(domain, nullptr, 0);
  EXPECT_THAT(story(), ElementsAre("begin from the payload @messages", "end"));
}

// --- several clients, switching off ---

TEST_F(NvtxInjection, SecondSharedObjectSharesTheDomain) {
  void* library = dlopen(STEPSCOPE_TEST_SECOND_CLIENT, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  const auto range = reinterpret_cast<void (*)(const char*)>(dlsym(library, "second_client_range"));
  ASSERT_NE(range, nullptr);
  nvtxDomainHandle_t domain = nvtxDomainCreateA("shared");
  const auto event = attributes("first");
  nvtxDomainRangePushEx(domain, &event);
  range("shared");
  nvtxDomainRangePop(domain);
  EXPECT_THAT(story(), ElementsAre("begin first @shared", "begin second @shared", "end", "end"));
  const auto begun = only(What::begin);
  EXPECT_EQ(begun[0].lane, begun[1].lane);
}

TEST_F(NvtxInjection, AnnotateHeaderBesideTheRealOne) {
  {
    const auto step = step_range(12);
    const auto topk = phase("topk");
  }
  const auto all = story();
  EXPECT_EQ(std::count(all.begin(), all.end(), "begin step 12 @stepscope"), 1);
  EXPECT_EQ(std::count(all.begin(), all.end(), "begin topk @stepscope"), 1);
  EXPECT_EQ(std::count(all.begin(), all.end(), "end"), 2);
}

TEST_F(NvtxInjection, NothingIsRecordedWhileOff) {
  fake_recorder::set_recording(false);
  nvtxRangePushA("unseen");
  EXPECT_EQ(nvtxRangeStartA("unseen"), 0u);
  nvtxMarkA("unseen");
  nvtxRangePop();
  EXPECT_TRUE(fake_recorder::events().empty());
}

// Last: it leaves no room in this process.
TEST_F(NvtxInjection, MoreDomainsThanTheTableHolds) {
  std::vector<nvtxDomainHandle_t> handles;
  const auto event = attributes("late");
  for (int i = 0; i < 300; ++i)
    handles.push_back(nvtxDomainCreateA(("many " + std::to_string(i)).c_str()));
  EXPECT_EQ(handles[298], handles[299]);
  nvtxDomainMarkEx(handles[299], &event);
  EXPECT_EQ(only(What::mark)[0].category, "(further domains)");
  EXPECT_EQ(only(What::note).size(), 1u);
  EXPECT_EQ(nvtxDomainCreateA("many 0"), handles[0]);
}

}  // namespace
}  // namespace stepscope
