// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/fixes.hpp"

#include <array>

namespace stepscope::clt {
namespace {

constexpr std::array kLadder{
    Fix{"R0", "baseline", "as the public reference implementation does it", nullptr},
    Fix{"R1", "cached_encode", "encode and select once a step, and once an evaluation",
        &Fixes::cached_encode},
    Fix{"R2", "device_data",
        "all rows normalised and on the device from the start; with --data, batches copied whole "
        "from pinned memory and normalised there",
        &Fixes::device_data},
    Fix{"R3", "late_readback", "losses are read where a line is printed, in one copy",
        &Fixes::late_readback},
    Fix{"R4", "device_metrics", "evaluation stays on the device, one copy at its end",
        &Fixes::device_metrics},
    Fix{"R5", "fused_adam", "Adam over all parameters in one call", &Fixes::fused_adam},
    Fix{"R6", "sparse_step",
        "forward and backward written out on lists of active features, a source layer's decoders "
        "side by side",
        &Fixes::sparse_step},
    Fix{"R7", "select_kernel", "on a GPU BatchTopK reads the preactivations twice and writes lists",
        &Fixes::select_kernel, &Fixes::sparse_step},
    Fix{"R8", "sparse_decoder", "on a GPU the decoder and its gradients are sparse products",
        &Fixes::sparse_decoder, &Fixes::sparse_step},
    Fix{"R9", "sparse_adam",
        "on a GPU Adam sums the decoder's gradient itself, which is never in memory",
        &Fixes::sparse_adam, &Fixes::sparse_step},
    Fix{"R10", "sparse_encoder",
        "the same of the encoder; without effect in a step whose loss reaches all preactivations "
        "(--preact-coef, or --aux-k with dead features)",
        &Fixes::sparse_encoder, &Fixes::sparse_step},
    Fix{"R11", "moments_8bit",
        "Adam's moments of decoder and encoder in 8 bits by blocks of 256 numbers: 12 bytes of "
        "memory traffic a parameter in place of 24",
        &Fixes::moments_8bit, &Fixes::sparse_step},
};

constexpr trainers::Switches<Fixes> kSwitches("fix", kLadder);

}  // namespace

const trainers::Switches<Fixes>& all_switches() {
  return kSwitches;
}

std::span<const Fix> all_fixes() {
  return std::span(kLadder).subspan(1);
}

Fixes every_fix() {
  Fixes fixes;
  for (const Fix& fix : all_fixes()) fixes.*fix.on = true;
  return fixes;
}

Status switch_fixes(Fixes& fixes, const std::vector<std::string>& names, bool on) {
  return kSwitches.turn(fixes, names, on);
}

bool uses_kernels(const Fixes& fixes) {
  return fixes.select_kernel || fixes.sparse_decoder || fixes.sparse_adam || fixes.sparse_encoder ||
         fixes.moments_8bit;
}

std::vector<std::string> names_of(const Fixes& fixes) {
  return kSwitches.names_of(fixes);
}

}  // namespace stepscope::clt
