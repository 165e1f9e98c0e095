#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace eventspace {

class RecordingReader;

/// The losses of a recording, by interval. A recorder detects at a pull that events were lost since the pull
/// before. A reader counts them in the interval that contains the earliest time of the loss. If intervals are
/// shorter than the time between the pulls, the events may be missing in several of them. Pure.
class LossSpans {
 public:
  /// A loss that a recorder detected: the times between which the events can have been lost.
  struct Span {
    std::int64_t begin_ns{0};
    std::int64_t end_ns{0};
  };
  explicit LossSpans(std::vector<Span> spans) : spans_(std::move(spans)) {}
  explicit LossSpans(const RecordingReader& recording);

  /// Returns how many events may be missing from `since_ns`, exclusive, to `until_ns`: the `lost` events that
  /// were counted there, and events of earlier intervals that may have been lost in this one. To be called
  /// for consecutive intervals.
  std::uint64_t take(std::int64_t since_ns, std::int64_t until_ns, std::uint64_t lost);

 private:
  std::vector<Span> spans_;    // ascending
  std::int64_t until_ns_{0};   // end of the span of the events counted last
  std::uint64_t reaching_{0};  // the number of these events
};

}  // namespace eventspace
