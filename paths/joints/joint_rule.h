#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <eventspace/tuple.h>
#include "paths/joints/collective.h"
#include "paths/joints/combine.h"

namespace eventspace {

/// A child of a joint: a participant, or another joint with the participants below it.
struct JointChild {
  std::string name;  ///< for messages
  bool is_joint{false};
  std::vector<std::uint32_t> participants{};  ///< their numbers in the collective, ascending; never empty
};

/// The role of one joint in its collective.
struct JointConfig {
  std::string name;  ///< for messages
  CollectiveKind kind{CollectiveKind::barrier};
  Signature signature{};                      ///< of one contribution
  std::vector<const CombineInfo*> combine{};  ///< one for each field if the kind combines; not owned
  std::vector<JointChild> children{};         ///< at least one
  std::optional<std::uint32_t> root{};        ///< the participant with the role of the root, if there is one
  std::size_t participants{0};                ///< of the whole collective
};

/// Computes the tuples that a joint sends up and down: does no I/O, holds no state of operations. Two joints
/// exchange
///
///                 up                                  down
///     broadcast   the root's tuple, or empty          the root's tuple
///     gather      packed: one for each participant    packed: all of them; to the root's side only
///     scatter     packed: the root's, or empty        packed: one for each participant below
///     reduce      combined                            combined; to the root's side only
///     all-reduce  combined                            combined
///
/// Tuples are packed as in packed_tuples.h, in the order of the participants. The tuples of participants are
/// those of collective.h. Immutable, so thread-safe.
class JointRule {
 public:
  explicit JointRule(JointConfig config);

  [[nodiscard]] const JointConfig& config() const noexcept { return config_; }

  /// Checks a contribution of child `child`. Returns the fault; empty if there is none.
  [[nodiscard]] std::string fault_of(std::size_t child, const Tuple& contribution) const;
  /// Joins one contribution of each child, in the order of the children, to the tuple to send up. Each must
  /// be without fault.
  [[nodiscard]] Tuple join(std::span<const Tuple> contributions) const;
  /// Splits the tuple from above (at the root joint the joined tuple) into one tuple for each child. Throws
  /// ConfigurationError if `down` does not have the form in the table.
  [[nodiscard]] std::vector<Tuple> part(const Tuple& down) const;

 private:
  [[nodiscard]] bool has_the_root(const JointChild& child) const noexcept;
  [[nodiscard]] std::string fault_of_packed(const Tuple& packed, std::size_t expected) const;
  [[nodiscard]] Tuple gather(std::span<const Tuple> contributions) const;
  [[nodiscard]] std::vector<Tuple> scatter(const Tuple& down) const;

  JointConfig config_;
  std::vector<std::uint32_t> all_;  // all participants below this joint, ascending
};

}  // namespace eventspace
