#pragma once

// Private to monitors/.

#include <cstddef>
#include <cstdint>

namespace eventspace::measuring {

// What the code of probes that measure calls (measuring_code.h) finds and keeps in the process. The tool
// makes the descriptors and reads the measures; everything else is written by the process only. All memory is
// zero at first.
//
//     descriptor of a probe (shared)   what is to be done
//     measures of a probe (shared)     lines: a thread adds to one of them, chosen by its address
//     threads (private)                slots: a thread has one of its own, with the calls that are under way
//
// Descriptors and measures are shared with forked children, whose calls so count with those of the process.
// The slots are not: a child has a copy of the one thread's that it has.

inline constexpr std::size_t most_values = 4;
inline constexpr std::size_t most_probes = 256;  // of a process
inline constexpr std::size_t deepest = 120;      // calls under way that a thread remembers
inline constexpr std::size_t thread_slots = 256;
inline constexpr std::size_t lines = 16;
inline constexpr std::size_t histogram_buckets = 64;

/// The registers of the place where a probe is passed, as its trampoline saves them (trampoline.cpp).
struct SavedRegisters {
  static constexpr std::uint64_t bytes_above = 128;  // between them and the stack pointer of the place

  std::uint64_t r11, r10, r9, r8, rdi, rsi, rdx, rcx, flags, rax;
};
static_assert(sizeof(SavedRegisters) == 80);

/// The places of the numbers that expressions get. Real ones have the lower 64 bits of their register.
enum Place : std::uint8_t {
  argument0,
  result = 6,
  duration,
  real_argument0,
  real_result = 16,
  thread,
  variable0,
  places = variable0 + 8
};
inline constexpr std::size_t most_variables = places - variable0;
inline constexpr std::size_t most_lets = 8;
inline constexpr std::size_t variable_bytes = 64;      // of each, in the memory of the probes
inline constexpr std::size_t most_arguments = 6;       // in general registers
inline constexpr std::size_t most_real_arguments = 8;  // in xmm0 to xmm7

struct Evaluated {
  std::int64_t value;
  std::uint64_t has_value;
};
/// The code of an expression (scopes/expressions/machine_code.h).
using Evaluate = Evaluated (*)(const std::int64_t* numbers);

/// What a probe does with a variable whenever it is passed, also by calls that do not count.
struct Let {
  std::uint64_t code{0};  ///< address of that of the new number, or of what is added
  std::uint8_t variable{0};
  std::uint8_t adds{0};     ///< 1: it is added
  std::uint8_t at_exit{0};  ///< 1: where the function is left, 0: where it is entered
  std::uint8_t is_real{0};  ///< 1: the variable is a `double`
  std::uint32_t reserved{0};
};

struct Descriptor {
  std::uint64_t measures{0};            ///< address of MeasureLine[lines]
  std::uint64_t counters{0};            ///< address of ProbeCounters
  std::uint64_t threads{0};             ///< address of ThreadSlot[thread_slots]
  std::uint64_t ns_per_tick{0};         ///< times 2^32
  std::uint64_t when_at_entry{0};       ///< address of code that says whether a call counts; 0: each
  std::uint64_t when_at_exit{0};        ///< likewise, of code that needs its result or its time
  std::uint64_t every{1};               ///< one of so many calls counts, for each line of counters
  std::uint64_t values[most_values]{};  ///< addresses of code
  std::uint32_t value_count{0};
  std::uint32_t number{0};       ///< less than most_probes
  std::uint32_t has_exits{0};    ///< 0: values are those at the entry
  std::uint32_t real_values{0};  ///< by bit: whether a value is a `double`
  std::uint64_t rings{0};        ///< address of recorded::Ring[recorded::most_rings]; 0: it records nothing
  std::uint64_t guard{0};        ///< address of a number that is 1 in the process, and 0 in forked children
  std::uint64_t what{0};  ///< word 3 of its records (collectors/probe_record.h), without forms and part
  /// Of a probe at a call: the address behind it, which is that of the probe's exit. 0: of a function.
  std::uint64_t returns_to{0};
  std::uint32_t has_real_arguments{0};  ///< 1: expressions need those
  std::uint32_t has_real_result{0};
  std::uint64_t variables{0};    ///< address of most_variables of variable_bytes; 0: it uses none
  std::uint64_t phase_ticks{0};  ///< in so much time only one call counts; 0: all
  std::uint32_t let_count{0};
  std::uint32_t has_lets_only{0};  ///< 1: its calls are counted and else only have these effects
  Let lets[most_lets]{};
  std::uint64_t has_thread{0};  ///< 1: expressions need the id of the thread
  std::uint64_t reserved_words[2]{};
};
static_assert(sizeof(Descriptor) == 320);

/// The records of probes in a segment (tuplespace/trace/trace_element.h).
namespace recorded {

inline constexpr std::size_t most_rings = 64;
inline constexpr std::uint32_t threshold = 1023;  // of each trace element: the slots are a power of two

/// The trace element of one thread, which takes it when it passes its first probe, and keeps it.
struct Ring {
  std::uint64_t key;          ///< the address of the thread's own data; 0: of no thread yet
  std::uint64_t block;        ///< its address
  std::uint64_t thread_path;  ///< word 2 of its records
  std::int32_t tid;
  std::uint32_t reserved;
  std::uint64_t reserved_too[4];
};
static_assert(sizeof(Ring) == 64);

}  // namespace recorded

/// Of one value. A sum of whole numbers has 128 bits, so that it cannot overflow; one of real numbers is the
/// bits of a `double`, in `sum_low`.
struct ValueMeasure {
  std::uint64_t count;
  std::uint64_t sum_low;
  std::uint64_t sum_high;
  std::uint64_t least;     ///< ordered() or ordered_real(), and all bits inverted
  std::uint64_t greatest;  ///< ordered() or ordered_real()
  std::uint64_t missing;   ///< calls for which it could not be calculated, or not be added to a sum of
                           ///< real numbers, as others added all the time
};

struct MeasureLine {
  std::uint64_t calls;     ///< that were measured from entry to exit
  std::uint64_t total_ns;  ///< of those that are not inside another call of the same function
  std::uint64_t own_ns;    ///< without the measured calls inside
  std::uint64_t sum_ns;    ///< of all of them
  std::uint64_t least_ns;  ///< all bits inverted; 0: there is none
  std::uint64_t greatest_ns;
  std::uint64_t passed_by;    ///< calls that were left without passing an exit: by an exception, by longjmp
  std::uint64_t no_entry;     ///< exits whose entry was not seen
  std::uint64_t no_room;      ///< calls that were too deep, or of threads without a slot
  std::uint64_t left_out;     ///< calls that do not count by `when`, `every` or the phase
  std::uint64_t not_raised;   ///< a least, a greatest or a real variable that was not stored, as others
                              ///< stored all the time
  std::uint64_t unrecorded;   ///< calls for which there was no room in the segment
  std::uint64_t phase_start;  ///< of the first line: ticks of the last call that counted, see phase_ticks
  std::uint64_t reserved[3];
  ValueMeasure values[most_values];
  std::uint64_t reserved_too[24];
  std::uint64_t histogram[histogram_buckets];  ///< calls by the highest bit of their time in ns
};
static_assert(sizeof(MeasureLine) == 1024);

/// So that the least signed number is the least unsigned one.
constexpr std::uint64_t ordered(std::int64_t value) noexcept {
  return static_cast<std::uint64_t>(value) ^ (std::uint64_t{1} << 63);
}

/// Likewise the bits of a finite `double`.
constexpr std::uint64_t ordered_real(std::uint64_t bits) noexcept {
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  return (bits & sign) != 0 ? ~bits : bits | sign;
}

/// Of a probe at a call, its place on the stack is in the middle of the returned-to address: between that of
/// a probe at the entry of the function that is called, and one of the caller.
inline constexpr std::uint64_t call_frame = 4;

/// A call under way.
struct Frame {
  std::uint64_t stack;  ///< the stack pointer at the entry, and again at an exit; see call_frame
  std::uint64_t descriptor;
  std::uint64_t start;                                           ///< ticks
  std::uint64_t inner_ns;                                        ///< of measured calls inside that have ended
  std::int64_t arguments[most_arguments + most_real_arguments];  ///< the real ones only if they are needed
};
static_assert(sizeof(Frame) == 144);

/// Of ThreadSlot::calls. Both numbers are in one word, so that a push whose frame the handler of a signal has
/// used meanwhile can tell.
inline constexpr std::uint64_t one_push = std::uint64_t{1} << 32;
constexpr std::uint64_t depth_of(std::uint64_t calls) noexcept { return calls % one_push; }

/// A thread: the one whose own data is at `key`. A later thread that has its data there goes on with it.
struct ThreadSlot {
  std::uint64_t key;      ///< 0: of no thread yet
  std::uint64_t calls;    ///< depth_of(): the frames in use; above those bits: the pushes that have begun
  std::uint64_t ring;     ///< address of its recorded::Ring; 0: not known yet
  std::uint64_t writing;  ///< where on the stack a record is being written; 0: none is
  std::uint64_t reserved[4];
  std::uint16_t nested[most_probes];  ///< by probe: how many of its calls are among the frames
  /// By probe: how many of its calls have passed, also those that do not count; of a probe with exits those
  /// that have ended.
  std::uint64_t passages[most_probes];
  Frame frames[deepest];  ///< outermost first
};
static_assert(sizeof(ThreadSlot) % 64 == 0);

}  // namespace eventspace::measuring
