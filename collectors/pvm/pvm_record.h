#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "collectors/record_header.h"

namespace eventspace {

/// The kind of the records of calls of PVM (RecordHeader::kind). The words that record_header.h leaves to the
/// kind:
///
///     word 3   class (bits 12 to 15: PvmClass), PvmMarks (28 to 31), number of the function in pvm_calls.h
///     (32
///              to 47), number of the call's place in the program, or 0 (48 to 63)
///     word 5   bytes, or of class `look` how many calls the record stands for (0 to 31), PvmEncoding (40 to
///              43), how many tasks the call is for, at most 4095 (44 to
///              55), number of the error without its sign, or 0 (56 to 63)
///     word 6   partner (0 to 31), tag (32 to 63)
///     word 7   the task that calls (0 to 31), number of the group's name, or 0 (32 to 63)
///
/// Words 5 to 7 are also present while the call is in flight (TraceWriter::begin_wide). A PVM function that
/// is called by another PVM function has a separate event, which is marked as `nested` and lies within the
/// outer event. The same holds for the system calls select(2), read(2) and write(2) by which PVM waits and
/// communicates.
///
/// A record of class `look` represents consecutive calls of pvm_nrecv or pvm_probe that found nothing
/// (pvm_looks.h). Its start is the start of the first call, and its duration is their total. Their inner
/// reads and writes are recorded.
///
/// The destinations of a multicast are in continuation records: six in each, in words 5 to 7, the lower half
/// first; 0 is none. Destinations that do not fit into 15 records are only counted.
///
/// From "Analysis of Intertask Communication in PVM Computations on Workstation Clusters" (Zabel, 1996),
/// chapter 3.
inline constexpr std::uint8_t pvm_kind = 4;

enum class PvmClass : std::uint8_t {
  send = 1,
  receive = 2,
  group = 3,   ///< a group operation
  pack = 4,    ///< puts values into the next send buffer, or makes that buffer
  unpack = 5,  ///< takes values out of a message
  probe = 6,
  manage = 7,   ///< management of tasks, groups and the virtual machine
  wait = 8,     ///< select(2)
  input = 9,    ///< read(2)
  output = 10,  ///< write(2)
  look = 11     ///< repeated polls that found no message
};
inline constexpr std::size_t pvm_classes = 12;
/// The name of the class in `eventspace switch` and expressions; empty for 0.
std::string_view to_string(PvmClass of) noexcept;

enum class PvmMarks : std::uint8_t {
  any_source = 1,
  any_tag = 2,
  nested = 4,
  found = 8  ///< a receive or a probe has found a message, which the record describes
};

/// The encoding of values in messages. 0 if the call does not specify it.
enum class PvmEncoding : std::uint8_t { none = 0, portable = 1, raw = 2, in_place = 3, trace = 4 };
std::string_view to_string(PvmEncoding encoding) noexcept;

/// The known facts of a call when it begins or ends.
struct PvmCallRecord {
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  /// A number that no task has.
  static constexpr std::uint32_t no_task = 1;
  static constexpr std::uint32_t max_tasks = 4095;

  std::uint16_t call{0};  ///< its number in pvm_calls.h
  PvmClass of{PvmClass::manage};
  std::uint8_t marks{0};
  PvmEncoding encoding{PvmEncoding::none};
  std::uint8_t error{0};   ///< PvmNoBuf is 15; 0 means none, or not known yet
  std::uint16_t site{0};   ///< process-local number of its place in the program; 0 means unknown
  std::uint32_t bytes{0};  ///< of the message, or of the values packed, read or written
  std::uint32_t calls{1};  ///< calls that the record represents; more than one only for PvmClass::look
  std::uint32_t tasks{0};  ///< for a multicast: destinations; for a barrier: awaited tasks
  /// The other task of a message; for a group operation, the root's instance; for pvm_joingroup, the caller's
  /// instance.
  std::uint32_t partner{none};
  std::uint32_t tag{none};
  std::uint32_t task{no_task};  ///< the calling task
  std::uint32_t group{0};       ///< probe_number() of the group's name (paths/views/view.h)

  [[nodiscard]] constexpr bool has(PvmMarks mark) const noexcept {
    return (marks & static_cast<std::uint8_t>(mark)) != 0;
  }
  constexpr void add(PvmMarks mark) noexcept {
    marks = static_cast<std::uint8_t>(marks | static_cast<std::uint8_t>(mark));
  }
  [[nodiscard]] constexpr std::uint64_t word3(std::uint16_t point, std::uint8_t part = 0) const noexcept {
    return record_words::kind(pvm_kind, point, part) | static_cast<std::uint64_t>(of) << 12 |
           static_cast<std::uint64_t>(marks & 0xf) << 28 | static_cast<std::uint64_t>(call) << 32 |
           static_cast<std::uint64_t>(site) << 48;
  }
  [[nodiscard]] constexpr std::uint64_t word5() const noexcept {
    return (of == PvmClass::look ? calls : bytes) | static_cast<std::uint64_t>(encoding) << 40 |
           static_cast<std::uint64_t>(tasks < max_tasks ? tasks : max_tasks) << 44 |
           static_cast<std::uint64_t>(error) << 56;
  }
  [[nodiscard]] constexpr std::uint64_t word6() const noexcept {
    return partner | static_cast<std::uint64_t>(tag) << 32;
  }
  [[nodiscard]] constexpr std::uint64_t word7() const noexcept {
    return task | static_cast<std::uint64_t>(group) << 32;
  }
  friend bool operator==(const PvmCallRecord&, const PvmCallRecord&) = default;
};

/// The call that a record of this kind holds.
constexpr PvmCallRecord pvm_call_of(const TraceTuple& record) noexcept {
  const auto& w = record.words;
  PvmCallRecord call;
  call.of = static_cast<PvmClass>((w[3] >> 12) & 0xf);
  call.marks = static_cast<std::uint8_t>((w[3] >> 28) & 0xf);
  call.call = static_cast<std::uint16_t>(w[3] >> 32);
  call.site = static_cast<std::uint16_t>(w[3] >> 48);
  (call.of == PvmClass::look ? call.calls : call.bytes) = static_cast<std::uint32_t>(w[5]);
  call.encoding = static_cast<PvmEncoding>((w[5] >> 40) & 0xf);
  call.tasks = static_cast<std::uint32_t>((w[5] >> 44) & 0xfff);
  call.error = static_cast<std::uint8_t>(w[5] >> 56);
  call.partner = static_cast<std::uint32_t>(w[6]);
  call.tag = static_cast<std::uint32_t>(w[6] >> 32);
  call.task = static_cast<std::uint32_t>(w[7]);
  call.group = static_cast<std::uint32_t>(w[7] >> 32);
  return call;
}

/// The layout of destinations in continuation records.
namespace pvm_parts {
inline constexpr std::uint8_t highest = max_continuations;
inline constexpr std::size_t in_each = 6;
inline constexpr std::size_t max_destinations = highest * in_each;
}  // namespace pvm_parts

/// The destinations of a multicast that its records have. `event`: all records of the event, the continuation
/// records first.
std::vector<std::uint32_t> pvm_destinations_of(std::span<const TraceTuple> event);

}  // namespace eventspace
