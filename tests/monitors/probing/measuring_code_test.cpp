#include "monitors/probing/measuring/measuring_code.h"

#include <gmock/gmock.h>
#include <sys/mman.h>

#include <bit>
#include <csignal>
#include <cstring>

#include "monitors/probing/code/instruction.h"
#include "monitors/probing/code/trampoline.h"
#include "monitors/probing/measuring/measured_calls.h"
#include "monitors/probing/measuring/probe_task.h"

#ifdef EVENTSPACE_HAS_ZYDIS

// The code is run as in other processes: copied to memory of this one, separate from this program.

namespace eventspace {
namespace {

using measuring::depth_of;
using measuring::MeasureLine;
using measuring::ThreadSlot;

TEST(MeasuringCode, NeedsNothingOutside) {
  const MeasuringCode measuring = measuring_code();
  ASSERT_FALSE(measuring.code.empty());
  EXPECT_LT(measuring.code.size(), 16384U);
  for (std::size_t at = 0; at < measuring.code.size();) {
    const auto instruction = decode(measuring.code.subspan(at), at);
    ASSERT_TRUE(instruction) << at;
    EXPECT_FALSE(instruction->relative_memory) << "data beside the code, at " << at;
    EXPECT_NE(instruction->flow, Instruction::Flow::computed_jump) << "a table of jumps, at " << at;
    if (instruction->has_target()) {
      EXPECT_LT(instruction->target, measuring.code.size()) << at;
    }
    at += instruction->length;
  }
}

/// A function with probes at its entry and its single exit. Everything is in one block of memory.
class MeasuredFunction {
 public:
  /// Offsets in the function: `exit` is the first instruction that the probe at the exit replaces, `leaving`
  /// the one that leaves, `end` the end of the replaced ones (0: the end of the function).
  MeasuredFunction(const std::string& function, std::size_t exit, std::size_t leaving,
                   const ProbeTask& task = {}, std::size_t end = 0) {
    ProbeTask timed = task;
    timed.has_times = true;
    const CompiledTask compiled = compile_task(timed);
    memory_ = static_cast<std::byte*>(
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    std::memcpy(memory_, function.data(), function.size());
    const MeasuringCode measuring = measuring_code();
    std::memcpy(memory_ + code_at, measuring.code.data(), measuring.code.size());
    describe(compiled);
    const Bytes code{memory_, function.size()};
    const auto entry = entry_trampoline(code, place(), place() + entry_at, call(measuring.entry));
    const auto leave =
        exit_trampoline(code.subspan(exit, (end == 0 ? code.size() : end) - exit), place() + exit,
                        leaving - exit, place() + exit_at, call(measuring.exit));
    is_made_ = entry && leave;
    if (!is_made_) return;
    put(0, *entry, entry_at);
    put(exit, *leave, exit_at);
  }
  ~MeasuredFunction() { ::munmap(memory_, bytes); }
  MeasuredFunction(const MeasuredFunction&) = delete;
  MeasuredFunction& operator=(const MeasuredFunction&) = delete;

  [[nodiscard]] bool is_made() const noexcept { return is_made_; }
  [[nodiscard]] const void* address() const noexcept { return memory_; }
  std::int64_t operator()(std::int64_t a, std::int64_t b = 0) const {
    return reinterpret_cast<std::int64_t (*)(std::int64_t, std::int64_t)>(memory_)(a, b);
  }
  [[nodiscard]] double real(double a, double b) const {
    return reinterpret_cast<double (*)(double, double)>(memory_)(a, b);
  }
  [[nodiscard]] MeasuredCalls measured() const {
    return measured_in({memory_ + measures_at, measuring::lines * sizeof(MeasureLine)},
                       descriptor().real_values);
  }
  [[nodiscard]] measuring::Descriptor& descriptor() const {
    return *reinterpret_cast<measuring::Descriptor*>(memory_ + descriptor_at);
  }
  [[nodiscard]] std::uint64_t variable(std::size_t number) const {
    return *reinterpret_cast<const std::uint64_t*>(memory_ + variables_at +
                                                   number * measuring::variable_bytes);
  }
  [[nodiscard]] std::uint64_t& phase_start() const {
    return reinterpret_cast<MeasureLine*>(memory_ + measures_at)->phase_start;
  }
  [[nodiscard]] std::span<ThreadSlot> slots() const {
    return {reinterpret_cast<ThreadSlot*>(memory_ + threads_at), measuring::thread_slots};
  }
  /// The slot of this thread; null if it does not have one.
  [[nodiscard]] ThreadSlot* slot() const {
    for (ThreadSlot& slot : slots())
      if (slot.key != 0) return &slot;
    return nullptr;
  }

 private:
  static constexpr std::size_t entry_at = 4096, exit_at = 5120, descriptor_at = 8192, counters_at = 12288,
                               variables_at = 9216, measures_at = 16384, expressions_at = 40960,
                               code_at = 65536, threads_at = 131072,
                               bytes = threads_at + measuring::thread_slots * sizeof(ThreadSlot);

  [[nodiscard]] std::uint64_t place() const { return reinterpret_cast<std::uint64_t>(memory_); }
  [[nodiscard]] ProbeCall call(std::uint64_t function) const {
    return {place() + code_at + function, place() + descriptor_at};
  }
  std::uint64_t put(const MachineCode& code) {
    const std::uint64_t at = expressions_at + expressions_;
    std::memcpy(memory_ + at, code.code.data(), code.code.size());
    expressions_ += code.code.size();
    return place() + at;
  }
  void describe(const CompiledTask& task) {
    measuring::Descriptor& probe = descriptor();
    probe.measures = place() + measures_at;
    probe.counters = place() + counters_at;
    probe.threads = place() + threads_at;
    probe.ns_per_tick = std::uint64_t{1} << 32;
    probe.has_exits = 1;
    probe.every = task.every;
    if (task.when) (task.is_when_at_exit ? probe.when_at_exit : probe.when_at_entry) = put(*task.when);
    probe.value_count = static_cast<std::uint32_t>(task.values.size());
    for (std::size_t i = 0; i < task.values.size(); ++i) probe.values[i] = put(task.values[i]);
    probe.real_values = task.real_values();
    probe.variables = place() + variables_at;
    for (const CompiledLet& let : task.lets)
      probe.lets[probe.let_count++] = {put(let.code),
                                       let.variable,
                                       static_cast<std::uint8_t>(let.adds),
                                       static_cast<std::uint8_t>(let.is_at_exit),
                                       static_cast<std::uint8_t>(task.variables[let.variable].is_real),
                                       0};
    probe.has_real_arguments = probe.has_real_result = 1;
  }
  void put(std::size_t where, const Trampoline& trampoline, std::size_t at) {
    std::memcpy(memory_ + at, trampoline.code.data(), trampoline.code.size());
    const auto jump = jump_code(place() + where, place() + at);
    std::memcpy(memory_ + where, jump->data(), jump->size());
  }

  std::byte* memory_;
  std::size_t expressions_{0};
  bool is_made_{false};
};

// lea (%rdi,%rsi),%rax; nop; lea 1(%rax),%rax; nop; ret
const std::string add = "\x48\x8d\x04\x37\x90\x48\x8d\x40\x01\x90\xc3";
constexpr std::size_t add_exit = 5, add_leaving = 10;

MeasuredFunction measured_add(const ProbeTask& task = {}) { return {add, add_exit, add_leaving, task}; }

ProbeTask task_of(const std::string& when, std::vector<std::string> values = {}, std::uint64_t every = 1) {
  ProbeTask task;
  task.when = when;
  task.values = std::move(values);
  task.every = every;
  return task;
}

TEST(MeasuredFunction, DoesWhatItDidAndIsTimed) {
  const MeasuredFunction function = measured_add();
  ASSERT_TRUE(function.is_made());
  EXPECT_EQ(function(40, 1), 42);
  EXPECT_EQ(function(1, 1), 3);
  const MeasuredCalls measured = function.measured();
  EXPECT_EQ(measured.calls, 2U);
  EXPECT_EQ(measured.total_ns, measured.sum_ns);
  EXPECT_EQ(measured.own_ns, measured.sum_ns);
  EXPECT_GT(measured.sum_ns, 0U);
  EXPECT_LE(measured.least_ns, measured.greatest_ns);
  EXPECT_GE(measured.sum_ns, measured.least_ns + measured.greatest_ns);
  EXPECT_EQ(measured.passed_by + measured.no_entry + measured.no_room + measured.left_out, 0U);
  EXPECT_EQ(depth_of(function.slot()->calls), 0U);
}

TEST(MeasuredFunction, AddsUpValuesOfArgumentsAndResult) {
  const MeasuredFunction function = measured_add(task_of("", {"arg0", "result", "int1 / arg0", "duration"}));
  (void)function(-5, 2);
  (void)function(0, 100);  // 100 like a null pointer: it is a number like others, and is not dereferenced
  const MeasuredCalls measured = function.measured();
  EXPECT_EQ(measured.values[0].sum, -5.0);
  EXPECT_EQ(measured.values[0].least, -5);
  EXPECT_EQ(measured.values[0].greatest, 0);
  EXPECT_EQ(measured.values[1].sum, -2.0 + 101);
  EXPECT_EQ(measured.values[2].count, 1U);
  EXPECT_EQ(measured.values[2].missing, 1U);
  EXPECT_EQ(measured.values[3].sum, static_cast<double>(measured.sum_ns));
}

TEST(MeasuredFunction, LeavesOutCallsThatDoNotCount) {
  const MeasuredFunction by_argument = measured_add(task_of("arg0 > 10"));
  const MeasuredFunction by_result = measured_add(task_of("result == 4"));
  const MeasuredFunction by_turn = measured_add(task_of("", {}, 4));
  for (std::int64_t i = 0; i < 20; ++i) {
    EXPECT_EQ(by_argument(i), i + 1);
    EXPECT_EQ(by_result(i), i + 1);
    EXPECT_EQ(by_turn(i), i + 1);
  }
  EXPECT_EQ(by_argument.measured().calls, 9U);
  EXPECT_EQ(by_argument.measured().left_out, 11U);
  EXPECT_EQ(by_argument.measured().no_entry, 0U);
  EXPECT_EQ(by_result.measured().calls, 1U);
  EXPECT_EQ(by_result.measured().left_out, 19U);
  EXPECT_EQ(by_turn.measured().calls, 5U);
}

// addsd %xmm1,%xmm0; nop; nop (4 bytes); ret
const std::string real_add("\xf2\x0f\x58\xc1\x90\x0f\x1f\x40\0\xc3", 10);
constexpr std::size_t real_exit = 5, real_leaving = 9;

TEST(MeasuredFunction, AddsUpRealArgumentsAndResults) {
  const MeasuredFunction function(
      real_add, real_exit, real_leaving,
      task_of("", {"double0", "double_result * 2", "double0 / double1", "arg0 * 0"}));
  EXPECT_EQ(function.real(-1.5, 0.25), -1.25);
  EXPECT_EQ(function.real(1e10, 0.0), 1e10);
  EXPECT_EQ(function.real(0.125, 0.5), 0.625);
  const MeasuredCalls measured = function.measured();
  EXPECT_EQ(measured.calls, 3U);
  EXPECT_EQ(measured.values[0].count, 3U);
  EXPECT_EQ(measured.values[0].sum, -1.5 + 1e10 + 0.125);
  EXPECT_EQ(measured.values[0].real_least, -1.5);
  EXPECT_EQ(measured.values[0].real_greatest, 1e10);
  EXPECT_EQ(measured.values[0].least, std::nullopt);
  EXPECT_EQ(measured.values[1].sum, -2.5 + 2e10 + 1.25);
  EXPECT_EQ(measured.values[2].count, 2U);
  EXPECT_EQ(measured.values[2].missing, 1U) << "divided by 0";
  EXPECT_EQ(measured.values[2].real_least, -6.0);
  EXPECT_EQ(measured.values[3].greatest, 0);
}

TEST(MeasuredFunction, LeavesOutCallsByRealNumbers) {
  const MeasuredFunction function(real_add, real_exit, real_leaving,
                                  task_of("double0 > 0.5 and double_result < 10"));
  for (const double a : {0.25, 0.5, 0.75, 9.0, 100.0}) EXPECT_EQ(function.real(a, 0.5), a + 0.5);
  EXPECT_EQ(function.measured().calls, 2U);
  EXPECT_EQ(function.measured().left_out, 3U);
}

TEST(MeasuredFunction, ChangesVariablesThatConditionsRead) {
  ProbeTask task = task_of("calls % 2 == 0 and last < 10", {"calls"});
  task.lets = {"calls += 1 at f", "last = result after f", "sum += 0.5 after f"};
  const MeasuredFunction function = measured_add(task);
  for (std::int64_t i = 0; i < 12; ++i) EXPECT_EQ(function(i * 2), i * 2 + 1);
  // Every second call, as long as the previous one has returned less than 10, which the sixth has not.
  EXPECT_EQ(function.measured().calls, 3U);
  EXPECT_EQ(function.measured().values[0].sum, 2.0 + 4 + 6);
  EXPECT_EQ(function.measured().left_out, 9U);
  EXPECT_EQ(function.variable(0), 12U) << "also by calls that do not count";
  EXPECT_EQ(function.variable(1), 23U);
  EXPECT_EQ(std::bit_cast<double>(function.variable(2)), 6.0);
}

TEST(MeasuredFunction, AVariableWithoutANewNumberStays) {
  ProbeTask task;
  task.lets = {"part = 10 / arg0 at f"};
  const MeasuredFunction function = measured_add(task);
  (void)function(2);
  (void)function(0);
  EXPECT_EQ(function.variable(0), 5U);
}

TEST(MeasuredFunction, ThatOnlyChangesVariablesMeasuresNothing) {
  ProbeTask task;
  task.lets = {"last = arg0 at f"};
  const MeasuredFunction function = measured_add(task);
  function.descriptor().has_lets_only = 1;
  function.descriptor().has_exits = 0;
  EXPECT_EQ(function(7), 8);
  EXPECT_EQ(function.variable(0), 7U);
  EXPECT_EQ(function.measured().calls + function.measured().left_out + function.measured().no_entry, 0U);
}

TEST(MeasuredFunction, CountsOneCallInEachPhase) {
  const MeasuredFunction function = measured_add(task_of("arg0 > 2"));
  function.descriptor().phase_ticks = std::uint64_t{1} << 62;
  for (std::int64_t i = 0; i < 10; ++i) EXPECT_EQ(function(i), i + 1);
  EXPECT_EQ(function.measured().calls, 1U) << "the first for which the condition holds";
  EXPECT_EQ(function.measured().left_out, 9U);
  // As if the phase had passed.
  function.phase_start() = 1;
  function.descriptor().phase_ticks = 1;
  (void)function(5);
  EXPECT_EQ(function.measured().calls, 2U);
}

TEST(MeasuredFunction, AnExitOfACallThatAPhaseLeavesOutHasHadItsEntry) {
  const MeasuredFunction function = measured_add();
  function.descriptor().phase_ticks = std::uint64_t{1} << 62;
  for (std::int64_t i = 0; i < 10; ++i) EXPECT_EQ(function(i), i + 1);
  EXPECT_EQ(function.measured().calls, 1U);
  EXPECT_EQ(function.measured().left_out, 9U);
  EXPECT_EQ(function.measured().no_entry, 0U);
}

TEST(MeasuredFunction, CallsWhoseStackIsGoneHaveBeenPassedBy) {
  const MeasuredFunction function = measured_add();
  (void)function(1);
  ThreadSlot& slot = *function.slot();
  // As if one call deeper in the stack had been left by an exception, and two outer ones were in progress.
  const auto here = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
  const auto probe = reinterpret_cast<std::uint64_t>(&function.descriptor());
  slot.frames[0] = {here + 4096, probe, 1, 0, {}};
  slot.frames[1] = {here - 65536, probe, 1, 0, {}};
  slot.calls = 2;
  slot.nested[0] = 2;
  (void)function(1);
  EXPECT_EQ(function.measured().passed_by, 1U);
  EXPECT_EQ(function.measured().calls, 2U);
  EXPECT_EQ(depth_of(slot.calls), 1U);
  EXPECT_LT(function.measured().total_ns, function.measured().sum_ns) << "the second one was inside another";
}

/// Calls that a handler of a signal interrupts, which makes such a call itself. One at a time.
class InterruptedCall {
 public:
  explicit InterruptedCall(const MeasuredFunction& function) {
    now_ = this;
    function_ = &function;
    code_ = static_cast<unsigned char*>(
        ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    // The processor makes the signal behind each instruction between the two changes of the flags.
    constexpr unsigned char steps[] = {
        0x48, 0x83, 0xec, 8,                             // sub $8,%rsp
        0x9c, 0x81, 0x0c, 0x24, 0,    1,    0,    0,     // pushfq; orl $0x100,(%rsp)
        0x9d, 0xff, 0xd2,                                // popfq; call *%rdx
        0x9c, 0x81, 0x24, 0x24, 0xff, 0xfe, 0xff, 0xff,  // pushfq; andl $~0x100,(%rsp)
        0x9d, 0x48, 0x83, 0xc4, 8,    0xc3};             // popfq; add $8,%rsp; ret
    std::memcpy(code_, steps, sizeof steps);
    struct ::sigaction action {};
    action.sa_handler = [](int) { now_->handle(); };
    ::sigaction(SIGTRAP, &action, &before_);
  }
  ~InterruptedCall() {
    ::sigaction(SIGTRAP, &before_, nullptr);
    ::munmap(code_, 4096);
  }
  InterruptedCall(const InterruptedCall&) = delete;
  InterruptedCall& operator=(const InterruptedCall&) = delete;

  /// A call that is interrupted behind the instruction `first`, and again each time that so many more were
  /// taken. Returns how many times it was.
  std::size_t operator()(std::size_t first, std::size_t interval) {
    first_ = first;
    interval_ = interval;
    instructions_ = handled_ = 0;
    using Stepped = std::int64_t (*)(std::int64_t, std::int64_t, const void*);
    EXPECT_EQ(reinterpret_cast<Stepped>(code_)(40, 1, function_->address()), 42);
    return handled_;
  }
  /// How many instructions the last call had.
  [[nodiscard]] std::size_t instructions() const noexcept { return instructions_; }

 private:
  void handle() {
    if (instructions_++ % interval_ != first_) return;
    ++handled_;
    EXPECT_EQ((*function_)(1, 1), 3);
  }
  static inline InterruptedCall* now_{nullptr};
  const MeasuredFunction* function_;
  unsigned char* code_;
  struct ::sigaction before_ {};
  std::size_t first_{0};
  std::size_t interval_{1};
  std::size_t instructions_{0};
  std::size_t handled_{0};
};

// A handler that came while a call was noted wrote over what was noted of it: the call seemed to have been
// passed by, and its exit to have no entry.
TEST(MeasuredFunction, EachCallIsWholeWhereverHandlersOfSignalsPassTheSameProbe) {
  const MeasuredFunction function = measured_add();
  (void)function(1);
  ThreadSlot& slot = *function.slot();
  InterruptedCall call(function);
  function.descriptor().has_real_arguments = 0;
  // Longer than what is begun anew when a handler has come.
  constexpr std::size_t interval = 101;
  std::size_t calls = 1;
  for (std::size_t first = 0; first < interval; ++first) {
    calls += 1 + call(first, interval);
    ASSERT_GT(call.instructions(), 2 * interval) << "so long is the way";
    ASSERT_EQ(function.measured().calls, calls) << "from the instruction " << first;
    ASSERT_EQ(slot.nested[0], 0U) << "from the instruction " << first;
    ASSERT_EQ(depth_of(slot.calls), 0U) << "from the instruction " << first;
  }
  const MeasuredCalls measured = function.measured();
  EXPECT_EQ(measured.passed_by + measured.no_entry + measured.no_room + measured.left_out, 0U);
  EXPECT_EQ(slot.passages[0], calls);
}

TEST(MeasuredFunction, ExitsWithoutEntryAndCallsWithoutRoomAreCounted) {
  const MeasuredFunction function = measured_add();
  (void)function(1);
  ThreadSlot& slot = *function.slot();
  const auto above = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0)) + 4096;
  for (measuring::Frame& frame : slot.frames)
    frame = {above, reinterpret_cast<std::uint64_t>(&function.descriptor()), 1, 0, {}};
  slot.calls = measuring::deepest;
  EXPECT_EQ(function(3), 4);
  EXPECT_EQ(function.measured().no_room, 1U);
  EXPECT_EQ(function.measured().no_entry, 1U);
  EXPECT_EQ(depth_of(slot.calls), measuring::deepest);
}

TEST(MeasuredFunction, ACallOfAThreadWithoutSlotIsCounted) {
  const MeasuredFunction function = measured_add();
  for (ThreadSlot& slot : function.slots()) slot.key = 1;  // slots of other threads
  EXPECT_EQ(function(3), 4);
  EXPECT_EQ(function.measured().no_room, 1U);
  EXPECT_EQ(function.measured().calls, 0U);
}

TEST(MeasuredFunction, AConditionalExitLeadsWhereItDid) {
  // test %rdi,%rdi; nop; nop; je zero (6 bytes); mov $5,%eax; ret; zero (at 32): mov $7,%eax; ret
  std::string choose("\x48\x85\xff\x90\x90\x0f\x84\x15\0\0\0\xb8\x05\0\0\0\xc3", 17);
  choose.resize(32, '\x90');
  choose += std::string("\xb8\x07\0\0\0\xc3", 6);
  const MeasuredFunction function(choose, 5, 5, {}, 11);
  ASSERT_TRUE(function.is_made());
  EXPECT_EQ(function(0), 7);
  EXPECT_EQ(function.measured().calls, 1U);
  EXPECT_EQ(function(1), 5) << "it goes on behind the jump, and returns where there is no probe";
  EXPECT_EQ(function.measured().calls, 1U);
  EXPECT_EQ(depth_of(function.slot()->calls), 1U);
}

}  // namespace
}  // namespace eventspace

#endif
