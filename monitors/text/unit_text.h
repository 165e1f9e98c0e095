#pragma once

// Private to monitors/.

#include <string>
#include <string_view>

namespace eventspace {

/// A number and its unit, for people.
struct ScaledValue {
  std::string number;
  std::string unit;  ///< empty if there is none
};
/// Bytes of 1000 and more in kB, MB ..., 1024 KiB and more in MiB ..., times of 1000 and more, or below 1, in
/// the unit that fits, with three digits: 22359639 "B/s" is 22.4 MB/s. All else as it is. Pure.
ScaledValue scaled(double number, std::string_view unit);
/// "12.5 ms", "7": the same as one text.
std::string with_unit(double number, std::string_view unit);

}  // namespace eventspace
