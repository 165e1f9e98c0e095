#include "monitors/events/point_pairs.h"

#include <utility>

#include "scopes/tree/view_events.h"

namespace eventspace {
namespace {

// Also places in PointPairs::Making::waiting.
constexpr auto at_thread = static_cast<std::uint16_t>(CollectPoint::thread);
constexpr auto at_element = static_cast<std::uint16_t>(CollectPoint::element);

// Records between stages, and events with several records, stay separate rows.
bool can_be_joined(const EventRow& row) {
  if (row.records.size() != 1) return false;
  const RecordHeader header = header_of(row.records.front());
  return header.kind == operation_kind && !header.is_continuation() &&
         (header.point == at_thread || header.point == at_element);
}

void collect_points(const ScopeNode& node, const Plan& plan,
                    std::map<std::uint32_t, std::set<CollectPoint>>& points) {
  for (const SourceRef& source : node.sources) {
    if (source.trace >= plan.traces.size()) continue;  // of a process without a pathmap
    const TracePlan& trace = plan.traces[TraceIndex(source.trace)];
    points[trace.path.number32()].insert(trace.point);
  }
  for (const ScopeNode& child : node.children) collect_points(child, plan, points);
}

}  // namespace

std::vector<EventRow> PointPairs::add(std::span<const TraceTuple> records) {
  kept_then_ = std::exchange(kept_, {});
  Making making;
  making.rows.reserve(kept_then_.size() + records.size());
  for (const TraceTuple& record : kept_then_) place({{&record, 1}}, making);
  const std::size_t old = making.rows.size();
  for_each_event(records, [&](std::span<const TraceTuple> event) { place({event}, making); });
  const std::set<std::size_t> kept = to_keep(making, old);
  if (kept.empty()) return std::move(making.rows);
  std::vector<EventRow> result;
  result.reserve(making.rows.size() - kept.size());
  for (std::size_t i = 0; i < making.rows.size(); ++i) {
    if (kept.contains(i))
      kept_.push_back(making.rows[i].records.front());
    else
      result.push_back(making.rows[i]);
  }
  return result;
}

std::vector<EventRow> PointPairs::rest() {
  kept_then_ = std::exchange(kept_, {});
  std::vector<EventRow> rows;
  for (const TraceTuple& record : kept_then_) rows.push_back({{&record, 1}});
  return rows;
}

// Except records before `old`, which were kept once already, and records in flight, whose later state is in
// the next view.
std::set<std::size_t> PointPairs::to_keep(const Making& making, std::size_t old) const {
  std::set<std::size_t> kept;
  for (const auto& of_point : making.waiting) {
    for (const auto& [key, place] : of_point) {
      const auto& [thread, path, verb, number, is_in_flight] = key;
      if (place >= old && !is_in_flight && both_.contains(path)) kept.insert(place);
    }
  }
  return kept;
}

void PointPairs::place(const EventRow& row, Making& making) const {
  if (can_be_joined(row)) {
    const EventRecord record = decode(row.records.front());
    const Key key{record.thread, record.path, static_cast<std::uint8_t>(record.verb), record.parameter,
                  record.in_flight()};
    if (join(making, key, row, record.point)) return;
    making.waiting[record.point].emplace(key, making.rows.size());
  }
  making.rows.push_back(row);
}

bool PointPairs::join(Making& making, const Key& key, const EventRow& row, std::uint16_t point) const {
  // A path that repeatedly reads one tuple has many records with the same number.
  constexpr int max_tried = 64;
  auto& others = making.waiting[1 - point];
  const TraceTuple& own = row.records.front();
  int tried = 0;
  for (auto [at, end] = others.equal_range(key); at != end && tried < max_tried; ++at, ++tried) {
    EventRow& other = making.rows[at->second];
    const TraceTuple& thread = point == at_thread ? own : other.records.front();
    const TraceTuple& element = point == at_thread ? other.records.front() : own;
    if (!may_be_one_(header_of(thread), header_of(element))) continue;
    other = {{&thread, 1}, &element};
    others.erase(at);
    return true;
  }
  return false;
}

std::set<std::uint32_t> paths_read_at_both(const ScopeTree& tree, const Plan& plan) {
  std::map<std::uint32_t, std::set<CollectPoint>> points;
  collect_points(tree.root, plan, points);
  std::set<std::uint32_t> both;
  for (const auto& [path, of] : points) {
    if (of.contains(CollectPoint::thread) && of.contains(CollectPoint::element)) both.insert(path);
  }
  return both;
}

}  // namespace eventspace
