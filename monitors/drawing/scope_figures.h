#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "pathmaps/plan/plan.h"
#include "paths/links/link.h"
#include "paths/views/view.h"

namespace eventspace {

/// Figures of the parts of a scope, collected over many pulls. A part is all of the tree that runs in one
/// place; it reports its time and records at each pull (LevelTime). Pure. Not thread-safe.
///
/// The time of a part runs from its request to its answer and includes the parts below it. How it divides
/// among the wrappers of the part is unknown. The time of the transfer to the parent is also unknown; the
/// parent's time includes it.
class ScopeFigures {
 public:
  struct Part {
    std::uint64_t answered{0};  ///< number of pulls that it answered
    std::chrono::nanoseconds sum{};
    std::chrono::nanoseconds longest{};
    std::uint64_t records{0};
    std::uint64_t aggregates{0};
    std::uint64_t missed{0};  ///< number of pulls in which it or a source of it was missing
    std::string why{};        ///< the cause at the last such pull
    [[nodiscard]] std::chrono::nanoseconds mean() const noexcept {
      return answered == 0 ? std::chrono::nanoseconds{} : sum / static_cast<std::int64_t>(answered);
    }
    /// The size of the records, without the overhead of messages.
    [[nodiscard]] std::uint64_t bytes() const noexcept { return records * sizeof(TraceTuple); }
  };

  ScopeFigures(const Plan& plan, const ScopeTree& tree);

  /// Adds one pull and its duration.
  void add(const View& view, std::chrono::nanoseconds elapsed);
  /// Call at the end: sets the duration of all pulls and the traffic on the consumer's links.
  void finish(std::chrono::nanoseconds elapsed, const Link::Counts& traffic);

  /// Whether a part begins at `node`.
  static bool begins_part(const ScopeNode& node, const ScopeTree& tree) noexcept;
  /// The figures of the part that begins at `node`.
  [[nodiscard]] const Part& of(const ScopeNode& node) const;

  [[nodiscard]] std::uint64_t pulls() const noexcept { return pulls_; }
  [[nodiscard]] std::chrono::nanoseconds mean_pull() const noexcept;
  [[nodiscard]] std::chrono::nanoseconds longest_pull() const noexcept { return longest_; }
  [[nodiscard]] std::chrono::nanoseconds elapsed() const noexcept { return elapsed_; }
  [[nodiscard]] const Link::Counts& traffic() const noexcept { return traffic_; }
  [[nodiscard]] const Loss& loss() const noexcept { return loss_; }
  /// Whether no pull read any trace element.
  [[nodiscard]] bool are_empty() const noexcept { return sources_read_ == 0; }
  /// The missing parts, each once: "server of node n1 (no answer)".
  [[nodiscard]] std::vector<std::string> missing() const;

 private:
  void learn(const Plan& plan, const ScopeNode& node, const ScopeTree& tree, const std::string& part_around);
  void miss(const Missing& missing, std::set<std::string>& missed);

  std::map<std::string, Part> parts_;                         // by name
  std::map<std::string, std::set<std::string>> parts_about_;  // by names that View::missing can contain
  std::map<std::string, std::string> missing_;
  std::uint64_t pulls_{0};
  std::uint64_t sources_read_{0};
  std::chrono::nanoseconds sum_{};
  std::chrono::nanoseconds longest_{};
  std::chrono::nanoseconds elapsed_{};
  Link::Counts traffic_;
  Loss loss_;
};

}  // namespace eventspace
