#include "paths/views/histogram.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace eventspace {
namespace {

constexpr int parts = 16;            // of a power of two
constexpr int min_exponent = -1022;  // of the smallest normal number

// The bound nearer to zero of bucket `rank`, counted from 0 outwards. Beyond the greatest number it is
// infinity.
double bound(Histogram::Key rank) noexcept {
  return std::ldexp(1.0 + static_cast<double>(rank % parts) / parts, rank / parts + min_exponent);
}

double with_sign_of(Histogram::Key key, double value) noexcept { return key < 0 ? -value : value; }

}  // namespace

Histogram::Key Histogram::key_of(double value) noexcept {
  if (std::abs(value) < std::numeric_limits<double>::min()) return 0;
  int exponent = 0;
  const double fraction = std::frexp(std::abs(value), &exponent);  // 0.5 to 1
  const auto part = static_cast<Key>((2 * fraction - 1) * parts);
  const Key rank = (exponent - 1 - min_exponent) * parts + part;
  return value < 0 ? -(rank + 1) : rank + 1;
}

double Histogram::lower_bound(Key key) noexcept {
  return key == 0 ? 0 : with_sign_of(key, bound(std::abs(key) - 1));
}

double Histogram::upper_bound(Key key) noexcept {
  return key == 0 ? 0 : with_sign_of(key, bound(std::abs(key)));
}

double Histogram::middle(Key key) noexcept {
  const double lower = lower_bound(key);
  const double upper = upper_bound(key);
  return std::isfinite(upper) ? lower + (upper - lower) / 2 : lower;
}

Histogram::Histogram(const std::vector<Bucket>& buckets) {
  for (const Bucket& bucket : buckets) add(bucket);
}

void Histogram::add(Bucket bucket) {
  if (bucket.count == 0) return;
  const auto place = std::lower_bound(buckets_.begin(), buckets_.end(), bucket.key,
                                      [](const Bucket& b, Key key) { return b.key < key; });
  if (place != buckets_.end() && place->key == bucket.key) {
    place->count += bucket.count;
  } else {
    buckets_.insert(place, bucket);
  }
}

void Histogram::add(const Histogram& other) {
  for (const Bucket& bucket : other.buckets_) add(bucket);
}

std::uint64_t Histogram::count() const noexcept {
  std::uint64_t sum = 0;
  for (const Bucket& bucket : buckets_) sum += bucket.count;
  return sum;
}

double Histogram::quantile(double share) const noexcept {
  if (buckets_.empty()) return 0;
  const double wanted = std::clamp(share, 0.0, 1.0) * static_cast<double>(count());
  std::uint64_t passed = 0;
  for (const Bucket& bucket : buckets_) {
    passed += bucket.count;
    if (static_cast<double>(passed) >= wanted) return middle(bucket.key);
  }
  return middle(buckets_.back().key);
}

}  // namespace eventspace
