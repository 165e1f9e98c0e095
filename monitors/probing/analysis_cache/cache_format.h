#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "monitors/probing/code/entry_check.h"

// The format of a file that stores the analysis of a module (EntryAnalysis):
//
//     head      magic, version of the format, versions of the decoder (EventSpace and Zydis), checksum
//               of all bytes after it
//     module    its fingerprint and its build-id
//     lists     branches, targets of tables, refusals: the number of entries, then the entries
//
// Numbers after the checksum have 7 bits in a byte, lowest first; the highest bit marks that more bytes
// follow. Entries are sorted and store the distance from the previous entry, so most take few bytes. Pure.

namespace eventspace {

/// Hashes everything that an EntryCheck depends on: the bytes of the module's file, and where its functions
/// are. Different modules have different fingerprints except by accident; this does not protect against
/// collisions that are made on purpose.
std::uint64_t fingerprint_of(const ModuleSymbols& module);

/// Identifies the module that an analysis is of.
struct AnalysisKey {
  std::string build_id;
  std::uint64_t fingerprint{0};

  friend bool operator==(const AnalysisKey&, const AnalysisKey&) = default;
};

std::vector<std::byte> to_bytes(const AnalysisKey& key, const EntryAnalysis& analysis);
/// Prepends the head, with the checksum of `rest`.
std::vector<std::byte> sealed(std::vector<std::byte> rest);
inline constexpr std::size_t head_bytes = 32;

/// Parses bytes of a file, which are not trusted. Returns nullopt if they are damaged, of another version, or
/// of another module.
std::optional<EntryAnalysis> analysis_in(Bytes bytes, const AnalysisKey& key);

}  // namespace eventspace
