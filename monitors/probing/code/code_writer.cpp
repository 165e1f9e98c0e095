#include "monitors/probing/code/code_writer.h"

namespace eventspace {

std::optional<std::int32_t> code_distance(std::uint64_t from_end, std::uint64_t to) {
  const auto way = static_cast<std::int64_t>(to - from_end);
  if (way < INT32_MIN || way > INT32_MAX) return std::nullopt;
  return static_cast<std::int32_t>(way);
}

void CodeWriter::put_distance(std::size_t place, std::uint64_t target) {
  const auto way = code_distance(at_ + code_.size(), target);
  is_reached_ &= way.has_value();
  if (way) std::memcpy(code_.data() + place, &*way, sizeof *way);
}

void CodeWriter::land(std::size_t place) {
  const auto way = static_cast<std::int32_t>(code_.size() - (place + sizeof(std::int32_t)));
  std::memcpy(code_.data() + place, &way, sizeof way);
}

bool CodeWriter::move(const Instruction& instruction, Bytes from) {
  using Flow = Instruction::Flow;
  if (instruction.flow == Flow::call || instruction.flow == Flow::computed_call ||
      instruction.flow == Flow::short_jump)
    return false;
  if (instruction.flow == Flow::jump && instruction.immediate_bits == 8) {
    bytes({0xe9}).distance_to(instruction.target);
    return true;
  }
  if (instruction.flow == Flow::conditional_jump && instruction.immediate_bits == 8) {
    const auto condition = std::to_integer<unsigned>(from[instruction.immediate_at - 1u]) & 0xfu;
    bytes({0x0f, 0x80 | condition}).distance_to(instruction.target);
    return true;
  }
  const std::size_t begin = code_.size();
  bytes(from.first(instruction.length));
  if (instruction.has_target()) {
    if (instruction.immediate_bits != 32) return false;
    put_distance(begin + instruction.immediate_at, instruction.target);
  } else if (instruction.relative_memory) {
    put_distance(begin + instruction.displacement_at, *instruction.relative_memory);
  }
  return true;
}

}  // namespace eventspace
