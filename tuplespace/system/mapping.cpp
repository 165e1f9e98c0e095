#include "tuplespace/system/mapping.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

#include <eventspace/error.h>

namespace eventspace {

FileHandle::~FileHandle() {
  if (valid()) ::close(descriptor_);
}

Mapping::Mapping(const FileHandle& handle, std::size_t bytes, bool writable,
                 const std::filesystem::path& file)
    : bytes_(bytes) {
  const int protection = writable ? PROT_READ | PROT_WRITE : PROT_READ;
  // A writer gets all pages mapped at once, so that recording causes no page faults.
  const int flags = writable ? MAP_SHARED | MAP_POPULATE : MAP_SHARED;
  void* const address = ::mmap(nullptr, bytes, protection, flags, handle.get(), 0);
  if (address == MAP_FAILED) {
    throw EnvironmentError::from_errno(fmt::format("cannot map {}", file.string()), errno);
  }
  address_ = static_cast<std::byte*>(address);
}

Mapping::~Mapping() {
  if (address_ != nullptr) ::munmap(address_, bytes_);
}

}  // namespace eventspace
