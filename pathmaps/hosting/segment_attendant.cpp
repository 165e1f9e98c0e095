#include "pathmaps/hosting/segment_attendant.h"

#include <fmt/format.h>

#include <utility>

namespace eventspace {

SegmentAttendant::SegmentAttendant(LocalSegments& segments, std::function<void(const std::string&)> warn,
                                   Attendant* other)
    : segments_(&segments), warn_(std::move(warn)), other_(other) {}

void SegmentAttendant::begin(LinkPool& links, std::function<void()> call) {
  watch_ = segments_->watch([this, call] {
    is_new_ = true;  // before call(): attend() must see it
    call();
  });
  if (!watch_->works() && warn_) {
    warn_(
        fmt::format("{}: new processes are found only when a monitor pulls; events of processes that start "
                    "and end between two pulls may be missed without being counted",
                    watch_->problem()));
  }
  segments_->look();  // finds the segments that were created before the watch
  if (other_ != nullptr) other_->begin(links, std::move(call));
}

void SegmentAttendant::attend() {
  if (is_new_.exchange(false)) segments_->look();
  if (other_ != nullptr) other_->attend();
}

Deadline SegmentAttendant::due() { return other_ != nullptr ? other_->due() : Deadline::never(); }

void SegmentAttendant::end() {
  watch_.reset();
  if (other_ != nullptr) other_->end();
}

}  // namespace eventspace
