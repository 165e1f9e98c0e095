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

// Counts passages even while they are not recorded.
std::uint64_t ProbeRecorder::step_of(std::uint32_t name, std::optional<std::uint64_t> virtual_time) noexcept {
  const auto passage = passages_.next(name);
  if (!virtual_time && thread_->has_virtual_time) virtual_time = thread_->virtual_time;
  if (virtual_time) return std::min(*virtual_time, ~passage_mark);
  return passage ? *passage | passage_mark : uncounted_passage;
}

void ProbeRecorder::point(std::uint32_t name, std::span<const ProbeValue> values,
                          std::optional<std::uint64_t> virtual_time) noexcept {
  const std::uint64_t step = step_of(name, virtual_time);
  if (!records(ProbeVerb::point)) return;
  const std::uint64_t now = clock_->now();
  write({ProbeVerb::point, {now, name}, now, step}, values);
  show_innermost();
}

void ProbeRecorder::begin(std::uint32_t name) noexcept {
  if (depth_ == deepest) {
    ++too_deep_;
    return;
  }
  // An unrecorded region must be tracked too: in a recursion, its end would otherwise end another region.
  if (!records(ProbeVerb::region)) {
    open_[depth_++] = {unrecorded, name};
    return;
  }
  open_[depth_++] = {clock_->now(), name};
  show_innermost();
}

void ProbeRecorder::end(std::uint32_t name, std::span<const ProbeValue> values,
                        std::optional<std::uint64_t> virtual_time) noexcept {
  if (too_deep_ > 0) {  // otherwise the end of a recursion would end outer regions
    --too_deep_;
    (void)passages_.next(name);
    return;
  }
  std::size_t at = depth_;
  while (at > 0 && open_[at - 1].name != name) --at;
  if (at == 0) return;
  const auto ended = std::span(open_).subspan(at - 1, depth_ - (at - 1));
  depth_ = at - 1;
  const bool are_recorded =
      std::ranges::any_of(ended, [](const Open& region) { return region.start != unrecorded; });
  const std::uint64_t now = are_recorded ? clock_->now() : 0;
  for (std::size_t i = ended.size() - 1; i > 0; --i)
    write({ProbeVerb::region, ended[i], now, step_of(ended[i].name, virtual_time)}, {});
  write({ProbeVerb::region, ended[0], now, step_of(name, virtual_time)}, values);
  if (are_recorded) show_innermost();
}

// The continuation records first; see RecordHeader.
void ProbeRecorder::write(const Ended& ended, std::span<const ProbeValue> values) noexcept {
  if (ended.event.start == unrecorded) return;
  values = values.first(std::min(values.size(), max_probe_values));
  const std::size_t records = std::max<std::size_t>(1, (values.size() + 1) / values_in_a_record);
  for (std::size_t part = records; part-- > 0;) {
    const auto left = values.subspan(std::min(values.size(), part * values_in_a_record));
    write_part(ended, static_cast<std::uint8_t>(part), left.first(std::min(left.size(), values_in_a_record)));
  }
}

void ProbeRecorder::write_part(const Ended& ended, std::uint8_t part,
                               std::span<const ProbeValue> values) noexcept {
  std::array<ProbeValue, values_in_a_record> both;
  std::ranges::copy(values, both.begin());
  const std::uint64_t forms = static_cast<std::uint64_t>(both[0].form) << 28 |
                              static_cast<std::uint64_t>(both[1].form) << 30 |
                              static_cast<std::uint64_t>(part & 0xf) << 8;
  writer_.begin(ended.event.start, record_words::thread_path(identity_.thread, identity_.path),
                what(ended.verb, ended.event.name) | forms);
  writer_.end(ended.end, both[0].bits, both[1].bits, ended.step);
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
