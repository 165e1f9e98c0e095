#pragma once

#include <string>
#include <string_view>

namespace eventspace {

/// A number and its unit, for text.
struct ScaledValue {
  std::string number;
  std::string unit;  ///< empty if there is none
};
/// Scales bytes from 1000 to kB, MB ..., from 1024 KiB to MiB ..., and times from 1000 or below 1 to the
/// fitting unit, with three digits: 22359639 "B/s" is 22.4 MB/s. Everything else stays unchanged. Pure.
ScaledValue scaled(double number, std::string_view unit);
/// "12.5 ms", "7": the same as one text.
std::string with_unit(double number, std::string_view unit);

}  // namespace eventspace
