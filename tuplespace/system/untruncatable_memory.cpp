#include "tuplespace/system/untruncatable_memory.h"

#include <fmt/format.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include <eventspace/error.h>

namespace eventspace {
namespace {

void* attach(std::int32_t number, int flags) noexcept {
  void* const address = ::shmat(number, nullptr, flags);
  return reinterpret_cast<std::intptr_t>(address) == -1 ? nullptr : address;
}

std::shared_ptr<std::byte> owned(void* address) {
  return {static_cast<std::byte*>(address), [](std::byte* memory) { ::shmdt(memory); }};
}

}  // namespace

std::optional<UntruncatableMemory> UntruncatableMemory::try_make(std::size_t bytes, int& error) {
  const std::int32_t number = ::shmget(IPC_PRIVATE, bytes, IPC_CREAT | 0600);
  void* const address = number < 0 ? nullptr : attach(number, 0);
  error = errno;
  // Immediately, so that it ends with the last process that has it. A process that is killed before this line
  // leaves it behind; ipcs(1) lists it.
  if (number >= 0) ::shmctl(number, IPC_RMID, nullptr);
  if (address == nullptr) return std::nullopt;
  return UntruncatableMemory(number, owned(address));
}

UntruncatableMemory::UntruncatableMemory(std::int32_t number, std::size_t bytes, Access access,
                                         std::string_view what)
    : number_(number) {
  const auto refuse = [&](const std::string& why) -> void {
    throw EnvironmentError(fmt::format("{}: {}", what, why));
  };
  const auto refuse_gone = [&] {
    refuse(
        fmt::format("System V shared memory {} does not exist here: its process has ended or called exec(2), "
                    "or is in another IPC namespace",
                    number));
  };
  void* const address = attach(number, access == Access::read ? SHM_RDONLY : 0);
  if (address == nullptr && errno == EACCES)
    refuse(fmt::format("System V shared memory {} belongs to another user", number));
  if (address == nullptr) refuse_gone();
  address_ = owned(address);
  // After joining it, which keeps the number from being used again.
  shmid_ds status{};
  if (::shmctl(number, IPC_STAT, &status) != 0) refuse_gone();
  if (status.shm_perm.uid != ::geteuid() || status.shm_perm.cuid != ::geteuid())
    refuse(fmt::format("System V shared memory {} belongs to user {}", number, status.shm_perm.uid));
  if ((status.shm_perm.mode & 077) != 0)
    refuse(fmt::format("other users have access to System V shared memory {}", number));
  if (status.shm_segsz != bytes)
    refuse(
        fmt::format("System V shared memory {} has {} bytes instead of {}", number, status.shm_segsz, bytes));
}

}  // namespace eventspace
