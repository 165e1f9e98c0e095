#pragma once

// Private to monitors/.

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

/// What pulls through a scope show of its parts: a part is all of the tree that runs in one place, and tells
/// what it did at each pull (LevelTime). Pure.
///
/// Known of a part are its own time, from being asked until it yielded, its parts included; and how much it
/// yielded. Not known is how its time divides among the wrappers inside of it, nor what the way to its parent
/// takes: that is within the parent's time.
class ScopeFigures {
 public:
  struct Part {
    std::uint64_t answered{0};  ///< pulls
    std::chrono::nanoseconds sum{};
    std::chrono::nanoseconds longest{};
    std::uint64_t records{0};
    std::uint64_t aggregates{0};
    std::uint64_t missed{0};  ///< pulls in which it was missing, or something that it reads
    std::string why{};        ///< the last time
    [[nodiscard]] std::chrono::nanoseconds mean() const noexcept {
      return answered == 0 ? std::chrono::nanoseconds{} : sum / static_cast<std::int64_t>(answered);
    }
    /// Of the records, without what the message has around them.
    [[nodiscard]] std::uint64_t bytes() const noexcept { return records * sizeof(TraceTuple); }
  };

  ScopeFigures(const Plan& plan, const ScopeTree& tree);

  /// One pull and what it took.
  void add(const View& view, std::chrono::nanoseconds elapsed);
  /// At the end: how long all took, and what went over the consumer's links.
  void finish(std::chrono::nanoseconds elapsed, const Link::Counts& traffic);

  /// Whether `node` is where a part begins.
  static bool begins_part(const ScopeNode& node, const ScopeTree& tree) noexcept;
  /// Of a node where a part begins.
  [[nodiscard]] const Part& of(const ScopeNode& node) const;

  [[nodiscard]] std::uint64_t pulls() const noexcept { return pulls_; }
  [[nodiscard]] std::chrono::nanoseconds mean_pull() const noexcept;
  [[nodiscard]] std::chrono::nanoseconds longest_pull() const noexcept { return longest_; }
  [[nodiscard]] std::chrono::nanoseconds elapsed() const noexcept { return elapsed_; }
  [[nodiscard]] const Link::Counts& traffic() const noexcept { return traffic_; }
  [[nodiscard]] const Loss& loss() const noexcept { return loss_; }
  /// No pull read any trace element.
  [[nodiscard]] bool are_empty() const noexcept { return sources_read_ == 0; }
  /// What was missing, each once: "server of node n1 (no answer)".
  [[nodiscard]] std::vector<std::string> missing() const;

 private:
  void learn(const Plan& plan, const ScopeNode& node, const ScopeTree& tree, const std::string& part_around);
  void miss(const Missing& missing, std::set<std::string>& missed);

  std::map<std::string, Part> parts_;                         // by name
  std::map<std::string, std::set<std::string>> parts_about_;  // by what View::missing may name
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
