#include "tuplespace/system/transfers.h"

#include <sys/types.h>
#include <unistd.h>

#include <cerrno>

namespace eventspace {
namespace {

template <class Bytes, class Transfer>
std::size_t transfer_fully(Bytes bytes, Transfer transfer) noexcept {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = transfer(bytes.subspan(done), done);
    if (count < 0 && errno == EINTR) continue;
    if (count == 0) errno = 0;
    if (count <= 0) break;
    done += static_cast<std::size_t>(count);
  }
  return done;
}

}  // namespace

std::size_t read_fully(int file, std::span<std::byte> bytes) noexcept {
  return transfer_fully(bytes,
                        [file](auto left, std::size_t) { return ::read(file, left.data(), left.size()); });
}

std::size_t read_fully(int file, std::span<std::byte> bytes, std::uint64_t offset) noexcept {
  return transfer_fully(bytes, [=](auto left, std::size_t done) {
    return ::pread(file, left.data(), left.size(), static_cast<off_t>(offset + done));
  });
}

std::size_t write_fully(int file, std::span<const std::byte> bytes) noexcept {
  return transfer_fully(bytes,
                        [file](auto left, std::size_t) { return ::write(file, left.data(), left.size()); });
}

std::size_t write_fully(int file, std::span<const std::byte> bytes, std::uint64_t offset) noexcept {
  return transfer_fully(bytes, [=](auto left, std::size_t done) {
    return ::pwrite(file, left.data(), left.size(), static_cast<off_t>(offset + done));
  });
}

}  // namespace eventspace
