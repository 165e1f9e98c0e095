#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace eventspace {

// read(2), pread(2), write(2) and pwrite(2), repeated until all bytes are transferred. They return the number
// of transferred bytes. If it is less than `bytes` has, errno says why, and is 0 at the end of a file. With
// `offset`, the position of the descriptor does not matter and is unchanged.

std::size_t read_fully(int file, std::span<std::byte> bytes) noexcept;
std::size_t read_fully(int file, std::span<std::byte> bytes, std::uint64_t offset) noexcept;
std::size_t write_fully(int file, std::span<const std::byte> bytes) noexcept;
std::size_t write_fully(int file, std::span<const std::byte> bytes, std::uint64_t offset) noexcept;

}  // namespace eventspace
