#include "scopes/reduce.h"

#include <optional>

#include "collectors/event_record.h"

namespace eventspace {
namespace {

enum class Keep : std::uint8_t { latest, earliest, longest, shortest };

Keep keep_from(const std::string& word) {
  if (word == "earliest") return Keep::earliest;
  if (word == "longest") return Keep::longest;
  if (word == "shortest") return Keep::shortest;
  return Keep::latest;
}

class ReduceOperator final : public ViewOperator {
 public:
  explicit ReduceOperator(Keep keep) noexcept : keep_(keep) {}

  void apply(View& view) override {
    std::optional<TraceTuple> finished;
    std::optional<TraceTuple> in_flight;
    for (const TraceTuple& tuple : view.records) {
      const EventRecord record = decode(tuple);
      std::optional<TraceTuple>& kept = record.in_flight() ? in_flight : finished;
      if (!kept || is_better(record, decode(*kept))) kept = tuple;
    }
    const std::size_t before = view.records.size();
    view.records.clear();
    if (finished) view.records.push_back(*finished);
    if (in_flight) view.records.push_back(*in_flight);
    view.loss.reduced += before - view.records.size();
  }

 private:
  [[nodiscard]] bool is_better(const EventRecord& a, const EventRecord& b) const noexcept {
    if (a.in_flight()) return begun_last() ? a.start > b.start : a.start < b.start;
    switch (keep_) {
      case Keep::latest:
        return a.end > b.end;
      case Keep::earliest:
        return a.end < b.end;
      case Keep::longest:
        return a.end - a.start > b.end - b.start;
      case Keep::shortest:
        return a.end - a.start < b.end - b.start;
    }
    return false;
  }
  [[nodiscard]] bool begun_last() const noexcept { return keep_ == Keep::latest || keep_ == Keep::shortest; }

  Keep keep_;
};

}  // namespace

ScopeWrapperInfo reduce_wrapper() {
  ParameterSpec keep{"keep", ParameterKind::text};
  keep.default_value = std::string("latest");
  keep.choices = {"latest", "earliest", "longest", "shortest"};
  keep.help = "which event stands for all";
  return {"reduce",
          "keeps one event of all that its children yield",
          true,
          {keep},
          [](const Parameters& given, const PlanNames&) {
            return std::make_unique<ReduceOperator>(keep_from(parameter<std::string>(given, "keep")));
          }};
}

}  // namespace eventspace
