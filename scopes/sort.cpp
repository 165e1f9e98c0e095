#include "scopes/sort.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "collectors/event_record.h"

namespace eventspace {
namespace {

using Key = std::uint64_t (*)(const EventRecord&);

constexpr std::uint64_t last = std::numeric_limits<std::uint64_t>::max();

std::uint64_t by_start(const EventRecord& record) { return record.start; }
std::uint64_t by_end(const EventRecord& record) { return record.in_flight() ? last : record.end; }
std::uint64_t by_duration(const EventRecord& record) {
  return record.in_flight() ? last : record.end - record.start;
}
std::uint64_t by_thread(const EventRecord& record) { return record.thread; }

Key key_from(const std::string& word) {
  if (word == "start") return by_start;
  if (word == "duration") return by_duration;
  if (word == "thread") return by_thread;
  return by_end;
}

class SortOperator final : public ViewOperator {
 public:
  SortOperator(Key key, bool descending) noexcept : key_(key), descending_(descending) {}

  // Sorts places, not records: those are large, and std::stable_sort does not align its buffer as they must
  // be.
  void apply(View& view) override {
    std::vector<std::pair<std::uint64_t, std::size_t>> places;  // by key; by place where keys are equal
    places.reserve(view.records.size());
    for (const TraceTuple& tuple : view.records)
      places.emplace_back(rank(key_(decode(tuple))), places.size());
    std::sort(places.begin(), places.end());
    std::vector<TraceTuple> sorted;
    sorted.reserve(places.size());
    for (const auto& [rank, place] : places) sorted.push_back(view.records[place]);
    view.records = std::move(sorted);
  }

 private:
  [[nodiscard]] std::uint64_t rank(std::uint64_t key) const noexcept {
    return descending_ && key != last ? last - 1 - key : key;
  }

  Key key_;
  bool descending_;
};

}  // namespace

ScopeWrapperInfo sort_wrapper() {
  ParameterSpec by{"by", ParameterKind::text};
  by.default_value = std::string("end");
  by.choices = {"start", "end", "duration", "thread"};
  by.help = "what orders the events";
  ParameterSpec descending{"descending", ParameterKind::boolean};
  descending.default_value = false;
  descending.help = "greatest first";
  return {
      "sort", "orders the events", false, {by, descending}, [](const Parameters& given, const PlanNames&) {
        return std::make_unique<SortOperator>(key_from(parameter<std::string>(given, "by")),
                                              parameter<bool>(given, "descending"));
      }};
}

}  // namespace eventspace
