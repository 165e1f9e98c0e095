#include "monitors/probing/code/trampoline.h"

#include <cstring>
#include <initializer_list>

#include "monitors/probing/code/instruction.h"

namespace eventspace {
namespace {

/// The distance from the end of an instruction, if it fits in 32 bits.
std::optional<std::int32_t> distance(std::uint64_t from_end, std::uint64_t to) {
  const auto way = static_cast<std::int64_t>(to - from_end);
  if (way < INT32_MIN || way > INT32_MAX) return std::nullopt;
  return static_cast<std::int32_t>(way);
}

/// Machine code that grows, at a known address.
class Writer {
 public:
  explicit Writer(std::uint64_t at) : at_(at) {}

  Writer& bytes(std::initializer_list<unsigned> values) {
    for (const unsigned value : values) code_.push_back(static_cast<std::byte>(value));
    return *this;
  }
  Writer& bytes(Bytes values) {
    code_.insert(code_.end(), values.begin(), values.end());
    return *this;
  }
  /// Appends the distance from the end of these 4 bytes.
  Writer& distance_to(std::uint64_t target) {
    code_.resize(code_.size() + sizeof(std::int32_t));
    put_distance(code_.size() - sizeof(std::int32_t), target);
    return *this;
  }
  /// Writes over the 4 bytes at `place` of the code the distance from the end of the code to the target.
  void put_distance(std::size_t place, std::uint64_t target) {
    const auto way = distance(at_ + code_.size(), target);
    is_reached_ &= way.has_value();
    if (way) std::memcpy(code_.data() + place, &*way, sizeof *way);
  }
  [[nodiscard]] std::size_t size() const noexcept { return code_.size(); }
  [[nodiscard]] bool is_reached() const noexcept { return is_reached_; }
  std::vector<std::byte> take() { return std::move(code_); }

 private:
  std::uint64_t at_;
  std::vector<std::byte> code_;
  bool is_reached_{true};  // all targets so far
};

void count(Writer& code, std::uint64_t counters) {
  constexpr unsigned mask = ProbeCounters::lines - 1;
  static_assert((ProbeCounters::lines & mask) == 0);
  code.bytes({0x48, 0x8d, 0x64, 0x24, 0x80})  // lea -128(%rsp),%rsp
      .bytes({0x50})                          // push %rax
      .bytes({0x9f})                          // lahf: all flags but overflow
      .bytes({0x0f, 0x90, 0xc0})              // seto %al
      .bytes({0x50, 0x51})                    // push %rax; push %rcx
      // The address of the thread's own data. Those of threads differ by a stack, whose size in pages is odd.
      .bytes({0x64, 0x48, 0x8b, 0x04, 0x25, 0, 0, 0, 0})  // mov %fs:0,%rax
      .bytes({0x48, 0xc1, 0xe8, 12})                      // shr $12,%rax
      .bytes({0x83, 0xe0, mask})                          // and $mask,%eax
      .bytes({0xc1, 0xe0, 6})                             // shl $6,%eax
      .bytes({0x48, 0x8d, 0x0d})                          // lea counters(%rip),%rcx
      .distance_to(counters)
      .bytes({0xf0, 0x48, 0xff, 0x04, 0x01})            // lock incq (%rcx,%rax)
      .bytes({0x59, 0x58})                              // pop %rcx; pop %rax
      .bytes({0x04, 0x7f})                              // add $127,%al: overflow as it was
      .bytes({0x9e})                                    // sahf: the others
      .bytes({0x58})                                    // pop %rax
      .bytes({0x48, 0x8d, 0xa4, 0x24, 0x80, 0, 0, 0});  // lea 128(%rsp),%rsp
}

/// Appends an instruction so that it does here what it did there. Returns whether it can.
bool move(Writer& code, const Instruction& instruction, Bytes bytes) {
  using Flow = Instruction::Flow;
  if (instruction.flow == Flow::call || instruction.flow == Flow::computed_call ||
      instruction.flow == Flow::short_jump)
    return false;
  if (instruction.flow == Flow::jump && instruction.immediate_bits == 8) {
    code.bytes({0xe9}).distance_to(instruction.target);
    return true;
  }
  if (instruction.flow == Flow::conditional_jump && instruction.immediate_bits == 8) {
    const auto condition = std::to_integer<unsigned>(bytes[instruction.immediate_at - 1u]) & 0xfu;
    code.bytes({0x0f, 0x80 | condition}).distance_to(instruction.target);
    return true;
  }
  const std::size_t at = code.size();
  code.bytes(bytes.first(instruction.length));
  if (instruction.has_target()) {
    if (instruction.immediate_bits != 32) return false;
    code.put_distance(at + instruction.immediate_at, instruction.target);
  } else if (instruction.relative_memory) {
    code.put_distance(at + instruction.displacement_at, *instruction.relative_memory);
  }
  return true;
}

}  // namespace

std::optional<std::array<std::byte, probe_jump_bytes>> jump_code(std::uint64_t from, std::uint64_t to) {
  const auto way = distance(from + probe_jump_bytes, to);
  if (!way) return std::nullopt;
  std::array<std::byte, probe_jump_bytes> code{std::byte{0xe9}};
  std::memcpy(code.data() + 1, &*way, sizeof *way);
  return code;
}

std::optional<Trampoline> counting_trampoline(Bytes function, std::uint64_t place, std::uint64_t at,
                                              std::uint64_t counters) {
  Writer code(at);
  count(code, counters);
  std::size_t replaced = 0;
  while (replaced < probe_jump_bytes) {
    const auto instruction = decode(function.subspan(replaced), place + replaced);
    if (!instruction || !move(code, *instruction, function.subspan(replaced))) return std::nullopt;
    replaced += instruction->length;
  }
  code.bytes({0xe9}).distance_to(place + replaced);
  if (!code.is_reached() || code.size() > Trampoline::most_bytes) return std::nullopt;
  return Trampoline{code.take(), static_cast<std::uint8_t>(replaced)};
}

}  // namespace eventspace
