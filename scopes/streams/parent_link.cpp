#include "scopes/streams/parent_link.h"

#include <fmt/format.h>

#include <span>
#include <utility>

namespace eventspace::streams {

void ParentLink::post(const Frame& frame) {
  if (part_ != Part::front_end) link_.post(frame);
}

void ParentLink::report_event(EventKind kind, const RankSet& ranks, const std::string& text) {
  if (part_ != Part::front_end && kind != EventKind::ended) {
    if (!link_.is_connected()) return;
    Frame frame{.kind = kind == EventKind::joined ? FrameKind::joined : FrameKind::left,
                .packet = {.ranks = ranks}};
    frame.packet.body = std::as_bytes(std::span(text));
    return post(frame);
  }
  if (events_.size() < max_events) events_.push_back({kind, ranks, text});
}

void ParentLink::report_fault(std::uint32_t stream, std::uint64_t wave, const std::string& reason) {
  if (part_ == Part::front_end)
    return report_event(EventKind::fault, {}, fmt::format("stream {}, wave {}: {}", stream, wave, reason));
  Frame fault{.kind = FrameKind::fault, .stream = stream, .number = wave};
  fault.packet.body = std::as_bytes(std::span(reason));
  post(fault);
}

std::optional<Event> ParentLink::take_event() {
  if (events_.empty()) return std::nullopt;
  Event event = std::move(events_.front());
  events_.pop_front();
  return event;
}

std::string ParentLink::own(const std::string& reason) const {
  if (part_ != Part::internal || !process_) return reason;
  return fmt::format("process {}: {}", *process_, reason);
}

}  // namespace eventspace::streams
