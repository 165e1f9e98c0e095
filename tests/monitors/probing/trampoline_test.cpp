#include "monitors/probing/code/trampoline.h"

#include <gmock/gmock.h>
#include <sys/mman.h>

#include <cstring>

#include "monitors/probing/code/instruction.h"
#include "monitors/probing/probes/probe_area.h"

#ifdef EVENTSPACE_HAS_ZYDIS

// Generated code is run in memory of this process, by this process.

namespace eventspace {
namespace {

/// A function in a block of memory, followed by its probe's code and counters.
class ProbedCode {
 public:
  explicit ProbedCode(const std::string& function) {
    memory_ = static_cast<std::byte*>(
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    std::memcpy(memory_, function.data(), function.size());
    const auto place = reinterpret_cast<std::uint64_t>(memory_);
    const auto made =
        counting_trampoline({memory_, function.size()}, place, place + trampoline_at, place + counters_at);
    is_made_ = made.has_value();
    if (!made) return;
    std::memcpy(memory_ + trampoline_at, made->code.data(), made->code.size());
    const auto jump = jump_code(place, place + trampoline_at);
    std::memcpy(memory_, jump->data(), jump->size());
  }
  ~ProbedCode() { ::munmap(memory_, bytes); }
  ProbedCode(const ProbedCode&) = delete;
  ProbedCode& operator=(const ProbedCode&) = delete;

  [[nodiscard]] const std::byte* entry() const noexcept { return memory_; }
  [[nodiscard]] bool is_made() const noexcept { return is_made_; }
  std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const {
    return reinterpret_cast<std::uint64_t (*)(std::uint64_t, std::uint64_t)>(memory_)(a, b);
  }
  [[nodiscard]] std::uint64_t calls() const {
    std::uint64_t sum = 0;
    for (std::size_t line = 0; line < ProbeCounters::lines; ++line) {
      std::uint64_t count = 0;
      std::memcpy(&count, memory_ + counters_at + line * 64, sizeof count);
      sum += count;
    }
    return sum;
  }

 private:
  static constexpr std::size_t bytes = 65536, trampoline_at = 4096, counters_at = 8192;
  std::byte* memory_;
  bool is_made_{false};
};

TEST(Trampoline, CountsAndTheFunctionDoesWhatItDid) {
  const ProbedCode add("\x48\x8d\x04\x37\x48\x83\xc0\x01\xc3");  // lea (%rdi,%rsi),%rax; add $1,%rax; ret
  EXPECT_EQ(add(40, 1), 42U);
  EXPECT_EQ(add(1, 1), 3U);
  EXPECT_EQ(add.calls(), 2U);
}

TEST(Trampoline, AConditionalJumpInTheFirstBytesLeadsWhereItDid) {
  // test %rdi,%rdi; je zero; mov %rsi,%rax; ret; zero: mov $7,%eax; ret
  const ProbedCode choose(std::string("\x48\x85\xff\x74\x04\x48\x89\xf0\xc3\xb8\x07\0\0\0\xc3", 15));
  EXPECT_EQ(choose(0, 5), 7U);
  EXPECT_EQ(choose(1, 5), 5U);
  EXPECT_EQ(choose.calls(), 2U);
}

TEST(Trampoline, DataBesideTheCodeIsFound) {
  // mov 1(%rip),%rax; ret; then 8 bytes of data
  const ProbedCode load(std::string("\x48\x8b\x05\x01\0\0\0\xc3\x39\x05\0\0\0\0\0\0", 16));
  EXPECT_EQ(load(0, 0), 1337U);
}

TEST(Trampoline, FlagsAndRegistersSurvive) {
  // A function that returns all flags and, in the upper half, the original rcx: pushf; pop %rax; shl
  // $32,%rcx; or %rcx,%rax; ret
  const ProbedCode flags("\x9c\x58\x48\xc1\xe1\x20\x48\x09\xc8\xc3");
  ASSERT_TRUE(flags.is_made());
  const auto* const call = flags.entry();
  std::uint64_t result = 0;
  // First overflow, sign and carry are set; then all of them are clear.
  asm volatile(
      "mov $0x1234, %%ecx\n\t mov $0x7fffffff, %%edx\n\t lea -128(%%rsp), %%rsp\n\t add $1, %%edx\n\t "
      "stc\n\t call *%1\n\t"
      "lea 128(%%rsp), %%rsp"
      : "=a"(result)
      : "r"(call)
      : "rcx", "rdx", "cc", "memory");
  EXPECT_EQ(result & 0x8d5, 0x895U) << std::hex << result;  // OF SF AF PF CF; not ZF
  EXPECT_EQ(result >> 32, 0x1234U);
  asm volatile(
      "mov $0x4321, %%ecx\n\t lea -128(%%rsp), %%rsp\n\t mov $1, %%edx\n\t add $1, %%edx\n\t call *%1\n\t "
      "lea 128(%%rsp), %%rsp"
      : "=a"(result)
      : "r"(call)
      : "rcx", "rdx", "cc", "memory");
  EXPECT_EQ(result & 0x8c1, 0U) << std::hex << result;
  EXPECT_EQ(result >> 32, 0x4321U);
}

TEST(Trampoline, IsNotMadeOfInstructionsThatCannotBeMoved) {
  EXPECT_FALSE(ProbedCode(std::string("\xe8\0\0\0\0\xc3", 6)).is_made());  // a call
  EXPECT_FALSE(ProbedCode("\xe3\x05\x90\x90\x90\x90\xc3").is_made());      // jrcxz
  EXPECT_FALSE(ProbedCode("\x06\x06\x06\x06\x06").is_made());              // not an instruction
  EXPECT_FALSE(ProbedCode("\x90\xc3").is_made());                          // too short
}

/// sub $8,%rsp; call; nop (5 bytes); add $8,%rsp; ret; and the called function at 32: lea (%rdi,%rsi),%rax;
/// ret
class ProbedCalls {
 public:
  explicit ProbedCalls(bool is_probed) {
    memory_ = static_cast<std::byte*>(
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    std::string code("\x48\x83\xec\x08\xe8\x17\0\0\0\x0f\x1f\x44\0\0\x48\x83\xc4\x08\xc3", 19);
    code.resize(32, '\x90');
    code += "\x48\x8d\x04\x37\xc3";
    std::memcpy(memory_, code.data(), code.size());
    const auto place = reinterpret_cast<std::uint64_t>(memory_) + call_at;
    const auto at = reinterpret_cast<std::uint64_t>(memory_) + trampoline_at;
    const Bytes call{memory_ + call_at, probe_jump_bytes};
    const auto made = counting_call_trampoline(call, place, at, at + trampoline_at);
    const auto patch = patch_code(call, place, at);
    if (!is_probed || !made || !patch) return;
    EXPECT_EQ(patch->front(), std::byte{0xe8}) << "it stays a call";
    std::memcpy(memory_ + trampoline_at, made->code.data(), made->code.size());
    std::memcpy(memory_ + call_at, patch->data(), patch->size());
  }
  ~ProbedCalls() { ::munmap(memory_, bytes); }
  ProbedCalls(const ProbedCalls&) = delete;
  ProbedCalls& operator=(const ProbedCalls&) = delete;

  std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const {
    return reinterpret_cast<std::uint64_t (*)(std::uint64_t, std::uint64_t)>(memory_)(a, b);
  }
  [[nodiscard]] std::uint64_t calls() const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < ProbeCounters::lines; ++i)
      sum += *reinterpret_cast<const std::uint64_t*>(memory_ + 2 * trampoline_at + i * 64);
    return sum;
  }

 private:
  static constexpr std::size_t bytes = 65536, trampoline_at = 4096, call_at = 4;
  std::byte* memory_;
};

TEST(CallTrampoline, CountsAndTheCallDoesWhatItDid) {
  const ProbedCalls call(true);
  EXPECT_EQ(call(40, 2), 42U);
  EXPECT_EQ(call(1, 1), 2U);
  EXPECT_EQ(call.calls(), 2U);
  EXPECT_EQ(ProbedCalls(false)(40, 2), 42U);
}

TEST(CallTrampoline, IsMadeOnlyOfCallsAndJumpsOfFiveBytes) {
  const auto is_made = [](const std::string& code) {
    return counting_call_trampoline(std::as_bytes(std::span(code)), 0x10000, 0x20000, 0x30000).has_value();
  };
  EXPECT_TRUE(is_made(std::string("\xe8\0\0\0\0", 5)));
  EXPECT_TRUE(is_made(std::string("\xe9\0\0\0\0", 5)));
  EXPECT_FALSE(is_made("\xff\xd0\x90\x90\x90"));              // call *%rax
  EXPECT_FALSE(is_made(std::string("\x0f\x84\0\0\0\0", 6)));  // je
  EXPECT_FALSE(is_made("\xeb\x10\x90\x90\x90"));
}

TEST(Jump, IsNotMadeOverMoreThanTwoGiB) {
  EXPECT_TRUE(jump_code(0x100000000, 0x100000000 + 0x7fffff00));
  EXPECT_FALSE(jump_code(0x100000000, 0x100000000 + 0x80000010));
}

std::vector<MappedRange> mapped(std::initializer_list<std::pair<std::uint64_t, std::uint64_t>> places) {
  std::vector<MappedRange> ranges;
  for (const auto& [begin, end] : places) {
    MappedRange range;
    range.begin = begin;
    range.end = end;
    ranges.push_back(range);
  }
  return ranges;
}

constexpr std::uint64_t program = 0x555500000000;
constexpr std::uint64_t mib = 1 << 20;

TEST(FreePlace, IsBelowTheProgramWhereTheHeapDoesNotGrow) {
  const auto ranges = mapped({{program, program + mib}, {program + 2 * mib, program + 3 * mib}});
  EXPECT_EQ(free_place(ranges, {program, program + mib}, mib), program - mib);
}

TEST(FreePlace, IsAboveWhereThereIsNoRoomBelow) {
  const auto ranges = mapped({{mib, 8 * mib}});
  const auto place = free_place(ranges, {4 * mib, 5 * mib}, mib);
  ASSERT_TRUE(place);
  EXPECT_GE(*place, 8 * mib);
}

TEST(FreePlace, IsNowhereIfAllWithinReachIsTaken) {
  const std::uint64_t far = std::uint64_t{3} << 30;
  EXPECT_FALSE(free_place(mapped({{program - far, program + far}}), {program, program + mib}, mib));
}

}  // namespace
}  // namespace eventspace

#endif
