#include "paths/views/view.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <tuple>
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

// The time of `a` minus the time of `b`, in ticks; 0 if their clocks cannot be compared.
std::int64_t ticks_later(const ProcessReport& a, const ProcessReport& b) noexcept {
  return a.clock.source == b.clock.source ? static_cast<std::int64_t>(a.now_ticks - b.now_ticks) : 0;
}

// Two branches of a scope read one process at different moments: the later report counts, with the threads
// of both. A thread may be in both; its later report comes last.
void unite(ProcessReport& known, ProcessReport&& other) {
  if (ticks_later(other, known) < 0) std::swap(known.threads, other.threads);
  std::vector<TraceTuple> in_flight = std::move(known.in_flight);
  move_to_end(in_flight, std::move(other.in_flight));
  std::vector<ThreadReport> threads = std::move(known.threads);
  move_to_end(threads, std::move(other.threads));
  if (ticks_later(other, known) > 0) std::swap(known, other);
  if (known.clock.source == other.clock.source)
    known.complete_ticks = std::min(known.complete_ticks, other.complete_ticks);
  known.followed = known.followed && other.followed;
  if (known.clock.source == ClockSource::synchronised) known.relation.widen(other.relation);
  known.threads = std::move(threads);
  known.in_flight = std::move(in_flight);
  if (!known.usage) known.usage = other.usage;  // a branch that did not request it lacks it
}

void add(std::vector<ProcessReport>& target, ProcessReport&& report) {
  const auto same = std::find_if(target.begin(), target.end(), [&](const ProcessReport& other) {
    return other.process == report.process && other.pid == report.pid &&
           other.start_ticks == report.start_ticks;
  });
  if (same == target.end()) {
    target.push_back(std::move(report));
  } else {
    unite(*same, std::move(report));
  }
}

// Several branches of a scope may miss the same process or server, which is one entry.
void add(std::vector<Missing>& target, Missing&& missing) {
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

// All fields of each struct: the structured bindings do not compile if one is missing.
template <class OfLoss>
auto fields_of_loss(OfLoss& loss) {
  auto& [discarded, torn, filtered, reduced, repeated, earlier, failed, emptied] = loss;
  return std::tie(discarded, torn, filtered, reduced, repeated, earlier, failed, emptied);
}
auto fields_of(ViewData& data) {
  auto& [records, aggregates, collective_parts, collective_sums, parcels, sent_in, gone_ahead] = data;
  return std::tie(records, aggregates, collective_parts, collective_sums, parcels, sent_in, gone_ahead);
}
auto fields_of(ViewAccount& account) {
  auto& [loss, missing, processes, levels, sources_read, positions, names] = account;
  return std::tie(loss, missing, processes, levels, sources_read, positions, names);
}
static_assert(sizeof(View) == sizeof(ViewData) + sizeof(ViewAccount), "a field is in neither part");

// merge() combines two values of a field, according to its type.
template <class T>
void merge(std::vector<T>& target, std::vector<T>&& source) {
  move_to_end(target, std::move(source));
}
void merge(std::vector<Missing>& target, std::vector<Missing>&& source) {
  for (Missing& missing : source) add(target, std::move(missing));
}
void merge(std::vector<ProcessReport>& target, std::vector<ProcessReport>&& source) {
  if (target.empty()) {
    target = std::move(source);
  } else {
    for (ProcessReport& report : source) add(target, std::move(report));
  }
}
void merge(Records& target, Records&& source) { target.append(std::move(source)); }
void merge(Loss& target, const Loss& source) { target += source; }
void merge(std::uint64_t& target, std::uint64_t source) { target += source; }
void merge(ByteOrder& target, ByteOrder source) {
  if (source != own_byte_order) target = source;
}

// reset() empties a field and keeps its memory for the next view.
template <class T>
void reset(std::vector<T>& field) {
  field.clear();
}
void reset(Records& field) { field.clear(); }
void reset(Loss& field) { field = {}; }
void reset(std::uint64_t& field) { field = 0; }
void reset(ByteOrder& field) { field = own_byte_order; }

template <class Target, class Source, class Act>
void for_each_pair(const Target& target, const Source& source, Act act) {
  [&]<std::size_t... i>(std::index_sequence<i...>) { (act(std::get<i>(target), std::get<i>(source)), ...); }
  (std::make_index_sequence<std::tuple_size_v<Target>>{});
}

template <class Part>
void merge_fields(Part& target, Part& source) {
  for_each_pair(fields_of(target), fields_of(source),
                [](auto& to, auto& from) { merge(to, std::move(from)); });
}
template <class Part>
void reset_fields(Part& part) {
  std::apply([](auto&... field) { (reset(field), ...); }, fields_of(part));
}

}  // namespace

Loss& Loss::operator+=(const Loss& other) noexcept {
  for_each_pair(fields_of_loss(*this), fields_of_loss(other),
                [](std::uint64_t& to, std::uint64_t from) { to += from; });
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
    case RunState::hidden:
      return "alive, in another PID namespace";
    case RunState::unknown:
      return "unknown, in another PID namespace";
  }
  return "?";
}

// Counts from the pull, not from the calibration, because most events are only a little older than the pull
// and the error grows with the distance.
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

void View::clear() {
  reset_fields<ViewData>(*this);
  reset_fields<ViewAccount>(*this);
}

void View::append(View&& other) {
  merge_fields<ViewData>(*this, other);
  merge_fields<ViewAccount>(*this, other);
}

}  // namespace eventspace
