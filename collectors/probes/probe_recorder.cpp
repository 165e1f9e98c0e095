#include "collectors/probes/probe_recorder.h"

#include <algorithm>

#include "collectors/record_header.h"

namespace eventspace {
namespace {

constexpr std::size_t values_in_a_record = 2;

}  // namespace

ProbeRecorder::ProbeRecorder(TraceWriter writer, CollectorIdentity identity, const RecordedThread& thread,
                             const Clock& clock) noexcept
    : writer_(writer), identity_(identity), thread_(&thread), clock_(&clock) {}

void ProbeRecorder::point(std::uint32_t name, std::span<const ProbeValue> values) noexcept {
  if (!records(ProbeVerb::point)) return;
  const std::uint64_t now = clock_->now();
  write(ProbeVerb::point, {now, name}, now, values);
  show_innermost();
}

void ProbeRecorder::begin(std::uint32_t name) noexcept {
  if (depth_ == deepest) {
    ++too_deep_;
    return;
  }
  // One that is not recorded is open all the same: in a recursion, its end would end another one.
  if (!records(ProbeVerb::region)) {
    open_[depth_++] = {unrecorded, name};
    return;
  }
  open_[depth_++] = {clock_->now(), name};
  show_innermost();
}

void ProbeRecorder::end(std::uint32_t name, std::span<const ProbeValue> values) noexcept {
  if (too_deep_ > 0) {  // else the end of a recursion would end regions around it
    --too_deep_;
    return;
  }
  std::size_t at = depth_;
  while (at > 0 && open_[at - 1].name != name) --at;
  if (at == 0) return;
  const auto ended = std::span(open_).subspan(at - 1, depth_ - (at - 1));
  depth_ = at - 1;
  if (std::ranges::all_of(ended, [](const Open& region) { return region.start == unrecorded; })) return;
  const std::uint64_t now = clock_->now();
  for (std::size_t i = ended.size() - 1; i > 0; --i) write(ProbeVerb::region, ended[i], now, {});
  write(ProbeVerb::region, ended[0], now, values);
  show_innermost();
}

// The continuation records first; see RecordHeader.
void ProbeRecorder::write(ProbeVerb verb, const Open& event, std::uint64_t end,
                          std::span<const ProbeValue> values) noexcept {
  if (event.start == unrecorded) return;
  values = values.first(std::min(values.size(), most_probe_values));
  const std::size_t records = std::max<std::size_t>(1, (values.size() + 1) / values_in_a_record);
  for (std::size_t part = records; part-- > 0;) {
    const auto left = values.subspan(std::min(values.size(), part * values_in_a_record));
    write_part(verb, event, end, static_cast<std::uint8_t>(part),
               left.first(std::min(left.size(), values_in_a_record)));
  }
}

void ProbeRecorder::write_part(ProbeVerb verb, const Open& event, std::uint64_t end, std::uint8_t part,
                               std::span<const ProbeValue> values) noexcept {
  std::array<ProbeValue, values_in_a_record> both;
  std::ranges::copy(values, both.begin());
  const std::uint64_t forms = static_cast<std::uint64_t>(both[0].form) << 28 |
                              static_cast<std::uint64_t>(both[1].form) << 30 |
                              static_cast<std::uint64_t>(part & 0xf) << 8;
  writer_.begin(event.start, record_words::thread_path(identity_.thread, identity_.path),
                what(verb, event.name) | forms);
  writer_.end(end, both[0].bits, both[1].bits, thread_->virtual_time);
}

void ProbeRecorder::show_innermost() noexcept {
  std::size_t at = depth_;
  while (at > 0 && open_[at - 1].start == unrecorded) --at;
  if (at == 0) return;
  const Open& innermost = open_[at - 1];
  writer_.begin(innermost.start, record_words::thread_path(identity_.thread, identity_.path),
                what(ProbeVerb::region, innermost.name));
}

std::uint64_t ProbeRecorder::what(ProbeVerb verb, std::uint32_t name) const noexcept {
  return record_words::kind(probe_kind, identity_.point) | static_cast<std::uint64_t>(verb) << 12 |
         static_cast<std::uint64_t>(name) << 32;
}

}  // namespace eventspace
