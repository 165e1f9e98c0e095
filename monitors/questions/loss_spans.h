#pragma once

// Private to monitors/.

#include <cstdint>
#include <utility>
#include <vector>

namespace eventspace {

class RecordingReader;

/// The losses of a recording, by interval. A recorder finds out when it pulls that events were lost since the
/// pull before; a reader counts them in the interval of the first moment at which that can have been. If
/// intervals are shorter than the time between the pulls, the events may be missing in several of them. Pure.
class LossSpans {
 public:
  /// Between which times the events can have been lost that a recorder found lost at once.
  struct Span {
    std::int64_t begin_ns{0};
    std::int64_t end_ns{0};
  };
  explicit LossSpans(std::vector<Span> spans) : spans_(std::move(spans)) {}
  explicit LossSpans(const RecordingReader& recording);

  /// Returns how many events may be missing from `since_ns`, exclusively, to `until_ns`: the `lost` that were
  /// counted there, and those of an earlier interval that may have been lost in this one. Call it for one
  /// interval after the other.
  std::uint64_t take(std::int64_t since_ns, std::int64_t until_ns, std::uint64_t lost);

 private:
  std::vector<Span> spans_;    // rising
  std::int64_t until_ns_{0};   // how far those counted last may reach
  std::uint64_t reaching_{0};  // how many they are
};

}  // namespace eventspace
