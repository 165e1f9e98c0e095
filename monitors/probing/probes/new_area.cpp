#include "monitors/probing/probes/new_area.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <utility>

#include <eventspace/error.h>
#include "monitors/probing/probes/stack_text.h"
#include "monitors/probing/tracing/stopped_calls.h"

namespace eventspace {
namespace {

/// Returns the file, opened in this process, too; invalid if that is not possible.
FileHandle map(const ProbeArea::Header& header, const ProcessMemory& memory, const StoppedProcess& stopped,
               const CallSite& site) {
  const StoppedCalls call(stopped, site);
  const TextOnStack name(memory, stopped, ProbeArea::file_name);
  const std::uint64_t file = call.must("memfd_create", SYS_memfd_create, {name.address(), MFD_CLOEXEC});
  const auto map_part = [&](std::uint64_t at, std::uint64_t bytes, int rights, int kind) {
    call.must("mmap", SYS_mmap,
              {at, bytes, static_cast<std::uint64_t>(rights), static_cast<std::uint64_t>(kind), file,
               at - header.code});
  };
  try {
    call.must("ftruncate", SYS_ftruncate, {file, ProbeArea::all_bytes});
    map_part(header.code, ProbeArea::all_bytes, PROT_NONE, MAP_PRIVATE | MAP_FIXED_NOREPLACE);
    map_part(header.code, ProbeArea::code_bytes, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED);
    map_part(header.data, ProbeArea::data_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED);
    map_part(header.data + ProbeArea::data_bytes, ProbeArea::threads_bytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_FIXED);
  } catch (const EnvironmentError&) {
    call(SYS_close, {file});
    throw;
  }
  FileHandle kept(::open(fmt::format("/proc/{}/fd/{}", memory.pid(), file).c_str(), O_RDONLY | O_CLOEXEC));
  call(SYS_close, {file});
  return kept;
}

}  // namespace

ProbeArea::Header make_area(const ProcessMemory& memory, const AddressRange& module, const ProbeOwner& owner,
                            KeptMemory& kept, std::chrono::nanoseconds& longest_stop) {
  const std::int32_t pid = memory.pid();
  const auto ranges = mapped_ranges(pid);
  const auto place = free_place(ranges, module, ProbeArea::all_bytes);
  if (!place)
    throw EnvironmentError(
        fmt::format("process {} cannot have probes: found no free memory within 2 GiB of its code", pid));
  ProbeArea::Header header;
  header.magic = ProbeArea::magic;
  header.version = ProbeArea::version;
  header.owner_pid = owner.pid;
  header.owner_start_ticks = owner.start_ticks;
  header.code = *place;
  header.data = *place + ProbeArea::code_bytes;
  const CallSite site = call_site_in(memory, ranges);
  while_stopped(pid, longest_stop, [&](const StoppedProcess& stopped) {
    if (!stopped.has_thread_data())
      throw EnvironmentError(fmt::format(
          "process {} cannot have probes: one of its threads has no thread-local data (%fs is 0), "
          "which C libraries set up",
          pid));
    if (FileHandle file = map(header, memory, stopped, site); file.valid())
      kept.keep(header.code, std::move(file));
  });
  memory.write(header.data, std::as_bytes(std::span(&header, 1)));
  return header;
}

}  // namespace eventspace
