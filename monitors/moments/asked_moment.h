#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace eventspace {

/// A moment of a recording, as a user names it:
///
///     95s                      since recording began; units as in all options, s without one
///     12:03:04.5               the time of day, UTC, the first time that it comes in the recording
///     2026-11-24T12:03:04.5    a date and a time, UTC; a Z may follow, or a difference from UTC as +01:00
///
/// Hours and minutes are enough; `info` prints times in the same form. Pure.
struct AskedMoment {
  enum class Kind : std::uint8_t { since_begin, time_of_day, date };

  Kind kind{Kind::since_begin};
  std::int64_t ns{0};  ///< since recording began, since midnight, or since 1970
  std::string text;    ///< as the user wrote it

  /// Nullopt if `text` is not such a moment.
  static std::optional<AskedMoment> read(std::string_view text);
  /// The forms that read() accepts, in words.
  static constexpr std::string_view allowed =
      "expected a time since the beginning such as 95s, a time of day such as 12:03:04 (UTC), or a date and "
      "a time such as 2026-11-24T12:03:04Z";
};

/// The time range of a recording.
struct Covered {
  std::int64_t begin_realtime_ns{0};  ///< since 1970
  std::chrono::nanoseconds length{0};
};

/// Returns the moment since recording began. Throws ConfigurationError, whose text begins with `option` and
/// has the range of the recording, if the moment is outside.
std::chrono::nanoseconds since_begin(const AskedMoment& moment, const Covered& covered,
                                     std::string_view option);

}  // namespace eventspace
