// SPDX-License-Identifier: Apache-2.0
#include "collectors/cupti/calls/graph_hooks.hpp"

#include <atomic>
#include <cstring>

namespace stepscope::cupti {
namespace {

// Never destroyed, as in call_hooks: callbacks run until the last instruction.
constinit decltype(Library::graph_node_id) node_id = nullptr;
constinit decltype(HookOptions::call_site) call_site = nullptr;
constinit std::atomic<std::uint32_t> nodes{0};
constinit std::atomic<bool> takes_nodes{false};

bool enable(const Library& library, Subscriber subscriber) noexcept {
  if (node_id == nullptr) return false;
  bool all = true;
  for (const std::uint32_t id : {kGraphNodeCreated, kGraphNodeCloned}) {
    const auto domain = static_cast<std::uint32_t>(Domain::resource);
    all = library.enable_callback(1, subscriber, domain, id) == kSuccess && all;
  }
  return all;
}

bool within_bound() noexcept {
  const std::uint32_t count = nodes.fetch_add(1, std::memory_order_relaxed);
  if (count == kMaxGraphNodes)
    recorder::note(
        "over 1048576 nodes of CUDA graphs were made: where later ones were captured "
        "is not recorded");
  if (count > kMaxGraphNodes) nodes.store(kMaxGraphNodes + 1, std::memory_order_relaxed);
  return count < kMaxGraphNodes;
}

void record(const GraphData& graph, bool cloned) noexcept {
  std::uint64_t node = 0, original = 0;
  if (node_id(graph.node, &node) != kSuccess) return;
  if (cloned && node_id(graph.original_node, &original) != kSuccess) return;
  const bool has_line = !cloned && call_site != nullptr;
  recorder::graph_node(node, original, has_line ? call_site() : 0);
}

}  // namespace

bool instantiates_graphs(const ApiFunction& call) noexcept {
  return std::strstr(call.name, "GraphInstantiate") != nullptr;
}

void enable_graph_hooks(const Library& library, Subscriber subscriber,
                        const HookOptions& options) noexcept {
  node_id = library.graph_node_id;
  call_site = options.call_site;
  takes_nodes.store(true, std::memory_order_relaxed);
  if (!enable(library, subscriber))
    recorder::note(
        "this libcupti does not tell how nodes of CUDA graphs are made: their work is "
        "shown at the launch of the graph");
}

bool takes_graph_nodes() noexcept {
  return takes_nodes.load(std::memory_order_relaxed);
}

void on_graph_callback(std::uint32_t id, const ResourceData& data,
                       const ApiFunction* call) noexcept {
  if (id != kGraphNodeCreated && id != kGraphNodeCloned) return;
  if (!takes_graph_nodes()) return;
  if (id == kGraphNodeCreated && call != nullptr && instantiates_graphs(*call)) return;
  if (data.descriptor == nullptr || !recorder::is_armed() || !within_bound()) return;
  record(*static_cast<const GraphData*>(data.descriptor), id == kGraphNodeCloned);
}

}  // namespace stepscope::cupti
