// SPDX-License-Identifier: Apache-2.0
#include "reports/text/sections.hpp"

namespace stepscope {

Colour colour_of(Cause cause) {
  switch (family_of(cause)) {
    case CauseFamily::device_compute:
      return Colour::green;
    case CauseFamily::communication:
      return Colour::magenta;
    case CauseFamily::copy:
      return Colour::cyan;
    case CauseFamily::issued:
      return Colour::yellow;
    case CauseFamily::unexplained:
      return Colour::dim;
    default:
      return Colour::red;
  }
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
