#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "paths/parameters/parameters.h"
#include "paths/parameters/registry.h"
#include "paths/views/rank_set.h"
#include "scopes/streams/filters/filter.h"
#include "scopes/streams/packets/packet.h"

namespace eventspace::streams {

/// The queue of one child of a process in a stream: packets that wait to be part of a wave.
struct Waiting {
  Child child{0};
  const RankSet* ranks{nullptr};  ///< the child's end-points
  std::size_t packets{0};
  const Packet* first{nullptr};                  ///< the oldest packet; null if there is none
  std::chrono::steady_clock::time_point came{};  ///< when the process received it
};

/// A user-defined rule for when packets are passed on, and which of them form a wave: synchronisation beyond
/// the Synchronise values. Each process has its own object for each stream, which keeps state and is
/// destroyed with the stream. Used by one thread.
///
/// Packets of one child stay in order: a wave has the oldest packets of some children. Waves are numbered by
/// the process that forms them; Packet::wave is the number that the packet had below. Each wave names the
/// end-points that are not in it.
///
/// If a rule throws, the oldest packet of each child is lost: the process counts them as late, and reports a
/// fault of the stream, which continues.
class WaveRule {
 public:
  using Clock = std::chrono::steady_clock;
  /// Children by their numbers. Children without packets, and unknown ones, are ignored.
  struct Choice {
    std::vector<Child> pass{};  ///< their oldest packets form the next wave
    std::vector<Child> drop{};  ///< their oldest packets are dropped, and counted as late
  };

  virtual ~WaveRule() = default;
  /// Chooses the next wave, or packets to drop; an empty choice waits. Called again as long as it chooses
  /// packets. `waiting` has all children that take part, in rank order; at least one has a packet.
  virtual Choice choose(std::span<const Waiting> waiting, Clock::time_point now) = 0;
  /// When choose() has to be called again even if no packet comes. Called after choose().
  [[nodiscard]] virtual std::optional<Clock::time_point> due() const { return std::nullopt; }
};

/// A kind of rule, by name. `make` gets complete parameters and throws ConfigurationError if they contradict
/// each other.
struct RuleInfo {
  std::string name;
  std::string help;
  std::vector<ParameterSpec> parameters;
  std::function<std::unique_ptr<WaveRule>(const Parameters& parameters)> make;
};

/// The rules that streams can name: programs add them before they open a network, in every process of the
/// network. There are no built-in rules. See Registry about threads.
class RuleRegistry {
 public:
  static Registry<RuleInfo>& instance();
};

/// Makes a rule of the RuleRegistry. Throws ConfigurationError for an unknown name or invalid parameters.
[[nodiscard]] std::unique_ptr<WaveRule> make_rule(const FilterUse& use);

}  // namespace eventspace::streams
