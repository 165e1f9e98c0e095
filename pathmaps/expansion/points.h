#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "pathmaps/expansion/draft.h"
#include "pathmaps/reading/mapping.h"

namespace eventspace::expansion {

constexpr unsigned bit_of(CollectPoint point) { return 1U << static_cast<unsigned>(point); }
inline constexpr unsigned ends_of_path = bit_of(CollectPoint::thread) | bit_of(CollectPoint::element);
inline constexpr unsigned all_points = ~0U;

/// The words of an `at:` key: points of event collectors on paths.
///
///     thread, element, both    the ends of a path
///     after-2, before-2        behind, or before, the second of the path's `stages`
///     after-delay, ...         behind, or before, the stage whose wrapper is `delay`
///
/// `before-1` is the point `thread`, and `before-2` is `after-1`. The points meant by the words of a stage
/// depend on the path; a path without such a stage lacks these points.
class Points {
 public:
  /// Reads the key `at` of `rule`. Words with faults, which it reports, are left out.
  explicit Points(const reading::Mapping& rule);

  /// Returns false if the rule lacks the key `at`.
  [[nodiscard]] bool are_given() const noexcept { return given_; }
  /// Returns the points of the ends of paths as a bit set; see bit_of.
  [[nodiscard]] unsigned ends() const noexcept { return ends_; }
  /// Returns the words that mean points between stages.
  [[nodiscard]] std::vector<Word> between() const;

  /// Returns the points that the words mean on `path`, as a bit set. Reports a word of a stage that means
  /// several points of the path, or a point that cannot have an event collector.
  unsigned on(PathIndex path, const Draft& draft);
  /// Reports the words of stages that did not match a point of any path given to on(). Does nothing if no
  /// path was given.
  void check_used(const Draft& draft) const;

 private:
  struct Between {
    Word word;
    bool before{false};
    std::size_t number{0};  // of the stage, from 1; 0 if the stage has a name
    std::string wrapper;
    bool is_used{false};    // a path has the stage
    bool is_faulty{false};  // a path has it at an impossible place
  };
  static std::optional<Between> between_of(const Word& word, const reading::Mapping& rule);
  static std::optional<std::size_t> stage_of(Between& between, PathIndex path, const Draft& draft);

  bool given_{false};
  bool has_paths_{false};
  unsigned ends_{0};
  std::vector<Between> between_;
};

}  // namespace eventspace::expansion
