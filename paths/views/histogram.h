#pragma once

#include <cstdint>
#include <vector>

namespace eventspace {

/// The distribution of numbers: counts them in buckets, each of which is a sixteenth of its power of two
/// wide. Two histograms can be added without loss. A number read from a bucket is its middle, which is off by
/// at most 3.2 %. Negative numbers have separate buckets; 0 shares a bucket with numbers nearer to it than
/// 2^-1022. Not thread-safe.
///
///     Histogram waits;
///     waits.add(120.0);
///     const double median = waits.quantile(0.5);
class Histogram {
 public:
  /// The number of a bucket: 0 for the number 0, positive for positive and negative for negative numbers,
  /// ascending with the numbers.
  using Key = std::int32_t;
  struct Bucket {
    Key key{0};
    std::uint64_t count{0};
    friend bool operator==(const Bucket&, const Bucket&) = default;
  };
  /// The bucket of a number, which must be finite; and the bounds and middle of a bucket.
  static Key key_of(double value) noexcept;
  static double lower_bound(Key key) noexcept;  ///< the bound that is nearer to 0
  static double upper_bound(Key key) noexcept;
  static double middle(Key key) noexcept;
  static constexpr Key greatest_key = (1024 + 1022) * 16;

  Histogram() = default;
  /// Buckets may be in any order; buckets with the same key are added up.
  explicit Histogram(const std::vector<Bucket>& buckets);

  void add(double value) { add({key_of(value), 1}); }
  void add(Bucket bucket);
  void add(const Histogram& other);

  /// Ascending by key; no bucket is empty.
  [[nodiscard]] const std::vector<Bucket>& buckets() const noexcept { return buckets_; }
  [[nodiscard]] std::uint64_t count() const noexcept;
  /// A number that `share` (0 to 1) of all numbers do not exceed; 0 without numbers.
  [[nodiscard]] double quantile(double share) const noexcept;

  friend bool operator==(const Histogram&, const Histogram&) = default;

 private:
  std::vector<Bucket> buckets_;
};

}  // namespace eventspace
