// SPDX-License-Identifier: Apache-2.0
// The outline of a Kineto document: one object whose members are facts, one of them the list of
// events. Each member and each event is one unit: it is read from the window as a whole, or the
// window slides on and the unit is read again.
#pragma once

#include <functional>

#include "core/importers/kineto/json/window.hpp"
#include "core/importers/kineto/trace_filler.hpp"
#include "core/support/memory_room.hpp"

namespace stepscope::kineto {

// Whether the whole file holds the begins of two traces: asked where something is wrong with it.
using HoldsTwo = std::function<bool()>;

// An event or member that is no JSON and has one plain reading is mended (json/mender.hpp), and
// counted. Errors name the byte of the content, and of the file where it is compressed.
Status read_document(const importers::ByteSource& source, Window& window, const MemoryRoom& room,
                     const HoldsTwo& holds_two, TraceFiller& filler);

void skip_byte_order_mark(Window& window);

}  // namespace stepscope::kineto
