# SPDX-License-Identifier: Apache-2.0
"""Traces as the profilers of other vendors name the same work."""
import json

from trace_events import CALLS, DEVICE, of


def renamed(table, categories):
    def change(document):
        for event in document["traceEvents"]:
            if event.get("cat") in categories:
                event["cat"] = categories[event["cat"]]
            if event.get("ph") == "X" and event.get("cat", "").endswith(("_runtime", "_driver")):
                for old, new in table:
                    event["name"] = event["name"].replace(old, new)
        return document
    return change


def as_amd(document):
    document = renamed([("cuda", "hip")], {})(document)
    for event in of(document, "gpu_memcpy"):
        ends = {"H": "Host", "D": "Device", "P": "Peer"}
        word = event["name"].split()[1]
        event["name"] = f"Copy{ends.get(word[0], 'Device')}To{ends.get(word[-1], 'Device')}"
    return document


SYCL = [("cudaLaunchKernelExC", "urEnqueueKernelLaunch"), ("cudaLaunchKernel", "urEnqueueKernelLaunch"), ("cudaMemcpyAsync", "urEnqueueUSMMemcpy"),
        ("cudaMemsetAsync", "urEnqueueUSMFill"), ("cudaStreamSynchronize", "urQueueFinish"), ("cudaEventSynchronize", "urEventWait"),
        ("cuLaunchKernelEx", "urEnqueueKernelLaunch"), ("cuLaunchKernel", "urEnqueueKernelLaunch")]


def as_intel(document):
    document = renamed(SYCL, {"cuda_runtime": "xpu_runtime", "cuda_driver": "xpu_driver"})(document)
    for event in of(document, *DEVICE):
        args = event["args"]
        args["sycl queue"], args["context"] = args.pop("stream", 0), "0x000055d1c0ffee00"
        for old, new in (("HtoD", "M2D"), ("DtoH", "D2M"), ("DtoD", "D2D"), ("Pageable", "MEMORY"), ("Pinned", "HOST"), ("Device", "DEVICE")):
            if event["cat"] == "gpu_memcpy":
                event["name"] = event["name"].replace(old, new)
    return document


def as_ascend(document):
    calls = [("cudaLaunchKernelExC", "aclnnCall"), ("cudaLaunchKernel", "aclnnCall"), ("cuLaunchKernelEx", "aclnnCall"), ("cuLaunchKernel", "aclnnCall"),
             ("cudaMemcpy", "aclrtMemcpy"), ("cudaMemset", "aclrtMemset"), ("cudaStreamSynchronize", "aclrtSynchronizeStream"),
             ("cudaDeviceSynchronize", "aclrtSynchronizeDevice"), ("cudaGraphLaunch", "aclmdlRIExecuteAsync")]
    events = [{"ph": "M", "name": "process_name", "pid": 9000, "tid": 0, "args": {"name": "Ascend Hardware"}}]
    for event in document["traceEvents"]:
        category, args = event.get("cat"), event.get("args", {})
        if category in DEVICE:
            task = {"kernel": "AI_CORE", "gpu_memcpy": "MEMCPY_ASYNC", "gpu_memset": "AI_VECTOR_CORE"}[category]
            events.append({"ph": "X", "name": event["name"], "pid": 9000, "tid": event["tid"], "ts": str(event["ts"]), "dur": event["dur"],
                           "args": {"Task Type": task, "Stream Id": args.get("stream", 0), "connection_id": args.get("correlation", 0)}})
        elif category in CALLS:
            name = event["name"]
            for old, new in calls:
                name = name.replace(old, new)
            events.append({"ph": "X", "name": "AscendCL@" + name, "pid": 8000, "tid": event["tid"], "ts": str(event["ts"]), "dur": event["dur"],
                           "args": {"Mode": "ACL_OP", "level": "acl", "connection_id": args.get("correlation", 0)}})
        elif category in ("cpu_op", "user_annotation"):
            events.append(event | {"cat": "cpu_op", "ts": str(event["ts"])})
    return json.dumps(events)


def as_unknown_device(document):
    events = [{"ph": "M", "name": "process_name", "pid": 77, "tid": 0, "args": {"name": "Habana Labs"}}]
    for event in document["traceEvents"]:
        if event.get("cat") in DEVICE:
            event |= {"cat": "tpc", "pid": 77}
        events.append(event)
    document["traceEvents"] = events
    return document
