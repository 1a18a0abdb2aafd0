// SPDX-License-Identifier: Apache-2.0
#include "reports/text/colours.hpp"

namespace stepscope {

Colour colour_of(Cause cause) {
  if (cause <= Cause::gpu_other) return Colour::green;
  if (cause <= Cause::comm_late_rank || cause == Cause::comm_wait) return Colour::magenta;
  if (cause <= Cause::copy_set) return Colour::cyan;
  if (cause < Cause::host_python) return Colour::yellow;
  if (is_unexplained(cause)) return Colour::dim;
  return Colour::red;
}

Colour colour_of(Tone tone) {
  switch (tone) {
    case Tone::good:
      return Colour::green;
    case Tone::bad:
      return Colour::red;
    case Tone::caution:
      return Colour::yellow;
    case Tone::neutral:
      break;
  }
  return Colour::blue;
}

Colour colour_of_change(double difference) {
  if (difference == 0) return Colour::plain;
  return difference < 0 ? Colour::green : Colour::red;
}

Colour colour_of_note(Tone tone) {
  return tone == Tone::neutral ? Colour::plain : colour_of(tone);
}

}  // namespace stepscope
