#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "pathmaps/plan/fault.h"
#include "pathmaps/reading/place.h"

namespace eventspace::reading {

/// Collects the faults of a pathmap while it is read, and numbers its files. Memory is bounded: beyond
/// `max_kept`, faults are only counted. Not thread-safe.
class Faults {
 public:
  static constexpr std::size_t max_kept = 2000;
  static constexpr std::size_t max_reported = 100;

  /// Adds a file and returns its number, for Place::file.
  std::size_t add_file(std::string name);
  [[nodiscard]] const std::string& file(std::size_t number) const { return files_.at(number); }

  /// Adds a fault. A fault that is found several times, for example through aliases, is reported once.
  void add(const Place& place, std::string text);
  [[nodiscard]] bool any() const noexcept { return !faults_.empty(); }
  [[nodiscard]] std::size_t count() const noexcept { return faults_.size() + more_; }

  /// Returns "line 7", or "FILE:7" if `place` is in another file than `seen_from`.
  [[nodiscard]] std::string describe(const Place& place, const Place& seen_from) const;

  /// Returns the faults sorted by place: at most `max_reported`, and one more that counts the others.
  [[nodiscard]] std::vector<Fault> report() const;

 private:
  struct Entry {
    Place place;
    std::string text;
    friend auto operator<=>(const Entry&, const Entry&) = default;  // NOLINT(modernize-use-nullptr)
  };
  std::vector<std::string> files_;
  std::vector<Entry> faults_;
  std::size_t more_{0};
};

}  // namespace eventspace::reading
