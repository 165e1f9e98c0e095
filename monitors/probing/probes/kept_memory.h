#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tuplespace/system/mapping.h"

namespace eventspace {

/// The shared memory of probes in a process (ProbeArea), through open files of this process. It stays
/// readable when the process has ended, runs another program, or has lost its probes: so their counts are
/// exact to the last call. Not thread-safe.
class KeptMemory {
 public:
  /// `begin`: the address in the process to which the file is mapped.
  void keep(std::uint64_t begin, FileHandle file) { areas_.push_back({begin, std::move(file)}); }
  /// Reads from an address in the process. Returns how many bytes were read; may be fewer than requested.
  std::size_t read_some(std::uint64_t address, std::span<std::byte> bytes) const;

  /// Sends the files over a socket, until that would block.
  void send_to(int socket) const noexcept;
  /// Takes the files that were sent.
  void receive_from(int socket);

 private:
  struct Area {
    std::uint64_t begin{0};
    FileHandle file;
  };
  std::vector<Area> areas_;
};

}  // namespace eventspace
