#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "scopes/metrics/evaluation/tally.h"
#include "scopes/metrics/language/definition.h"

namespace eventspace::metrics {

/// The tallies that servers collected for the collections of a definition, by object.
///
/// 1. A collection has two results for each object: over all that arrived, and over what arrived since
///    end_reading().
/// 2. Until the first tally arrives, the result is that of no value.
///
/// Not thread-safe.
class CollectedTallies {
 public:
  /// `definition` must outlive it.
  explicit CollectedTallies(const Definition& definition)
      : definition_(definition), received_(definition.collections.size()) {}

  void receive(std::uint32_t collection, std::uint32_t object, const Tally::State& collected);
  [[nodiscard]] Datum result(std::uint32_t collection, std::size_t object, bool is_since_last) const;
  void end_reading();

 private:
  struct Received {
    std::optional<Tally> start{};
    std::optional<Tally> last{};
  };

  const Definition& definition_;
  std::vector<std::vector<Received>> received_;  // by collection and object
};

}  // namespace eventspace::metrics
