#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace eventspace {

/// The number of records of events that a pull did not return, by cause. Plain data.
struct Loss {
  std::uint64_t discarded{0};  ///< overwritten in their trace element before they were read
  std::uint64_t torn{0};       ///< refused, because their slot was damaged
  std::uint64_t filtered{0};   ///< dropped by a filter, or older than what was requested at the first look
  std::uint64_t reduced{0};    ///< replaced by the result of a reduce, aggregate or collective
  std::uint64_t repeated{0};   ///< dropped, because an earlier view had them
  std::uint64_t earlier{0};    ///< overwritten before this scope first looked at the trace element
  std::uint64_t failed{0};     ///< dropped, because a wrapper of a shared object threw an exception
  std::uint64_t emptied{0};    ///< the application emptied their trace element before they were read
  Loss& operator+=(const Loss& other) noexcept;
  friend bool operator==(const Loss&, const Loss&) = default;
};

/// Why a pull could not read some of its sources. The numbers are part of the wire format.
enum class MissingCause : std::uint8_t {
  no_answer = 1,   ///< a server did not answer in time: dead, stopped, unreachable or too slow
  no_segment = 2,  ///< the process lacks a segment: it has not started yet, or has ended
  refused = 3,     ///< a segment was refused, or a server refused; the detail has the reason
  late = 4,        ///< too little time was left to ask
  restarted = 5,   ///< the process was restarted, and not all of its events can be read; see the detail
  skipped = 6,     ///< not pulled, because it was late in an earlier pull
  failed = 7       ///< a wrapper of a shared object threw an exception; the detail has its text
};
std::string_view to_string(MissingCause cause) noexcept;

/// Names sources that a pull could not read, and the cause.
struct Missing {
  std::string node;
  std::string what;  ///< such as "server of node n2" or "process p1"
  MissingCause cause{MissingCause::no_answer};
  std::string detail;
  std::uint32_t sources{0};  ///< number of trace elements that could not be read
  friend bool operator==(const Missing&, const Missing&) = default;
};

}  // namespace eventspace
