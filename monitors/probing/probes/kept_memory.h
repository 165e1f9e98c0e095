#pragma once

// Private to monitors/.

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tuplespace/system/mapping.h"

namespace eventspace {

/// The shared memory that probes have in a process (ProbeArea), through open files of this process. It can be
/// read when the process has ended, runs another program, or has lost its probes: what they have counted is
/// there to the last call. Not thread-safe.
class KeptMemory {
 public:
  /// `begin`: the address in the process at which the file begins.
  void keep(std::uint64_t begin, FileHandle file) { areas_.push_back({begin, std::move(file)}); }
  /// Reads from an address in the process. Returns how many bytes there are, at most those asked for.
  std::size_t read_some(std::uint64_t address, std::span<std::byte> bytes) const;

  /// Sends the files over a socket, as far as it takes them without waiting.
  void send_to(int socket) const noexcept;
  /// Takes those that were sent.
  void receive_from(int socket);

 private:
  struct Area {
    std::uint64_t begin{0};
    FileHandle file;
  };
  std::vector<Area> areas_;
};

}  // namespace eventspace
