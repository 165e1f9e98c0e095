#pragma once

#include <cstddef>
#include <cstdint>

namespace eventspace::measuring {

// The memory in the process that the code of measuring probes (measuring_code.h) uses. The tool makes the
// descriptors and reads the measures; everything else is written by the process only. All memory is initially
// zero.
//
//     descriptor of a probe (shared)   what is to be done
//     measures of a probe (shared)     lines: a thread adds to one of them, chosen by its address
//     threads (private)                slots: a thread has one of its own, with the calls that are under way
//
// Descriptors and measures are shared with forked children, so their calls count with those of the process.
// The slots are not shared: a child has a copy of the slot of its one thread.

inline constexpr std::size_t max_values = 4;
inline constexpr std::size_t max_probes = 256;  // limit for a process
inline constexpr std::size_t deepest = 120;     // limit for nested calls that a thread remembers
inline constexpr std::size_t thread_slots = 256;
inline constexpr std::size_t lines = 16;
inline constexpr std::size_t histogram_buckets = 64;

/// The registers at the place where a probe is passed, as its trampoline saves them (trampoline.cpp).
struct SavedRegisters {
  static constexpr std::uint64_t bytes_above = 128;  // between them and the stack pointer at that place

  std::uint64_t r11, r10, r9, r8, rdi, rsi, rdx, rcx, flags, rax;
};
static_assert(sizeof(SavedRegisters) == 80);

/// The positions of the numbers that expressions read. Real ones have the lower 64 bits of their register.
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
inline constexpr std::size_t max_variables = places - variable0;
inline constexpr std::size_t max_lets = 8;
inline constexpr std::size_t variable_bytes = 64;     // for each, in the memory of the probes
inline constexpr std::size_t max_arguments = 6;       // in general registers
inline constexpr std::size_t max_real_arguments = 8;  // in xmm0 to xmm7

struct Evaluated {
  std::int64_t value;
  std::uint64_t has_value;
};
/// The code of an expression (scopes/expressions/machine_code.h).
using Evaluate = Evaluated (*)(const std::int64_t* numbers);

/// A change of a variable at each passage of a probe, also by calls that do not count.
struct Let {
  std::uint64_t code{0};  ///< address of the code that calculates the new number or the summand
  std::uint8_t variable{0};
  std::uint8_t adds{0};     ///< 1: the number is added
  std::uint8_t at_exit{0};  ///< 1: executed at the exit, 0: at the entry
  std::uint8_t is_real{0};  ///< 1: the variable is a `double`
  std::uint32_t reserved{0};
};

struct Descriptor {
  std::uint64_t measures{0};           ///< address of MeasureLine[lines]
  std::uint64_t counters{0};           ///< address of ProbeCounters
  std::uint64_t threads{0};            ///< address of ThreadSlot[thread_slots]
  std::uint64_t ns_per_tick{0};        ///< times 2^32
  std::uint64_t when_at_entry{0};      ///< address of code that decides whether a call counts; 0: every call
  std::uint64_t when_at_exit{0};       ///< likewise, for code that needs the call's result or time
  std::uint64_t every{1};              ///< one of this many calls counts, in each line of counters
  std::uint64_t values[max_values]{};  ///< addresses of code
  std::uint32_t value_count{0};
  std::uint32_t number{0};       ///< less than max_probes
  std::uint32_t has_exits{0};    ///< 0: values are calculated at the entry
  std::uint32_t real_values{0};  ///< by bit: whether a value is a `double`
  std::uint64_t rings{0};        ///< address of recorded::Ring[recorded::max_rings]; 0: it does not record
  std::uint64_t guard{0};        ///< address of a number that is 1 in the process, and 0 in forked children
  std::uint64_t what{0};  ///< word 3 of its records (collectors/probe_record.h), without forms and part
  /// For a probe at a call, the return address, where the probe's exit is. 0: the probe is at a function.
  std::uint64_t returns_to{0};
  std::uint32_t has_real_arguments{0};  ///< 1: expressions need them
  std::uint32_t has_real_result{0};
  std::uint64_t variables{0};    ///< address of max_variables of variable_bytes; 0: none
  std::uint64_t phase_ticks{0};  ///< one call counts in each interval of this length; 0: all calls
  std::uint32_t let_count{0};
  std::uint32_t has_lets_only{0};  ///< 1: besides counting calls, it only changes variables
  Let lets[max_lets]{};
  std::uint64_t has_thread{0};  ///< 1: expressions need the thread id
  std::uint64_t reserved_words[2]{};
};
static_assert(sizeof(Descriptor) == 320);

/// The records of probes in a segment (tuplespace/trace/trace_element.h).
namespace recorded {

inline constexpr std::size_t max_rings = 64;
inline constexpr std::uint32_t threshold = 1023;  // of each trace element: the slots are a power of two

/// The trace element of one thread, which claims it when it passes its first probe, and keeps it.
struct Ring {
  std::uint64_t key;          ///< address of the thread's own data; 0: unclaimed
  std::uint64_t block;        ///< its address
  std::uint64_t thread_path;  ///< word 2 of its records
  std::int32_t tid;
  std::uint32_t reserved;
  std::uint64_t reserved_too[4];
};
static_assert(sizeof(Ring) == 64);

}  // namespace recorded

/// The measurements of one value. A sum of whole numbers has 128 bits, so that it cannot overflow; a sum of
/// real numbers is stored as the bits of a `double`, in `sum_low`.
struct ValueMeasure {
  std::uint64_t count;
  std::uint64_t sum_low;
  std::uint64_t sum_high;
  std::uint64_t least;     ///< ordered() or ordered_real(), with all bits inverted
  std::uint64_t greatest;  ///< ordered() or ordered_real()
  std::uint64_t missing;   ///< calls for which it could not be calculated, or not be added to a sum of real
                           ///< numbers because of contention
};

struct MeasureLine {
  std::uint64_t calls;     ///< measured from entry to exit
  std::uint64_t total_ns;  ///< of calls that are not nested in a call of the same function
  std::uint64_t own_ns;    ///< without nested measured calls
  std::uint64_t sum_ns;    ///< of all calls
  std::uint64_t least_ns;  ///< all bits inverted; 0: none
  std::uint64_t greatest_ns;
  std::uint64_t passed_by;    ///< calls that were left without passing an exit: by an exception or longjmp
  std::uint64_t no_entry;     ///< exits whose entry was not seen
  std::uint64_t no_room;      ///< calls that were nested too deep, or of threads without a slot
  std::uint64_t left_out;     ///< calls excluded by `when`, `every` or the phase
  std::uint64_t not_raised;   ///< a least, a greatest or a real variable that was not stored because of
                              ///< contention
  std::uint64_t unrecorded;   ///< calls for which the segment had no room
  std::uint64_t phase_start;  ///< in the first line: ticks of the last call that counted, see phase_ticks
  std::uint64_t reserved[3];
  ValueMeasure values[max_values];
  std::uint64_t reserved_too[24];
  std::uint64_t histogram[histogram_buckets];  ///< calls by the highest bit of their time in ns
};
static_assert(sizeof(MeasureLine) == 1024);

/// Maps signed to unsigned numbers, keeping their order.
constexpr std::uint64_t ordered(std::int64_t value) noexcept {
  return static_cast<std::uint64_t>(value) ^ (std::uint64_t{1} << 63);
}

/// Does the same for the bits of a finite `double`.
constexpr std::uint64_t ordered_real(std::uint64_t bits) noexcept {
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  return (bits & sign) != 0 ? ~bits : bits | sign;
}

/// For a probe at a call, the position on the stack is in the middle of the return address: between the
/// positions of a probe at the entry of the called function, and of a probe at the caller.
inline constexpr std::uint64_t call_frame = 4;

/// A call in progress.
struct Frame {
  std::uint64_t stack;  ///< the stack pointer at the entry, which is the same at an exit; see call_frame
  std::uint64_t descriptor;
  std::uint64_t start;                                         ///< ticks
  std::uint64_t inner_ns;                                      ///< of ended nested measured calls
  std::int64_t arguments[max_arguments + max_real_arguments];  ///< the real ones only if needed
};
static_assert(sizeof(Frame) == 144);

/// ThreadSlot::calls holds two numbers in one word, so that a push detects that a signal handler has used its
/// frame.
inline constexpr std::uint64_t one_push = std::uint64_t{1} << 32;
constexpr std::uint64_t depth_of(std::uint64_t calls) noexcept { return calls % one_push; }

/// The state of the thread whose own data is at `key`. A later thread whose data has the same address
/// continues with it.
struct ThreadSlot {
  std::uint64_t key;      ///< 0: free
  std::uint64_t calls;    ///< depth_of(): frames in use; the higher bits: pushes that have begun
  std::uint64_t ring;     ///< address of its recorded::Ring; 0: unknown
  std::uint64_t writing;  ///< stack position of the call that is writing a record; 0: none
  std::uint64_t reserved[4];
  std::uint16_t nested[max_probes];  ///< by probe: how many of its calls are among the frames
  /// By probe: how many of its calls have passed, including those that do not count; for a probe with exits
  /// only calls that have ended.
  std::uint64_t passages[max_probes];
  Frame frames[deepest];  ///< outermost first
};
static_assert(sizeof(ThreadSlot) % 64 == 0);

}  // namespace eventspace::measuring
