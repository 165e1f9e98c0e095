#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace eventspace {

/// Memory shared by processes of one user, which processes cannot take away from each other: unlike a file in
/// shared memory it cannot be truncated, so accesses never fault. It has a number instead of a name, and is
/// gone when the last process that uses it has ended, even if killed, or called exec(2).
///
/// It is System V shared memory, which is already marked as removed while it is used: Linux allows processes
/// to join it by its number as long as any process has it. Numbers belong to an IPC namespace, and are
/// reused; a joining process must be able to identify the memory by its content.
class UntruncatableMemory {
 public:
  /// Makes memory of zeros, for this user only. If the system has run out of it (kernel.shmmni,
  /// kernel.shmall) or forbids it, returns nullopt, and `error` is the number of the error.
  static std::optional<UntruncatableMemory> try_make(std::size_t bytes, int& error);

  enum class Access : std::uint8_t { read, write };
  /// Joins the memory with this number. Throws EnvironmentError if it no longer exists, is not in this IPC
  /// namespace, belongs to another user, is open to others or has another size; `what` names it in the
  /// message. Never writes to such memory.
  UntruncatableMemory(std::int32_t number, std::size_t bytes, Access access, std::string_view what);

  [[nodiscard]] std::int32_t number() const noexcept { return number_; }
  [[nodiscard]] std::byte* data() const noexcept { return address_.get(); }
  /// Shares the ownership of the memory.
  [[nodiscard]] const std::shared_ptr<std::byte>& share() const noexcept { return address_; }

 private:
  UntruncatableMemory(std::int32_t number, std::shared_ptr<std::byte> address) noexcept
      : number_(number), address_(std::move(address)) {}

  std::int32_t number_;
  std::shared_ptr<std::byte> address_;
};

}  // namespace eventspace
