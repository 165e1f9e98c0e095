#include "paths/views/view.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <span>
#include <utility>

#include "tuplespace/system/saturating.h"

namespace eventspace {
namespace {

template <class T>
void move_to_end(std::vector<T>& target, std::vector<T>&& source) {
  if (target.empty()) {
    target = std::move(source);
  } else {
    target.insert(target.end(), std::make_move_iterator(source.begin()),
                  std::make_move_iterator(source.end()));
  }
}

RecordBlock block_of(std::vector<TraceTuple>&& records) {
  const auto kept = std::make_shared<const std::vector<TraceTuple>>(std::exchange(records, {}));
  return {kept, std::as_bytes(std::span(*kept))};
}

void merge(std::vector<ProcessReport>& target, ProcessReport&& report) {
  const auto same = std::find_if(target.begin(), target.end(), [&](const ProcessReport& other) {
    return other.process == report.process && other.pid == report.pid &&
           other.start_ticks == report.start_ticks;
  });
  if (same == target.end()) {
    target.push_back(std::move(report));
  } else {
    same->followed = same->followed && report.followed;
    if (same->clock.source == ClockSource::synchronised) same->relation.widen(report.relation);
    move_to_end(same->threads, std::move(report.threads));
  }
}

// Many branches of a scope may miss the same process or server: that is one thing missing.
void merge(std::vector<Missing>& target, Missing&& missing) {
  const auto same = std::find_if(target.begin(), target.end(), [&](const Missing& other) {
    return other.cause == missing.cause && other.node == missing.node && other.what == missing.what &&
           other.detail == missing.detail;
  });
  if (same == target.end()) {
    target.push_back(std::move(missing));
  } else {
    same->sources += missing.sources;
  }
}

// Of tuples at any address.
void append_records(std::vector<TraceTuple>& records, std::span<const std::byte> tuples) {
  for (; !tuples.empty(); tuples = tuples.subspan(sizeof(TraceTuple))) {
    TraceTuple tuple;
    std::memcpy(&tuple, tuples.data(), sizeof tuple);
    records.push_back(tuple);
  }
}

}  // namespace

Loss& Loss::operator+=(const Loss& other) noexcept {
  discarded += other.discarded;
  torn += other.torn;
  filtered += other.filtered;
  reduced += other.reduced;
  repeated += other.repeated;
  earlier += other.earlier;
  failed += other.failed;
  return *this;
}

std::string_view to_string(MissingCause cause) noexcept {
  switch (cause) {
    case MissingCause::no_answer:
      return "no answer";
    case MissingCause::no_segment:
      return "no segment";
    case MissingCause::refused:
      return "refused";
    case MissingCause::late:
      return "late";
    case MissingCause::restarted:
      return "restarted";
    case MissingCause::skipped:
      return "skipped";
    case MissingCause::failed:
      return "failed";
  }
  return "?";
}

std::string_view to_string(RunState state) noexcept {
  switch (state) {
    case RunState::running:
      return "running";
    case RunState::stopped:
      return "stopped";
    case RunState::dead:
      return "dead";
    case RunState::ended:
      return "ended";
  }
  return "?";
}

// From the pull, not from the calibration: most events are not much older than the pull.
BoundedTime ProcessReport::on_node(std::uint64_t ticks) const noexcept {
  constexpr double millionth = 1e-6;
  const double since_ns = clock.ns_between(now_ticks, ticks) * (1 + rate_ppm * millionth);
  const double error_ns =
      static_cast<double>(now_error_ns) + std::abs(since_ns) * rate_error_ppm * millionth + 1;
  return {saturating::add(now_monotonic_ns, saturating::round(since_ns)),
          saturating::round(std::ceil(error_ns))};
}

BoundedTime ProcessReport::here(std::uint64_t ticks) const noexcept {
  const BoundedTime there = on_node(ticks);
  BoundedTime time = relation.here(there.ns);
  if (!time.error_ns) return time;
  const double stretch = 1 + (std::abs(relation.drift_ppm) + relation.growth_ppm) * 1e-6;
  const double carried = static_cast<double>(*there.error_ns) * stretch;
  time.error_ns = saturating::add(*time.error_ns, saturating::round(std::ceil(carried)));
  return time;
}

std::size_t View::records_here() const noexcept {
  std::size_t bytes = 0;
  for (const RecordBlock& block : blocks) bytes += block.bytes.size();
  return bytes / sizeof(TraceTuple) + records.size();
}

void View::collect_records() {
  if (blocks.empty()) return;
  std::vector<TraceTuple> all;  // not resized at once: clearing it takes longer than copying
  all.reserve(records_here());
  for (const RecordBlock& block : blocks) append_records(all, block.bytes);
  all.insert(all.end(), records.begin(), records.end());
  records = std::move(all);
  blocks.clear();
}

void View::clear() {
  records.clear();
  blocks.clear();
  aggregates.clear();
  collective_parts.clear();
  collective_sums.clear();
  loss = {};
  missing.clear();
  processes.clear();
  levels.clear();
  sources_read = 0;
  positions.clear();
  sent_in = own_byte_order;
  gone_ahead = 0;
}

void View::append(View&& other) {
  if (!other.blocks.empty() && !records.empty()) blocks.push_back(block_of(std::move(records)));
  move_to_end(blocks, std::move(other.blocks));
  move_to_end(records, std::move(other.records));
  merge(aggregates, std::move(other.aggregates));
  move_to_end(collective_parts, std::move(other.collective_parts));
  move_to_end(collective_sums, std::move(other.collective_sums));
  for (Missing& part : other.missing) merge(missing, std::move(part));
  if (processes.empty()) {
    processes = std::move(other.processes);
  } else {
    for (ProcessReport& report : other.processes) merge(processes, std::move(report));
  }
  move_to_end(levels, std::move(other.levels));
  move_to_end(positions, std::move(other.positions));
  loss += other.loss;
  sources_read += other.sources_read;
  gone_ahead += other.gone_ahead;
  if (other.sent_in != own_byte_order) sent_in = other.sent_in;
}

}  // namespace eventspace
