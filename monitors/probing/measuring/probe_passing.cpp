#include <cstddef>
#include <cstdint>

#include "monitors/probing/measuring/measuring_layout.h"

// The code that measures, see measuring_code.h. All functions are in a section of their own, so that the
// linker marks its beginning and end. They must not refer to anything outside: no other functions, no
// constants in memory, no jump tables. This is ensured by the compiler flags of this file (CMakeLists.txt)
// and by the test MeasuringCode.NeedsNothingOutside. Includes only headers that compile with these flags:
// Clang refuses most of the standard library without floating-point numbers.

#ifdef __x86_64__

#define EVENTSPACE_CODE_OF_PROBES __attribute__((section("eventspace_probes_code"), noinline, used))
#define EVENTSPACE_PART static inline __attribute__((always_inline))

using namespace eventspace::measuring;  // NOLINT(google-build-using-namespace): this file is its code

namespace {

template <class Type>
EVENTSPACE_PART Type* at(std::uint64_t address) {
  return reinterpret_cast<Type*>(address);  // NOLINT(performance-no-int-to-ptr)
}

EVENTSPACE_PART std::uint64_t own_data() {
  std::uint64_t address = 0;
  asm("mov %%fs:0,%0" : "=r"(address));
  return address;
}

// Makes a system call each time: own_data() cannot distinguish a thread from a later one whose data has the
// same address.
EVENTSPACE_PART std::int64_t id_of_thread() {
  std::int64_t id = 186;  // gettid
  asm volatile("syscall" : "+a"(id) : : "rcx", "r11", "memory");
  return id;
}

// Atomic, since forked children and threads of the same line add too.
EVENTSPACE_PART void add(std::uint64_t& to, std::uint64_t value) {
  __atomic_fetch_add(&to, value, __ATOMIC_RELAXED);
}

EVENTSPACE_PART void raise(MeasureLine& line, std::uint64_t& greatest, std::uint64_t value) {
  std::uint64_t seen = __atomic_load_n(&greatest, __ATOMIC_RELAXED);
  for (int attempt = 0; seen < value; ++attempt) {
    if (attempt == 64) return add(line.not_raised, 1);
    if (__atomic_compare_exchange_n(&greatest, &seen, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      return;
  }
}

EVENTSPACE_PART MeasureLine& line_of(const Descriptor& probe) {
  return at<MeasureLine>(probe.measures)[(own_data() >> 12) % lines];
}

// A thread claims a free slot the first time. Null if there is none near its position.
EVENTSPACE_PART ThreadSlot* slot_of(const Descriptor& probe) {
  constexpr std::uint64_t factor = 0x9e3779b97f4a7c15U;
  const std::uint64_t key = own_data();
  const std::uint64_t first = (key >> 6) * factor >> 56;
  for (std::uint64_t i = 0; i < 16; ++i) {
    ThreadSlot* const slot = at<ThreadSlot>(probe.threads) + (first + i) % thread_slots;
    std::uint64_t seen = __atomic_load_n(&slot->key, __ATOMIC_RELAXED);
    if (seen == key) return slot;
    if (seen != 0) continue;
    if (__atomic_compare_exchange_n(&slot->key, &seen, key, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
        seen == key)
      return slot;
  }
  return nullptr;
}

EVENTSPACE_PART std::uint64_t load(const std::uint64_t& from) {
  return __atomic_load_n(&from, __ATOMIC_RELAXED);
}
EVENTSPACE_PART void store(std::uint64_t& to, std::uint64_t value) {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);  // keeps this order also for a signal handler
  __atomic_store_n(&to, value, __ATOMIC_RELAXED);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

// Changes numbers that only their thread changes. A signal handler may change them too, but it runs before or
// after the one instruction, which therefore needs no lock prefix.
EVENTSPACE_PART std::uint64_t add_own(std::uint64_t& to, std::uint64_t value) {
  asm volatile("xaddq %[value],%[to]" : [value] "+r"(value), [to] "+m"(to) : : "cc", "memory");
  return value;  // the former value
}
EVENTSPACE_PART bool change_own(std::uint64_t& number, std::uint64_t from, std::uint64_t to) {
  bool is_changed = false;
  asm volatile("cmpxchgq %[to],%[number]"
               : "=@ccz"(is_changed), [number] "+m"(number), "+a"(from)
               : [to] "r"(to)
               : "memory");
  return is_changed;
}

EVENTSPACE_PART std::uint16_t& nested_of(ThreadSlot& slot, const Descriptor& probe) {
  return slot.nested[probe.number % max_probes];
}

// The number of this passage of the thread, from 0; passages count even if they are not recorded.
EVENTSPACE_PART std::uint64_t next_passage(const Descriptor& probe, ThreadSlot& slot) {
  return add_own(slot.passages[probe.number % max_probes], 1);
}

// Drops calls whose part of the stack is gone: they were left by an exception or a jump. Calls at `limit`
// itself are gone, too, if another call begins there.
EVENTSPACE_PART void forget_passed(ThreadSlot& slot, std::uint64_t limit) {
  for (std::size_t i = 0; i < 2 * deepest; ++i) {
    const std::uint64_t calls = load(slot.calls);
    const std::uint64_t depth = depth_of(calls);
    if (depth == 0 || depth > deepest) return;
    const Frame& frame = slot.frames[depth - 1];
    if (frame.stack >= limit) return;
    const Descriptor& probe = *at<Descriptor>(frame.descriptor);
    --nested_of(slot, probe);
    if (change_own(slot.calls, calls, calls - 1)) {
      add(line_of(probe).passed_by, 1);
      (void)next_passage(probe, slot);
    } else {
      ++nested_of(slot, probe);  // a handler of a signal has come, and may have forgotten the same call
    }
  }
}

// Clears the return address on the stack: otherwise a frame that later lies there might seem to return to the
// probe, whose memory could then not be removed.
EVENTSPACE_PART Evaluated evaluate(std::uint64_t code, const std::int64_t* numbers) {
  const Evaluated evaluated = at<Evaluated(const std::int64_t*)>(code)(numbers);
  asm volatile("movq $0,-8(%%rsp)" ::: "memory");
  return evaluated;
}

EVENTSPACE_PART bool is_chosen(std::uint64_t code, const std::int64_t* numbers) {
  return code == 0 || evaluate(code, numbers).value != 0;
}

EVENTSPACE_PART std::uint64_t stack_at(const SavedRegisters* saved) {
  return reinterpret_cast<std::uint64_t>(saved) + sizeof(SavedRegisters) + SavedRegisters::bytes_above;
}

// The place after a call may also be reached by a jump that skipped it, or by an exception handler. After a
// return, the return address is still below the stack pointer.
EVENTSPACE_PART bool has_returned(const Descriptor& probe, const SavedRegisters* saved) {
  return probe.returns_to == 0 || load(*at<std::uint64_t>(stack_at(saved) - 8)) == probe.returns_to;
}

/// The data of a record.
struct Event {
  std::uint64_t start;
  std::uint64_t end;
  std::uint64_t passage;
  std::uint64_t values[max_values];
  std::uint64_t forms[max_values];
};

EVENTSPACE_PART void clear(Event& event) {
  for (std::size_t i = 0; i < max_values; ++i) event.values[i] = event.forms[i] = 0;
}

// Adds two real numbers. This code must not change the processor's registers and modes for real numbers.
EVENTSPACE_PART std::uint64_t real_sum(std::uint64_t left, std::uint64_t right) {
  std::uint64_t saved[2];
  std::uint32_t modes = 0;
  const std::uint32_t usual_modes = 0x1f80;  // no exceptions enabled
  std::uint64_t sum = 0;
  asm volatile(
      "stmxcsr %[modes]\n\t"
      "ldmxcsr %[usual]\n\t"
      "movups %%xmm0,%[saved]\n\t"
      "movq %[left],%%xmm0\n\t"
      "addsd %[right],%%xmm0\n\t"
      "movq %%xmm0,%[sum]\n\t"
      "movups %[saved],%%xmm0\n\t"
      "ldmxcsr %[modes]"
      : [sum] "=&r"(sum), [modes] "+m"(modes), [saved] "=m"(saved)
      : [usual] "m"(usual_modes), [left] "r"(left), [right] "m"(right));
  return sum;
}

// Returns false if other threads have changed the number at each attempt.
EVENTSPACE_PART bool add_real(std::uint64_t& to, std::uint64_t bits) {
  std::uint64_t seen = load(to);
  for (int attempt = 0; attempt < 64; ++attempt)
    if (__atomic_compare_exchange_n(&to, &seen, real_sum(seen, bits), false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED))
      return true;
  return false;
}

EVENTSPACE_PART void measure_real(MeasureLine& line, ValueMeasure& measure, std::uint64_t bits) {
  if (!add_real(measure.sum_low, bits)) return add(measure.missing, 1);
  add(measure.count, 1);
  raise(line, measure.greatest, ordered_real(bits));
  raise(line, measure.least, ~ordered_real(bits));
}

EVENTSPACE_PART void measure_whole(MeasureLine& line, ValueMeasure& measure, std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  const std::uint64_t before = __atomic_fetch_add(&measure.sum_low, bits, __ATOMIC_RELAXED);
  const std::uint64_t carry = before + bits < bits ? 1 : 0;
  const std::uint64_t upper = carry - (value < 0 ? 1 : 0);
  if (upper != 0) add(measure.sum_high, upper);
  add(measure.count, 1);
  raise(line, measure.greatest, ordered(value));
  raise(line, measure.least, ~ordered(value));
}

EVENTSPACE_PART void measure_values(const Descriptor& probe, MeasureLine& line, const std::int64_t* numbers,
                                    Event& event) {
  clear(event);
  for (std::uint32_t i = 0; i < probe.value_count && i < max_values; ++i) {
    ValueMeasure& measure = line.values[i];
    const Evaluated evaluated = evaluate(probe.values[i], numbers);
    if (evaluated.has_value == 0) {
      add(measure.missing, 1);
      continue;
    }
    const auto bits = static_cast<std::uint64_t>(evaluated.value);
    const bool is_real = (probe.real_values >> i & 1) != 0;
    event.values[i] = bits;
    event.forms[i] = is_real ? 3 : 1;  // NumberForm::real and ::integer
    is_real ? measure_real(line, measure, bits) : measure_whole(line, measure, evaluated.value);
  }
}

EVENTSPACE_PART void measure_time(MeasureLine& line, std::uint64_t ns, std::uint64_t own_ns,
                                  bool is_outermost) {
  add(line.calls, 1);
  add(line.sum_ns, ns);
  add(line.own_ns, own_ns);
  if (is_outermost) add(line.total_ns, ns);
  raise(line, line.greatest_ns, ns);
  raise(line, line.least_ns, ~ns);
  add(line.histogram[ns == 0 ? 0 : 63 - __builtin_clzll(ns)], 1);
}

EVENTSPACE_PART std::uint64_t ns_since(const Descriptor& probe, std::uint64_t start, std::uint64_t now) {
  if (now <= start) return 0;  // the clock of another processor may be behind by some ticks
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((Wide{now - start} * probe.ns_per_tick) >> 32);
}

// The first time, a thread claims a trace element, and gets its id from the system. Null if there is none
// left.
EVENTSPACE_PART recorded::Ring* ring_of(const Descriptor& probe, ThreadSlot& slot) {
  if (slot.ring != 0) return at<recorded::Ring>(slot.ring);
  const std::uint64_t key = own_data();
  for (std::size_t i = 0; i < recorded::max_rings; ++i) {
    recorded::Ring& ring = at<recorded::Ring>(probe.rings)[i];
    std::uint64_t seen = load(ring.key);
    if (seen != key && (seen != 0 || !__atomic_compare_exchange_n(&ring.key, &seen, key, false,
                                                                  __ATOMIC_RELAXED, __ATOMIC_RELAXED)))
      continue;
    __atomic_store_n(&ring.tid, static_cast<std::int32_t>(id_of_thread()), __ATOMIC_RELEASE);
    store(slot.ring, reinterpret_cast<std::uint64_t>(&ring));
    return &ring;
  }
  return nullptr;
}

EVENTSPACE_PART void store_word(std::uint64_t& to, std::uint64_t value) {
  __atomic_store_n(&to, value, __ATOMIC_RELEASE);
}

EVENTSPACE_PART std::uint64_t* next_slot(const recorded::Ring& ring, std::uint64_t published) {
  constexpr std::uint64_t first_slot = 16;  // TraceRing::first_slot of one lane
  return at<std::uint64_t>(ring.block) + first_slot + published % (recorded::threshold + 1) * 8;
}

// The protocol of TraceWriter::begin.
EVENTSPACE_PART void begin_record(const recorded::Ring& ring, std::uint64_t start, std::uint64_t what) {
  const std::uint64_t published = load(*at<std::uint64_t>(ring.block));
  std::uint64_t* const slot = next_slot(ring, published);
  store_word(slot[1], start);
  store_word(slot[2], ring.thread_path);
  store_word(slot[3], what);
  store_word(slot[0], published + 1);
}

// The protocol of TraceWriter::end.
EVENTSPACE_PART void end_record(const recorded::Ring& ring, const Event& event, std::size_t value) {
  std::uint64_t& head = *at<std::uint64_t>(ring.block);
  const std::uint64_t published = load(head);
  std::uint64_t* const slot = next_slot(ring, published);
  constexpr std::uint64_t passage_mark = std::uint64_t{1} << 63;  // collectors/probe_record.h
  store_word(slot[4], event.end);
  store_word(slot[5], event.values[value]);
  store_word(slot[6], event.values[value + 1]);
  store_word(slot[7], event.passage | passage_mark);
  store_word(head, published + 1);
}

// Publishes the innermost call in progress as the event in flight.
EVENTSPACE_PART void show_innermost(const recorded::Ring& ring, const ThreadSlot& slot) {
  const std::uint64_t depth = depth_of(load(slot.calls));
  if (depth == 0 || depth > deepest) return;
  const Frame& frame = slot.frames[depth - 1];
  begin_record(ring, frame.start, at<Descriptor>(frame.descriptor)->what);
}

// A trace element is written by one call at a time: a signal handler that interrupts its thread's writing
// does not write. If a handler jumped away, the interrupted call is deeper in the stack than any later call,
// and is over.
EVENTSPACE_PART bool begin_writing(ThreadSlot& slot, std::uint64_t stack) {
  const std::uint64_t writing = load(slot.writing);
  if (writing != 0 && writing > stack) return false;
  store(slot.writing, stack);
  return true;
}

// Writes continuation records first, see RecordHeader.
EVENTSPACE_PART void record_event(const Descriptor& probe, ThreadSlot& slot, std::uint64_t stack,
                                  const Event& event) {
  if (probe.rings == 0 || load(*at<std::uint64_t>(probe.guard)) != 1) return;
  recorded::Ring* const ring = ring_of(probe, slot);
  if (ring == nullptr || !begin_writing(slot, stack)) return add(line_of(probe).unrecorded, 1);
  for (std::uint64_t part = probe.value_count > 2 ? 2 : 1; part-- > 0;) {
    const std::uint64_t i = part * 2;
    begin_record(*ring, event.start,
                 probe.what | event.forms[i] << 28 | event.forms[i + 1] << 30 | part << 8);
    end_record(*ring, event, i);
  }
  show_innermost(*ring, slot);
  store(slot.writing, 0);
}

EVENTSPACE_PART void show_begun(const Descriptor& probe, ThreadSlot& slot, std::uint64_t stack) {
  if (probe.rings == 0 || load(*at<std::uint64_t>(probe.guard)) != 1) return;
  const recorded::Ring* const ring = ring_of(probe, slot);
  if (ring == nullptr || !begin_writing(slot, stack)) return;
  show_innermost(*ring, slot);
  store(slot.writing, 0);
}

// The registers still have the values from the place where the probe was passed.
EVENTSPACE_PART void read_real_arguments(std::int64_t* numbers) {
  asm volatile(
      "movq %%xmm0,0(%0)\n\t movq %%xmm1,8(%0)\n\t movq %%xmm2,16(%0)\n\t movq %%xmm3,24(%0)\n\t"
      "movq %%xmm4,32(%0)\n\t movq %%xmm5,40(%0)\n\t movq %%xmm6,48(%0)\n\t movq %%xmm7,56(%0)"
      :
      : "r"(numbers + real_argument0)
      : "memory");
}

EVENTSPACE_PART void read_arguments(const Descriptor& probe, const SavedRegisters& saved,
                                    std::int64_t* numbers) {
  numbers[0] = static_cast<std::int64_t>(saved.rdi);
  numbers[1] = static_cast<std::int64_t>(saved.rsi);
  numbers[2] = static_cast<std::int64_t>(saved.rdx);
  numbers[3] = static_cast<std::int64_t>(saved.rcx);
  numbers[4] = static_cast<std::int64_t>(saved.r8);
  numbers[5] = static_cast<std::int64_t>(saved.r9);
  if (probe.has_real_arguments != 0) read_real_arguments(numbers);
}

EVENTSPACE_PART void read_thread(const Descriptor& probe, std::int64_t* numbers) {
  if (probe.has_thread != 0) numbers[thread] = id_of_thread();
}

EVENTSPACE_PART std::uint64_t& variable_at(const Descriptor& probe, std::uint64_t number) {
  return *at<std::uint64_t>(probe.variables + number * variable_bytes);
}

EVENTSPACE_PART void read_variables(const Descriptor& probe, std::int64_t* numbers) {
  for (std::size_t i = 0; i < max_variables && probe.variables != 0; ++i)
    numbers[variable0 + i] = static_cast<std::int64_t>(load(variable_at(probe, i)));
}

EVENTSPACE_PART void change_variable(const Descriptor& probe, const Let& let, std::uint64_t bits) {
  std::uint64_t& variable = variable_at(probe, let.variable);
  if (let.adds == 0) return __atomic_store_n(&variable, bits, __ATOMIC_RELAXED);
  if (let.is_real == 0) return add(variable, bits);
  if (!add_real(variable, bits)) add(line_of(probe).not_raised, 1);
}

// In order: each let sees the changes of those before it.
EVENTSPACE_PART void change_variables(const Descriptor& probe, bool at_exit, std::int64_t* numbers) {
  for (std::uint32_t i = 0; i < probe.let_count && i < max_lets; ++i) {
    const Let& let = probe.lets[i];
    if ((let.at_exit != 0) != at_exit) continue;
    read_variables(probe, numbers);
    const Evaluated evaluated = evaluate(let.code, numbers);
    if (evaluated.has_value != 0) change_variable(probe, let, static_cast<std::uint64_t>(evaluated.value));
  }
  read_variables(probe, numbers);
}

// Whether the phase has passed since the last call that counted. If several threads find that it has, one
// wins.
EVENTSPACE_PART bool is_due(const Descriptor& probe) {
  if (probe.phase_ticks == 0) return true;
  std::uint64_t& start = at<MeasureLine>(probe.measures)->phase_start;
  std::uint64_t seen = load(start);
  const std::uint64_t now = __builtin_ia32_rdtsc();
  if (seen != 0 && (now < seen || now - seen < probe.phase_ticks)) return false;
  return __atomic_compare_exchange_n(&start, &seen, now, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/// Counts the call. Returns the previous count of this line of counters.
EVENTSPACE_PART std::uint64_t count(const Descriptor& probe) {
  constexpr std::uint64_t counter_lines = 32;  // ProbeCounters
  std::uint64_t* const line = at<std::uint64_t>(probe.counters) + (own_data() >> 12) % counter_lines * 8;
  return __atomic_fetch_add(line, 1, __ATOMIC_RELAXED);
}

EVENTSPACE_PART void fill(Frame& frame, const Descriptor& probe, std::uint64_t stack,
                          const std::int64_t* numbers) {
  frame.stack = stack;
  frame.descriptor = reinterpret_cast<std::uint64_t>(&probe);
  frame.inner_ns = 0;
  for (std::size_t i = 0; i < max_arguments; ++i) frame.arguments[i] = numbers[i];
  for (std::size_t i = 0; i < max_real_arguments && probe.has_real_arguments != 0; ++i)
    frame.arguments[max_arguments + i] = numbers[real_argument0 + i];
  frame.start = __builtin_ia32_rdtsc();
}

// The frame is in use only once `calls` counts it. A signal handler that runs before that uses the same frame
// and changes the number of begun pushes; the frame is then filled again.
EVENTSPACE_PART void push(const Descriptor& probe, ThreadSlot& slot, std::uint64_t stack,
                          const std::int64_t* numbers) {
  std::uint16_t& nested = nested_of(slot, probe);
  const auto inside = static_cast<std::uint16_t>(nested + 1);
  for (int attempt = 0; attempt < 64; ++attempt) {
    const std::uint64_t calls = add_own(slot.calls, one_push) + one_push;
    const std::uint64_t depth = depth_of(calls);
    if (depth >= deepest) break;
    fill(slot.frames[depth], probe, stack, numbers);
    // Otherwise a signal handler that jumps away from here would leave the number one too high.
    nested = depth == 0 ? 1 : inside;
    if (change_own(slot.calls, calls, calls + 1)) return;
  }
  add(line_of(probe).no_room, 1);
}

}  // namespace

extern "C" {

EVENTSPACE_CODE_OF_PROBES void eventspace_probe_entry(const Descriptor* probe, const SavedRegisters* saved) {
  const std::uint64_t before = count(*probe);
  std::int64_t numbers[places];
  read_arguments(*probe, *saved, numbers);
  read_thread(*probe, numbers);
  change_variables(*probe, false, numbers);
  if (probe->has_lets_only != 0) return;
  ThreadSlot* const slot = probe->has_exits != 0 || probe->rings != 0 ? slot_of(*probe) : nullptr;
  const std::uint64_t stack = stack_at(saved) + (probe->returns_to != 0 ? call_frame : 0);
  if (slot != nullptr) forget_passed(*slot, stack + 1);
  const bool is_turn = probe->every <= 1 || before % probe->every == 0;
  if (!is_turn || !is_chosen(probe->when_at_entry, numbers) ||
      (probe->when_at_exit == 0 && !is_due(*probe))) {
    if (slot != nullptr) (void)next_passage(*probe, *slot);
    return add(line_of(*probe).left_out, 1);
  }
  if (probe->has_exits == 0) {
    Event event;
    event.passage = slot != nullptr ? next_passage(*probe, *slot) : 0;
    measure_values(*probe, line_of(*probe), numbers, event);
    if (probe->rings == 0) return;
    if (slot == nullptr) return add(line_of(*probe).unrecorded, 1);
    event.start = event.end = __builtin_ia32_rdtsc();
    return record_event(*probe, *slot, stack, event);
  }
  if (slot == nullptr) return add(line_of(*probe).no_room, 1);
  push(*probe, *slot, stack, numbers);
  show_begun(*probe, *slot, stack);
}

EVENTSPACE_CODE_OF_PROBES void eventspace_probe_exit(const Descriptor* probe, const SavedRegisters* saved) {
  const std::uint64_t now = __builtin_ia32_rdtsc();
  if (!has_returned(*probe, saved)) return;
  std::int64_t numbers[places];
  numbers[result] = static_cast<std::int64_t>(saved->rax);
  if (probe->has_real_result != 0) asm volatile("movq %%xmm0,%0" : "=r"(numbers[real_result]));
  read_thread(*probe, numbers);
  change_variables(*probe, true, numbers);
  if (probe->has_exits == 0) return;
  ThreadSlot* const slot = slot_of(*probe);
  if (slot == nullptr) return;  // its entry was counted as a call without room
  // After a call, the return address is not on the stack any more.
  const std::uint64_t stack = stack_at(saved) - (probe->returns_to != 0 ? call_frame : 0);
  forget_passed(*slot, stack);
  const std::uint64_t calls = load(slot->calls);
  const std::uint64_t depth = depth_of(calls);
  Frame* const frame = depth > 0 && depth <= deepest ? &slot->frames[depth - 1] : nullptr;
  const bool is_its = frame != nullptr && frame->stack == stack && at<Descriptor>(frame->descriptor) == probe;
  MeasureLine& line = line_of(*probe);
  if (!is_its) {
    // A call that does not count was not noted at its entry; and a jump may lead to the place after a call.
    const bool is_each_noted = probe->when_at_entry == 0 && probe->every <= 1 &&
                               (probe->phase_ticks == 0 || probe->when_at_exit != 0);
    if (is_each_noted && probe->returns_to == 0) add(line.no_entry, 1);
    return;
  }
  for (std::size_t i = 0; i < max_arguments; ++i) numbers[i] = frame->arguments[i];
  for (std::size_t i = 0; i < max_real_arguments && probe->has_real_arguments != 0; ++i)
    numbers[real_argument0 + i] = frame->arguments[max_arguments + i];
  const std::uint64_t ns = ns_since(*probe, frame->start, now);
  const std::uint64_t inner = frame->inner_ns;
  Event event;
  event.start = frame->start;
  event.end = now;
  event.passage = next_passage(*probe, *slot);
  // A handler of a signal that comes between the two leaves both as they are.
  --nested_of(*slot, *probe);
  store(slot->calls, calls - 1);
  if (depth > 1) (void)add_own(frame[-1].inner_ns, ns);
  numbers[duration] = static_cast<std::int64_t>(ns);
  const bool is_counted =
      is_chosen(probe->when_at_exit, numbers) && (probe->when_at_exit == 0 || is_due(*probe));
  if (!is_counted) return add(line.left_out, 1);
  const bool is_outermost = nested_of(*slot, *probe) == 0;
  measure_time(line, ns, ns > inner ? ns - inner : 0, is_outermost);
  measure_values(*probe, line, numbers, event);
  record_event(*probe, *slot, stack, event);
}

}  // extern "C"

#endif
