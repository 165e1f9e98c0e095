#include "monitors/probing/tracing/process_memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>

#include <eventspace/error.h>
#include "monitors/probing/tracing/traced_thread.h"
#include "tuplespace/system/transfers.h"

namespace eventspace {
namespace {

/// The option of `ulimit` for the limit of this process that is too low: the hard limit if the soft one
/// equals it.
const char* option_of_limit() {
  ::rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur == limit.rlim_max ? "-Hn" : "-n";
}

}  // namespace

ProcessMemory::ProcessMemory(std::int32_t pid)
    : pid_(pid), file_(::open(fmt::format("/proc/{}/mem", pid).c_str(), O_RDWR | O_CLOEXEC)) {
  if (file_.valid()) return;
  // Without a free descriptor, the state of the process cannot be read either.
  if (errno == EMFILE)
    throw EnvironmentError(fmt::format(
        "cannot read the memory of process {}: too many open files here; raise the limit (`ulimit "
        "{}`), or choose fewer processes",
        pid, option_of_limit()));
  if (errno == ENFILE)
    throw EnvironmentError::from_errno(fmt::format("cannot open the memory of process {}", pid), errno);
  throw EnvironmentError(fmt::format("cannot change the memory of process {}: {}", pid,
                                     why_not_traced(pid, pid, errno == EACCES ? EPERM : errno)));
}

std::size_t ProcessMemory::read_some(std::uint64_t address, std::span<std::byte> bytes) const noexcept {
  return read_fully(file_.get(), bytes, address);
}

void ProcessMemory::read(std::uint64_t address, std::span<std::byte> bytes) const {
  if (read_some(address, bytes) != bytes.size())
    throw EnvironmentError(fmt::format("process {} no longer has memory at {:#x}", pid_, address));
}

void ProcessMemory::write(std::uint64_t address, Bytes bytes) const {
  // One call for each place: threads that execute the bytes as code are stopped, or never reach them.
  const ::ssize_t put = ::pwrite(file_.get(), bytes.data(), bytes.size(), static_cast<::off_t>(address));
  if (put != static_cast<::ssize_t>(bytes.size()))
    throw EnvironmentError::from_errno(fmt::format("cannot write to process {} at {:#x}", pid_, address),
                                       errno);
}

}  // namespace eventspace
