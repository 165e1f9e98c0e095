#pragma once

// Private to monitors/.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "monitors/probing/code/entry_check.h"

// What the decoding of a module has found out (EntryFindings) as bytes, which are kept in a file:
//
//     head      magic, version of the format, versions of what has decoded (EventSpace and Zydis), checksum
//               of all behind it
//     module    its fingerprint and its build-id
//     lists     branches, targets of tables, refusals: the number of entries, then the entries
//
// All numbers behind the checksum have 7 bits in a byte, the lowest first; the highest bit says that there
// are more. Entries are sorted and have the distance from the one before, so that most take few bytes. Pure.

namespace eventspace {

/// What an EntryCheck depends on: the bytes of the module's file, and where its functions are. Modules that
/// differ have different ones but by accident; it is no protection against those that are made to collide.
std::uint64_t fingerprint_of(const ModuleSymbols& module);

/// Which module it is.
struct FoundIn {
  std::string build_id;
  std::uint64_t fingerprint{0};

  friend bool operator==(const FoundIn&, const FoundIn&) = default;
};

std::vector<std::byte> to_bytes(const FoundIn& module, const EntryFindings& findings);
/// Puts a head before the rest, of which it has the checksum.
std::vector<std::byte> sealed(std::vector<std::byte> rest);
inline constexpr std::size_t head_bytes = 32;

/// Reads such bytes, which may be anything. Returns nothing if they are damaged, of another version, or of
/// another module.
std::optional<EntryFindings> findings_in(Bytes bytes, const FoundIn& module);

}  // namespace eventspace
