#pragma once

// Private to paths/.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "paths/joints/collective.h"
#include "paths/joints/combine.h"
#include "tuplespace/tuple.h"

namespace eventspace {

/// Who contributes to a joint: a participant, or a joint for those below it.
struct JointChild {
  std::string name;  ///< for messages
  bool is_joint{false};
  std::vector<std::uint32_t> participants{};  ///< their numbers in the collective, ascending; never empty
};

/// What a joint is in its collective.
struct JointConfig {
  std::string name;
  CollectiveKind kind{CollectiveKind::barrier};
  Signature signature{};                      ///< of one contribution
  std::vector<const CombineInfo*> combine{};  ///< for each field, when the kind combines
  std::vector<JointChild> children{};         ///< at least one
  std::optional<std::uint32_t> root{};        ///< the participant that is the root, if the kind has one
  std::size_t participants{0};                ///< of the whole collective
};

/// What becomes of the tuples at a joint, on their way up and down: pure. Between two joints travel
///
///                 up                                  down
///     broadcast   the root's tuple, or empty          the root's tuple
///     gather      packed: one for each participant    packed: all of them; to the root's side only
///     scatter     packed: the root's, or empty        packed: one for each participant below
///     reduce      combined                            combined; to the root's side only
///     all-reduce  combined                            combined
///
/// packed as by packed_tuples.h, in the order of the participants. A participant gives and gets what
/// collective.h says.
class JointRule {
 public:
  explicit JointRule(JointConfig config);

  [[nodiscard]] const JointConfig& config() const noexcept { return config_; }

  /// What is wrong with what child `child` contributes; empty: nothing.
  [[nodiscard]] std::string fault_of(std::size_t child, const Tuple& contribution) const;
  /// What goes up, of a contribution from each child, in their order and without fault.
  [[nodiscard]] Tuple join(std::span<const Tuple> contributions) const;
  /// What each child gets of what came down; at the root joint, of what was joined there. Throws
  /// ConfigurationError when that is none of the above.
  [[nodiscard]] std::vector<Tuple> part(const Tuple& down) const;

 private:
  [[nodiscard]] bool has_the_root(const JointChild& child) const noexcept;
  [[nodiscard]] std::string fault_of_packed(const Tuple& packed, std::size_t expected) const;
  [[nodiscard]] Tuple gather(std::span<const Tuple> contributions) const;
  [[nodiscard]] std::vector<Tuple> scatter(const Tuple& down) const;

  JointConfig config_;
  std::vector<std::uint32_t> all_;  // the participants below, ascending
};

}  // namespace eventspace
