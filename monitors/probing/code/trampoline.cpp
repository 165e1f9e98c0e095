#include "monitors/probing/code/trampoline.h"

#include <algorithm>
#include <cstring>

#include "monitors/probing/code/code_writer.h"
#include "monitors/probing/code/instruction.h"

namespace eventspace {
namespace {

void count(CodeWriter& code, std::uint64_t counters) {
  constexpr unsigned mask = ProbeCounters::lines - 1;
  static_assert((ProbeCounters::lines & mask) == 0);
  code.bytes({0x48, 0x8d, 0x64, 0x24, 0x80})  // lea -128(%rsp),%rsp
      .bytes({0x50})                          // push %rax
      .bytes({0x9f})                          // lahf: all flags but overflow
      .bytes({0x0f, 0x90, 0xc0})              // seto %al
      .bytes({0x50, 0x51})                    // push %rax; push %rcx
      // The address of the thread's own data. It differs between threads by a stack, whose size in pages is
      // odd.
      .bytes({0x64, 0x48, 0x8b, 0x04, 0x25, 0, 0, 0, 0})  // mov %fs:0,%rax
      .bytes({0x48, 0xc1, 0xe8, 12})                      // shr $12,%rax
      .bytes({0x83, 0xe0, mask})                          // and $mask,%eax
      .bytes({0xc1, 0xe0, 6})                             // shl $6,%eax
      .bytes({0x48, 0x8d, 0x0d})                          // lea counters(%rip),%rcx
      .distance_to(counters)
      .bytes({0xf0, 0x48, 0xff, 0x04, 0x01})            // lock incq (%rcx,%rax)
      .bytes({0x59, 0x58})                              // pop %rcx; pop %rax
      .bytes({0x04, 0x7f})                              // restores overflow
      .bytes({0x9e})                                    // restores the other flags
      .bytes({0x58})                                    // pop %rax
      .bytes({0x48, 0x8d, 0xa4, 0x24, 0x80, 0, 0, 0});  // lea 128(%rsp),%rsp
}

constexpr unsigned red_zone = 128;  // bytes below the stack pointer that a function may use

// Saves everything that the callee may change by the calling convention, so that it can be called from any
// place. The order is as in measuring::SavedRegisters.
void call_and_restore(CodeWriter& code, const ProbeCall& call) {
  code.bytes({0x48, 0x8d, 0x64, 0x24, 0x80})                    // lea -128(%rsp),%rsp
      .bytes({0x50, 0x9f, 0x0f, 0x90, 0xc0})                    // push %rax; lahf; seto %al
      .bytes({0x50, 0x51, 0x52, 0x56, 0x57})                    // push %rax, %rcx, %rdx, %rsi, %rdi
      .bytes({0x41, 0x50, 0x41, 0x51, 0x41, 0x52, 0x41, 0x53})  // push %r8, %r9, %r10, %r11
      .bytes({0x48, 0xbf})                                      // movabs descriptor,%rdi
      .address(call.descriptor)
      .bytes({0x48, 0x89, 0xe6})  // mov %rsp,%rsi
      .bytes({0xe8})              // call
      .distance_to(call.function)
      // movq $0,-8(%rsp): otherwise a frame that later lies there might seem to return to the probe.
      .bytes({0x48, 0xc7, 0x44, 0x24, 0xf8, 0, 0, 0, 0})
      .bytes({0x41, 0x5b, 0x41, 0x5a, 0x41, 0x59, 0x41, 0x58})  // pop %r11, %r10, %r9, %r8
      .bytes({0x5f, 0x5e, 0x5a, 0x59, 0x58})                    // pop %rdi, %rsi, %rdx, %rcx, %rax
      .bytes({0x04, 0x7f, 0x9e, 0x58})                          // add $127,%al; sahf; pop %rax
      .bytes({0x48, 0x8d, 0xa4, 0x24, red_zone, 0, 0, 0});      // lea 128(%rsp),%rsp
}

/// Appends the instructions that the jump at `place` replaces, and a jump to the instruction after them.
/// Returns their size in bytes; 0 if one cannot run elsewhere.
std::size_t move_first(CodeWriter& code, Bytes function, std::uint64_t place) {
  std::size_t replaced = 0;
  while (replaced < probe_jump_bytes) {
    const auto instruction = decode(function.subspan(replaced), place + replaced);
    if (!instruction || !code.move(*instruction, function.subspan(replaced))) return 0;
    replaced += instruction->length;
  }
  code.bytes({0xe9}).distance_to(place + replaced);
  return replaced;
}

std::optional<Trampoline> finished(CodeWriter& code, std::size_t replaced) {
  if (replaced == 0 || !code.is_reached() || code.size() > Trampoline::max_bytes) return std::nullopt;
  return Trampoline{code.take(), static_cast<std::uint8_t>(replaced)};
}

/// Appends the probe's call, and the instruction that leaves the function.
bool call_and_leave(CodeWriter& code, const Instruction& leaving, Bytes bytes, const ProbeCall& call) {
  if (leaving.flow != Instruction::Flow::conditional_jump) {
    call_and_restore(code, call);
    return code.move(leaving, bytes);
  }
  if (leaving.immediate_bits != 32) return false;
  code.bytes(bytes.first(leaving.immediate_at));  // the same condition, with the end of this code as target
  const std::size_t taken = code.size();
  code.distance_to(leaving.target).bytes({0xe9}).distance_to(leaving.end());
  code.land(taken);
  call_and_restore(code, call);
  code.bytes({0xe9}).distance_to(leaving.target);
  return true;
}

constexpr std::byte call_opcode{0xe8};

/// Appends a jump to the target of the call or jump instruction.
std::optional<Trampoline> gone_on(CodeWriter& code, Bytes call_bytes, std::uint64_t place) {
  const auto instruction = decode(call_bytes, place);
  if (!instruction || !instruction->has_target() || instruction->length != probe_jump_bytes)
    return std::nullopt;
  code.bytes({0xe9}).distance_to(instruction->target);
  return finished(code, probe_jump_bytes);
}

}  // namespace

std::optional<std::array<std::byte, probe_jump_bytes>> patch_code(Bytes original, std::uint64_t from,
                                                                  std::uint64_t to) {
  auto code = jump_code(from, to);
  if (code && !original.empty() && original.front() == call_opcode) code->front() = call_opcode;
  return code;
}

std::optional<std::array<std::byte, probe_jump_bytes>> jump_code(std::uint64_t from, std::uint64_t to) {
  const auto way = code_distance(from + probe_jump_bytes, to);
  if (!way) return std::nullopt;
  std::array<std::byte, probe_jump_bytes> code{std::byte{0xe9}};
  std::memcpy(code.data() + 1, &*way, sizeof *way);
  return code;
}

std::optional<Trampoline> counting_trampoline(Bytes function, std::uint64_t place, std::uint64_t at,
                                              std::uint64_t counters) {
  CodeWriter code(at);
  count(code, counters);
  return finished(code, move_first(code, function, place));
}

std::optional<Trampoline> entry_trampoline(Bytes function, std::uint64_t place, std::uint64_t at,
                                           const ProbeCall& call) {
  CodeWriter code(at);
  call_and_restore(code, call);
  return finished(code, move_first(code, function, place));
}

std::optional<Trampoline> counting_call_trampoline(Bytes call_bytes, std::uint64_t place, std::uint64_t at,
                                                   std::uint64_t counters) {
  CodeWriter code(at);
  count(code, counters);
  return gone_on(code, call_bytes, place);
}

std::optional<Trampoline> call_trampoline(Bytes call_bytes, std::uint64_t place, std::uint64_t at,
                                          const ProbeCall& call) {
  CodeWriter code(at);
  call_and_restore(code, call);
  return gone_on(code, call_bytes, place);
}

std::optional<Trampoline> exit_trampoline(Bytes exit, std::uint64_t place, std::size_t leaving,
                                          std::uint64_t at, const ProbeCall& call) {
  CodeWriter code(at);
  for (std::size_t done = 0; done <= leaving;) {
    const Bytes left = exit.subspan(std::min(done, exit.size()));
    const auto instruction = decode(left, place + done);
    if (!instruction) return std::nullopt;
    const bool is_done =
        done == leaving ? call_and_leave(code, *instruction, left, call) : code.move(*instruction, left);
    if (!is_done) return std::nullopt;
    done += instruction->length;
  }
  return finished(code, exit.size());
}

}  // namespace eventspace
