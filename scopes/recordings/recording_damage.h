#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace eventspace {

/// A place in a file of a recording where the bytes differ from those that the recorder wrote.
struct DamagedPlace {
  std::filesystem::path file;
  std::uint64_t at{0};
  std::uint64_t bytes{0};
  /// Nothing is lost: the contents are also elsewhere in the file, or follow from the rest.
  bool is_repaired{false};
  /// Records lost with it; 0 if the chunk did not have any. Nothing if unknown.
  std::optional<std::uint64_t> records{};
  /// The time span of the lost records, on the recorder's clock. Nothing if unknown.
  std::optional<std::int64_t> first_ns{};
  std::optional<std::int64_t> last_ns{};
  friend bool operator==(const DamagedPlace&, const DamagedPlace&) = default;
};

/// The damage that was found when a recording was opened.
struct RecordingDamage {
  static constexpr std::size_t max_places = 100;

  std::uint64_t cut{0};       ///< bytes at the end that are not a whole chunk
  std::uint64_t damaged{0};   ///< places that cannot be read
  std::uint64_t repaired{0};  ///< places that were damaged without loss
  std::uint64_t repeated{0};  ///< chunks whose number occurred before or is out of order
  std::uint64_t missing{0};   ///< chunks that were not found: their numbers are missing
  std::uint64_t parts{0};     ///< parts between others that do not exist, or cannot be read
  std::uint64_t records{0};   ///< records that are lost with the damaged places, as far as known
  bool ends_early{false};     ///< the end was not written: the recorder was killed, or the disk was full
  /// Whether some losses of unknown size occurred.
  bool has_unknown_losses{false};
  std::vector<DamagedPlace> places{};  ///< the first damaged or repaired places

  [[nodiscard]] bool any() const noexcept {
    return (cut | damaged | repaired | repeated | missing | parts) != 0 || ends_early;
  }
  /// Whether something that was recorded cannot be read.
  [[nodiscard]] bool is_lossy() const noexcept {
    return (cut | damaged | missing | parts) != 0 || ends_early;
  }
  /// Whether some bytes of the file are damaged or gone; false if the recording only ends early.
  [[nodiscard]] bool has_bad_bytes() const noexcept {
    return (damaged | repaired | repeated | missing | parts) != 0;
  }
  /// Counts the place, and keeps it if there is room.
  void add(DamagedPlace place);
  /// `ends_early` is taken from `other`.
  RecordingDamage& operator+=(const RecordingDamage& other);
  friend bool operator==(const RecordingDamage&, const RecordingDamage&) = default;
};

/// A sentence for people, without the name of the recording; empty if nothing is damaged. `begun_ns`: the
/// begin of the recording, from which times are counted.
[[nodiscard]] std::string in_words(const RecordingDamage& damage, std::int64_t begun_ns);

}  // namespace eventspace
