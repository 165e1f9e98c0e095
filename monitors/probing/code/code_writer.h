#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include "monitors/probing/code/instruction.h"

namespace eventspace {

/// The distance from the end of an instruction to a target, if it fits in 32 bits.
std::optional<std::int32_t> code_distance(std::uint64_t from_end, std::uint64_t to);

/// Machine code under construction, at a known address.
class CodeWriter {
 public:
  explicit CodeWriter(std::uint64_t at) : at_(at) {}

  CodeWriter& bytes(std::initializer_list<unsigned> values) {
    for (const unsigned value : values) code_.push_back(static_cast<std::byte>(value));
    return *this;
  }
  CodeWriter& bytes(Bytes values) {
    code_.insert(code_.end(), values.begin(), values.end());
    return *this;
  }
  CodeWriter& address(std::uint64_t value) {
    code_.resize(code_.size() + sizeof value);
    std::memcpy(code_.data() + code_.size() - sizeof value, &value, sizeof value);
    return *this;
  }
  /// Appends the distance from the end of these 4 bytes.
  CodeWriter& distance_to(std::uint64_t target) {
    code_.resize(code_.size() + sizeof(std::int32_t));
    put_distance(code_.size() - sizeof(std::int32_t), target);
    return *this;
  }
  /// Overwrites the 4 bytes at `place` with the distance from the end of the code to the target.
  void put_distance(std::size_t place, std::uint64_t target);
  /// Overwrites the 4 bytes at `place` with the distance from their end to the end of the code.
  void land(std::size_t place);

  /// Appends an instruction, adjusted so that it has the same effect here. Returns false if that is
  /// impossible.
  bool move(const Instruction& instruction, Bytes bytes);

  [[nodiscard]] std::size_t size() const noexcept { return code_.size(); }
  [[nodiscard]] bool is_reached() const noexcept { return is_reached_; }
  std::vector<std::byte> take() { return std::move(code_); }

 private:
  std::uint64_t at_;
  std::vector<std::byte> code_;
  bool is_reached_{true};  // whether all targets so far were in reach
};

}  // namespace eventspace
