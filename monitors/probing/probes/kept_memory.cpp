#include "monitors/probing/probes/kept_memory.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "monitors/probing/probes/probe_area.h"

namespace eventspace {
namespace {

/// A message with the address of a region, and room for a file descriptor.
class FileMessage {
 public:
  FileMessage() noexcept {
    part_ = {&begin, sizeof begin};
    header.msg_iov = &part_;
    header.msg_iovlen = 1;
    header.msg_control = room_;
    header.msg_controllen = sizeof room_;
  }
  FileMessage(const FileMessage&) = delete;
  FileMessage& operator=(const FileMessage&) = delete;

  void put(int descriptor) noexcept {
    ::cmsghdr* const beside = CMSG_FIRSTHDR(&header);
    beside->cmsg_level = SOL_SOCKET;
    beside->cmsg_type = SCM_RIGHTS;
    beside->cmsg_len = CMSG_LEN(sizeof descriptor);
    std::memcpy(CMSG_DATA(beside), &descriptor, sizeof descriptor);
  }
  [[nodiscard]] FileHandle file() noexcept {
    const ::cmsghdr* const beside = CMSG_FIRSTHDR(&header);
    const bool is_file =
        beside != nullptr && beside->cmsg_type == SCM_RIGHTS && beside->cmsg_len == CMSG_LEN(sizeof(int));
    if (!is_file) return {};
    int descriptor = -1;
    std::memcpy(&descriptor, CMSG_DATA(beside), sizeof descriptor);
    return FileHandle(descriptor);
  }

  std::uint64_t begin{0};
  ::msghdr header{};

 private:
  ::iovec part_{};
  alignas(::cmsghdr) char room_[CMSG_SPACE(sizeof(int))]{};
};

}  // namespace

std::size_t KeptMemory::read_some(std::uint64_t address, std::span<std::byte> bytes) const {
  for (const Area& area : areas_) {
    if (address < area.begin || address - area.begin >= ProbeArea::all_bytes) continue;
    const auto offset = static_cast<::off_t>(address - area.begin);
    const ::ssize_t got = ::pread(area.file.get(), bytes.data(), bytes.size(), offset);
    return got < 0 ? 0 : static_cast<std::size_t>(got);
  }
  return 0;
}

void KeptMemory::send_to(int socket) const noexcept {
  for (const Area& area : areas_) {
    FileMessage message;
    message.begin = area.begin;
    message.put(area.file.get());
    if (::sendmsg(socket, &message.header, MSG_DONTWAIT | MSG_NOSIGNAL) < 0) return;
  }
}

void KeptMemory::receive_from(int socket) {
  for (;;) {
    FileMessage message;
    const ::ssize_t got = ::recvmsg(socket, &message.header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (got < 0 && errno == EINTR) continue;
    if (got != static_cast<::ssize_t>(sizeof message.begin)) return;
    if (FileHandle file = message.file(); file.valid()) keep(message.begin, std::move(file));
  }
}

}  // namespace eventspace
