#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace eventspace {

/// A set of ranks, such as the processes of a communicator or the end-points of a stream, kept as ranges: its
/// size in memory and in text depends on its gaps, not on its ranks.
///
/// The text is a list of ranks and ranges, with a step where ranks are evenly spaced:
///
///     0-3,8,16-30:2
///
/// Operations take time proportional to the ranges of both sets, except add(), which is cheap for ranks in
/// ascending order. Not thread-safe; const functions can run at once.
class RankSet {
 public:
  using Rank = std::uint32_t;
  /// The greatest rank, so that a rank plus one still fits the type.
  static constexpr Rank most = std::numeric_limits<std::int32_t>::max();
  /// The limit of parse().
  static constexpr std::size_t max_ranges = 65536;

  struct Range {
    Rank first{0};
    Rank last{0};
    friend bool operator==(const Range&, const Range&) = default;
  };

  RankSet() = default;
  /// The ranks from `first` to `last`, both included; empty if `last` < `first`.
  static RankSet of_range(Rank first, Rank last);
  static RankSet of(std::span<const Rank> ranks);
  /// Reads a text. The ranks may be in any order and occur twice. Nullopt if the text is not a set of ranks,
  /// has a rank above `most`, or more than `max_ranges` ranges. The empty text is the empty set.
  [[nodiscard]] static std::optional<RankSet> parse(std::string_view text);

  /// Adds a rank, which is at most `most`.
  void add(Rank rank) { add({rank, rank}); }
  void add(Range range);

  [[nodiscard]] bool contains(Rank rank) const noexcept;
  [[nodiscard]] std::size_t size() const noexcept;  ///< the number of ranks
  [[nodiscard]] bool empty() const noexcept { return ranges_.empty(); }
  /// Ascending; between two ranges at least one rank is missing.
  [[nodiscard]] std::span<const Range> ranges() const noexcept { return ranges_; }
  /// The rank that has `place` smaller ones in the set; nullopt if the set is not that large.
  [[nodiscard]] std::optional<Rank> at(std::size_t place) const noexcept;
  /// All ranks, ascending: size() of them.
  [[nodiscard]] std::vector<Rank> ranks() const;

  /// The text. If it were longer than `longest` bytes, it ends after a whole item with ",..." and the text
  /// cannot be parsed.
  [[nodiscard]] std::string to_text(std::size_t longest = std::numeric_limits<std::size_t>::max()) const;

  friend RankSet operator|(const RankSet& a, const RankSet& b);
  friend RankSet operator&(const RankSet& a, const RankSet& b);
  friend RankSet operator-(const RankSet& a, const RankSet& b);
  friend bool operator==(const RankSet&, const RankSet&) = default;

 private:
  std::vector<Range> ranges_;
};

}  // namespace eventspace
