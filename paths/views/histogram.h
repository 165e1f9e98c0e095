#pragma once

#include <cstdint>
#include <vector>

namespace eventspace {

/// How numbers are distributed: how many lie in each of buckets that are a sixteenth of their power of two
/// wide. Two histograms can be put together, whoever counted what: nothing is lost by it. A number that is
/// read from a bucket is its middle, at most 3.2 % off. Negative numbers have buckets too, and 0
/// with what is nearer to it than 2^-1022.
class Histogram {
 public:
  /// A run of numbers: 0 for the number 0, above it for positive and below it for negative numbers, further
  /// from 0 the further these are.
  using Key = std::int32_t;
  struct Bucket {
    Key key{0};
    std::uint64_t count{0};
    friend bool operator==(const Bucket&, const Bucket&) = default;
  };
  /// The bucket of a finite number, and its bounds and middle.
  static Key key_of(double value) noexcept;
  static double lower_bound(Key key) noexcept;  ///< nearer to 0 of the two
  static double upper_bound(Key key) noexcept;
  static double middle(Key key) noexcept;
  static constexpr Key greatest_key = (1024 + 1022) * 16;

  Histogram() = default;
  /// Buckets in any order; those of one key are put together.
  explicit Histogram(const std::vector<Bucket>& buckets);

  void add(double value) { add({key_of(value), 1}); }
  void add(Bucket bucket);
  void add(const Histogram& other);

  /// By key, ascending; none is empty.
  [[nodiscard]] const std::vector<Bucket>& buckets() const noexcept { return buckets_; }
  [[nodiscard]] std::uint64_t count() const noexcept;
  /// A number that `share` (0 to 1) of all numbers do not exceed; 0 when there are none.
  [[nodiscard]] double quantile(double share) const noexcept;

  friend bool operator==(const Histogram&, const Histogram&) = default;

 private:
  std::vector<Bucket> buckets_;
};

}  // namespace eventspace
