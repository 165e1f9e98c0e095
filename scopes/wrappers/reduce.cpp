#include "scopes/wrappers/reduce.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "collectors/record_header.h"
#include "scopes/tree/view_events.h"
#include "scopes/wrappers/scope_wrappers.h"

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
  ReduceOperator(Keep keep, std::size_t most) noexcept : keep_(keep), most_(most) {}

  void apply(View& view) override {
    Candidates finished;
    Candidates in_flight;
    finished.reserve(view.records.size());
    for_each_event(view.records, [&](std::span<const TraceTuple> event) {
      (times_of(event).in_flight() ? in_flight : finished).push_back(event);
    });
    std::vector<TraceTuple> kept;
    keep_best(std::move(finished), kept);
    keep_best(std::move(in_flight), kept);
    view.loss.reduced += view.records.size() - kept.size();
    view.records = std::move(kept);
  }

 private:
  using Candidates = std::vector<std::span<const TraceTuple>>;  // the records of an event each

  // Best first; equal ones keep their order.
  void keep_best(Candidates candidates, std::vector<TraceTuple>& kept) const {
    const auto end = candidates.begin() + static_cast<std::ptrdiff_t>(std::min(most_, candidates.size()));
    std::partial_sort(candidates.begin(), end, candidates.end(), [this](const auto& a, const auto& b) {
      const Times first = times_of(a);
      const Times second = times_of(b);
      return is_better(first, second) || (a.data() < b.data() && !is_better(second, first));
    });
    for (auto best = candidates.begin(); best != end; ++best)
      kept.insert(kept.end(), best->begin(), best->end());
  }

  // The parts of a header that are compared: unpacking all of it took half of the time.
  struct Times {
    std::uint64_t start;
    std::uint64_t end;
    [[nodiscard]] bool in_flight() const noexcept { return end == 0; }
  };
  static Times times_of(std::span<const TraceTuple> event) noexcept {
    return {event.back().words[1], event.back().words[4]};
  }

  [[nodiscard]] bool is_better(Times a, Times b) const noexcept {
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
  std::size_t most_;
};

}  // namespace

ScopeWrapperInfo reduce_wrapper() {
  ParameterSpec keep{"keep", ParameterKind::text};
  keep.default_value = std::string("latest");
  keep.choices = {"latest", "earliest", "longest", "shortest"};
  keep.help = "the order by which events are kept";
  ParameterSpec most{"most", ParameterKind::integer};
  most.default_value = std::int64_t{1};
  most.least = 1;
  most.help = "how many of them, the first in front; and as many in flight";
  return {"reduce",
          "keeps the first events of all, by an order",
          true,
          {keep, most},
          [](const Parameters& given, const PlanNames&) {
            return std::make_unique<ReduceOperator>(
                keep_from(parameter<std::string>(given, "keep")),
                static_cast<std::size_t>(parameter<std::int64_t>(given, "most")));
          },
          as_given};
}

}  // namespace eventspace
