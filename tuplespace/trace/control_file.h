#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>

#include "tuplespace/system/session_files.h"
#include "tuplespace/system/shared_file.h"
#include "tuplespace/system/untruncatable_memory.h"
#include "tuplespace/trace/collect_switch.h"

namespace eventspace {

// A process lets other processes of its user switch its collecting, through a control file beside its
// segment:
//
//     eventspace.UID.SESSION.NODE.PROCESS.PID.control      mode 0600, written once
//
//     0    magic : 8          8    layout version : 4   12   byte order : 4
//     16   nonce : 8          24   process start : 8    32   pid : 4
//     36   memory : 4 (its number, UntruncatableMemory)  40  why there is no memory : 4 (errno; 0: there is)
//     44   reserved : 4       48   session : 64         112  node : 64
//     176  process : 64       240  checksum : 8 (of all before it)
//
// The switch itself is in the memory that the file names, after a header with the file's nonce:
//
//     0    magic : 8          8    layout version : 4   12   byte order : 4
//     16   nonce : 8          64   CollectSwitch
//
// So the process, which only reads the memory that it made, does not depend on the file: it works without it,
// and is not affected if the file is removed, replaced, truncated or filled with junk.

namespace control_layout {

// A change of any of this, or of CollectSwitch, raises layout_version; other versions are refused.
inline constexpr std::uint64_t magic = 0x3143'5443'5056'4545;
inline constexpr std::uint32_t layout_version = 1;
inline constexpr std::uint32_t byte_order_mark = 0x01020304;

struct Header {
  std::uint64_t magic;
  std::uint32_t layout_version;
  std::uint32_t byte_order;
  std::uint64_t nonce;
  std::uint64_t process_start_ticks;
  std::int32_t pid;
  std::int32_t memory;
  std::int32_t no_memory;
  std::uint32_t reserved;
  char session[64];
  char node[64];
  char process[64];
  std::uint64_t checksum;
};
static_assert(sizeof(Header) == 248 && offsetof(Header, checksum) == 240);

struct Memory {
  std::uint64_t magic;
  std::uint32_t layout_version;
  std::uint32_t byte_order;
  std::uint64_t nonce;
  CollectSwitch collecting;
};
static_assert(offsetof(Memory, collecting) == 64 && sizeof(Memory) == 64 + 64 + 4096 * 4);

}  // namespace control_layout

/// The control file of the calling process, with its switch. The file appears complete or not at all; it is
/// removed by the destructor, and left alone by a forked child. Not thread-safe; the switch is.
class ControlFile {
 public:
  /// Throws ConfigurationError for a name that is too long, EnvironmentError if the file cannot be made. If
  /// the system lacks memory that other processes can join, the switch works only for this process, and
  /// readers of the file see the reason.
  explicit ControlFile(const SegmentIdentity& identity,
                       const std::filesystem::path& directory = segment_directory());

  /// Everything is recorded until a process switches. Outlives this object.
  [[nodiscard]] const std::shared_ptr<CollectSwitch>& collect_switch() const noexcept { return switch_; }
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return file_.path(); }

 private:
  std::shared_ptr<CollectSwitch> switch_;
  PublishedFile file_;
};

/// The switch of any process of this user, found by its control file. File and memory are not trusted.
/// Neither can fault: the file is read once, and the memory cannot be truncated. It stays valid as long as
/// this object exists, even when the process has ended.
class ControlView {
 public:
  using Access = UntruncatableMemory::Access;
  /// Throws EnvironmentError with the reason why the file is refused.
  ControlView(const std::filesystem::path& file, Access access);

  /// `fingerprint` is 0.
  [[nodiscard]] const SegmentIdentity& identity() const noexcept { return identity_; }
  [[nodiscard]] std::int32_t pid() const noexcept { return pid_; }
  [[nodiscard]] std::uint64_t process_start_ticks() const noexcept { return start_ticks_; }
  [[nodiscard]] const CollectSwitch& collect_switch() const noexcept;
  /// Requires Access::write.
  [[nodiscard]] CollectSwitch& writable_switch() noexcept;

 private:
  SegmentIdentity identity_;
  std::int32_t pid_;
  std::uint64_t start_ticks_;
  std::shared_ptr<std::byte> memory_;
};

}  // namespace eventspace
