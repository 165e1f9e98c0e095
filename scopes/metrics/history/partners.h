#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "scopes/metrics/history/observed_objects.h"
#include "scopes/tree/field_reader.h"
#include "scopes/tree/rank_list.h"

namespace eventspace::metrics {

/// The other end of a message: a thread, by its number in records, or a rank in MPI_COMM_WORLD. Plain data.
struct Partner {
  enum class Kind : std::uint8_t { thread, rank };
  Kind kind{Kind::thread};
  std::uint32_t number{0};
  friend auto operator<=>(const Partner&, const Partner&) = default;  // NOLINT
};

/// Finds the partners of events: the one other thread that uses the element of a path, or the rank to which
/// an MPI call sends or from which it receives. Not thread-safe.
class Partners {
 public:
  /// `names` must outlive it.
  explicit Partners(const PlanNames& names) noexcept : names_(&names) {}

  /// Returns nothing if the event has several partners or none, or if the members of its communicator are not
  /// known.
  [[nodiscard]] std::optional<Partner> of(const ObservedEvent& event);
  /// The partner of a message from a rank of a communicator. `rank`: MpiCallRecord::none if it is not known.
  [[nodiscard]] std::optional<Partner> of_rank(std::uint32_t communicator, std::uint32_t rank);

 private:
  [[nodiscard]] std::optional<std::uint32_t> world_rank(std::uint32_t communicator, std::uint32_t rank);

  const PlanNames* names_;
  std::map<std::uint32_t, MpiCommunicatorFacts> communicators_;
  FieldReader peer_{"peer"};
  FieldReader partner_{"partner"};
  FieldReader communicator_{"communicator"};
};

/// Returns the partners that are these objects, or belong to them.
std::set<Partner> partners_of(Base base, const std::vector<std::uint32_t>& objects,
                              const ObservedObjects& observed);

}  // namespace eventspace::metrics
