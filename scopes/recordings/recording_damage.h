#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace eventspace {

/// A place in a file of a recording where the bytes are not those that the recorder wrote.
struct DamagedPlace {
  std::filesystem::path file;
  std::uint64_t at{0};
  std::uint64_t bytes{0};
  /// Nothing is lost: what was there is also elsewhere in the file, or follows from the rest.
  bool is_repaired{false};
  /// Records that are lost with it; of a chunk that had none 0. None: not known.
  std::optional<std::uint64_t> records{};
  /// From when to when these were, on the recorder's clock. None: not known.
  std::optional<std::int64_t> first_ns{};
  std::optional<std::int64_t> last_ns{};
  friend bool operator==(const DamagedPlace&, const DamagedPlace&) = default;
};

/// What opening a recording found wrong.
struct RecordingDamage {
  static constexpr std::size_t most_places = 100;

  std::uint64_t cut{0};       ///< bytes at the end that are no whole chunk
  std::uint64_t damaged{0};   ///< places that cannot be read
  std::uint64_t repaired{0};  ///< places that were damaged and cost nothing
  std::uint64_t repeated{0};  ///< chunks with a number that an earlier one had, or out of order
  std::uint64_t missing{0};   ///< chunks that are in no place: their numbers are missing
  std::uint64_t parts{0};     ///< parts between others that are not there, or cannot be read
  std::uint64_t records{0};   ///< records that are lost with the damaged places, as far as known
  bool ends_early{false};     ///< no end was written: the recorder was killed, or the disk was full
  /// Whether it is not known how many records are lost.
  bool has_unknown_losses{false};
  std::vector<DamagedPlace> places{};  ///< the first of those that are damaged or repaired

  [[nodiscard]] bool any() const noexcept {
    return (cut | damaged | repaired | repeated | missing | parts) != 0 || ends_early;
  }
  /// Whether something that was recorded cannot be read.
  [[nodiscard]] bool is_lossy() const noexcept {
    return (cut | damaged | missing | parts) != 0 || ends_early;
  }
  /// Whether bytes that were in the file are not there as they were; false for one that only ends early.
  [[nodiscard]] bool has_bad_bytes() const noexcept {
    return (damaged | repaired | repeated | missing | parts) != 0;
  }
  /// Counts it, and keeps it if there is room.
  void add(DamagedPlace place);
  /// `ends_early` becomes that of `other`.
  RecordingDamage& operator+=(const RecordingDamage& other);
  friend bool operator==(const RecordingDamage&, const RecordingDamage&) = default;
};

/// A sentence for people, without the name of the recording; empty if nothing is damaged. `begun_ns`: when
/// recording began, from which times are counted.
[[nodiscard]] std::string in_words(const RecordingDamage& damage, std::int64_t begun_ns);

}  // namespace eventspace
