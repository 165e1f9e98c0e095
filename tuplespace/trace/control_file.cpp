#include "tuplespace/trace/control_file.h"

#include <fmt/format.h>
#include <sys/random.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <span>
#include <string_view>

#include <eventspace/error.h>
#include "tuplespace/processes/process_stat.h"

namespace eventspace {
namespace control_layout {
namespace {

std::uint64_t checksum(const Header& header) noexcept {
  return checksum_of(checksum_seed, std::as_bytes(std::span(&header, 1)).first(offsetof(Header, checksum)));
}

std::uint64_t random_number() noexcept {
  std::uint64_t number = 0;
  // Without random numbers, which all supported systems have, only the other checks distinguish memories.
  if (::getrandom(&number, sizeof number, GRND_NONBLOCK) != sizeof number) number = 0;
  return number;
}

Header make_header(const SegmentIdentity& identity) {
  Header header{};
  header.magic = magic;
  header.layout_version = layout_version;
  header.byte_order = byte_order_mark;
  header.nonce = random_number();
  header.pid = ::getpid();
  header.process_start_ticks = own_start_ticks();
  copy_text(header.session, identity.session, "session");
  copy_text(header.node, identity.node, "node");
  copy_text(header.process, identity.process, "process");
  return header;
}

// Returns the switch in new memory, and stores in `header` how to join it.
std::shared_ptr<CollectSwitch> make_switch(Header& header) {
  const auto pages = UntruncatableMemory::try_make(sizeof(Memory), header.no_memory);
  if (!pages) return std::make_shared<CollectSwitch>();
  header.memory = pages->number();
  header.no_memory = 0;
  auto* const memory =
      new (pages->data()) Memory{magic, layout_version, byte_order_mark, header.nonce, CollectSwitch()};
  return {pages->share(), &memory->collecting};
}

void write_all(const FileDraft& draft, const Header& header, const std::filesystem::path& file) {
  if (::pwrite(draft.handle().get(), &header, sizeof header, 0) == sizeof header) return;
  throw EnvironmentError::from_errno(fmt::format("cannot write the control file {}", file.string()), errno);
}

[[noreturn]] void refuse(const std::filesystem::path& file, std::string_view why) {
  throw EnvironmentError(fmt::format("control file {} is refused: {}", file.string(), why));
}

void check_version(const std::filesystem::path& file, std::uint32_t version, std::uint32_t byte_order) {
  if (byte_order != byte_order_mark) refuse(file, "its byte order is not this machine's");
  if (version == layout_version) return;
  refuse(file,
         fmt::format("its layout is version {}; this program reads version {}", version, layout_version));
}

Header read_header(const std::filesystem::path& file) {
  const OwnFile opened = open_own_file(file, FileAccess::read, "control file",
                                       [&file](const std::string& why) { refuse(file, why); });
  Header header{};
  if (::pread(opened.handle.get(), &header, sizeof header, 0) != sizeof header)
    refuse(file, fmt::format("it is truncated: {} bytes instead of {}", opened.bytes, sizeof header));
  if (header.magic != magic) refuse(file, "it is not a control file of EventSpace");
  check_version(file, header.layout_version, header.byte_order);
  if (header.checksum != checksum(header)) refuse(file, "its checksum is wrong");
  if (!has_end(header.session) || !has_end(header.node) || !has_end(header.process))
    refuse(file, "a name in it has no end");
  return header;
}

std::shared_ptr<std::byte> join(const Header& header, ControlView::Access access,
                                const std::filesystem::path& file) {
  if (header.no_memory != 0) {
    refuse(file, fmt::format("its process could not get System V shared memory ({}); see kernel.shmmni and "
                             "kernel.shmall",
                             std::strerror(header.no_memory)));
  }
  const UntruncatableMemory pages(header.memory, sizeof(Memory), access,
                                  fmt::format("control file {} is refused", file.string()));
  const auto* const memory = reinterpret_cast<const Memory*>(pages.data());
  // The number may be reused when the process has ended.
  if (memory->magic != magic || memory->nonce != header.nonce)
    refuse(file, fmt::format("System V shared memory {} does not belong to its process", header.memory));
  check_version(file, memory->layout_version, memory->byte_order);
  return pages.share();
}

}  // namespace
}  // namespace control_layout

ControlFile::ControlFile(const SegmentIdentity& identity, const std::filesystem::path& directory) {
  control_layout::Header header = control_layout::make_header(identity);
  const std::filesystem::path file =
      directory / session_files::own_name(identity, session_files::control_file_suffix);
  FileDraft draft(file, sizeof header, "control file");
  switch_ = control_layout::make_switch(header);
  header.checksum = control_layout::checksum(header);
  control_layout::write_all(draft, header, file);
  file_ = draft.publish();
}

ControlView::ControlView(const std::filesystem::path& file, Access access) {
  const control_layout::Header header = control_layout::read_header(file);
  identity_ = {std::string(text_in(header.session)), std::string(text_in(header.node)),
               std::string(text_in(header.process)), 0};
  pid_ = header.pid;
  start_ticks_ = header.process_start_ticks;
  memory_ = control_layout::join(header, access, file);
}

const CollectSwitch& ControlView::collect_switch() const noexcept {
  return reinterpret_cast<const control_layout::Memory*>(memory_.get())->collecting;
}

CollectSwitch& ControlView::writable_switch() noexcept {
  return reinterpret_cast<control_layout::Memory*>(memory_.get())->collecting;
}

}  // namespace eventspace
