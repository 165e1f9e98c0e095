#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "monitors/text/name_ranges.h"
#include "monitors/top/figures.h"
#include "monitors/top/screen.h"

namespace eventspace::top {
namespace {

constexpr std::size_t max_names = 4;

std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t widest = 40;
  std::string all = collapse_numbered(names);
  if (names.size() <= max_names || all.size() <= widest) return all;
  const auto end = names.begin() + static_cast<std::ptrdiff_t>(max_names);
  return fmt::format("{} and {} more (see eventspace collectives)", fmt::join(names.begin(), end, ", "),
                     names.size() - max_names);
}

std::optional<std::chrono::nanoseconds> whole(double ns) {
  return std::chrono::nanoseconds(static_cast<std::int64_t>(std::max(ns, 0.0)));
}

class CollectivesScreen final : public Screen {
 public:
  [[nodiscard]] std::string name() const override { return "collectives"; }
  [[nodiscard]] bool needs_collectives() const override { return true; }

  [[nodiscard]] Page page(const State& state, const Context& /*context*/) const override {
    Page page;
    page.columns = {{"COLLECTIVE", 12},
                    {"LATEST", 8, true, true, true},
                    {"/S", 6, true, true, true},
                    {"LAST", 10, false, false},
                    {"BY", 7, true, true, true},
                    {"WAIT", 7, true, true, true},
                    {"COSTLIEST", 10, false, false, false, 1},
                    {"COST", 7, true, true, true, 1},
                    {"LOST", 5, true, true, true, 2}};
    page.when_empty = "waiting for operations";
    for (std::size_t i = 0; i < state.collectives.size(); ++i) {
      const CollectiveSample& collective = state.collectives[i];
      page.rows.push_back(row_of(i, collective));
      if (collective.absent.empty()) continue;
      page.lines.push_back(
          {{collective.name + " waits for ", Style::strong}, {some_of(collective.absent), Style::warning}});
    }
    return page;
  }

 private:
  // The lag of the last thread and the mean waiting time are shown only if they are known.
  static Row row_of(std::size_t number, const CollectiveSample& collective) {
    const bool is_known = collective.last.size() == 1;
    Row row;
    row.id = number;
    row.fields = {{collective.name, static_cast<double>(number), Style::strong},
                  count_field(collective.number),
                  rate_field(collective.per_second),
                  {collective.number == 0 ? "-"
                   : is_known             ? collective.last.front()
                                          : "(unclear)"}};
    row.fields.push_back(duration_field(
        is_known && collective.by ? whole(static_cast<double>(collective.by->ns)) : std::nullopt));
    row.fields.push_back(duration_field(
        collective.told > 0 ? whole(collective.waited_ns / static_cast<double>(collective.told))
                            : std::nullopt));
    row.fields.push_back({collective.costliest.empty() ? "-" : collective.costliest});
    row.fields.push_back(
        duration_field(collective.costliest.empty() ? std::nullopt : whole(collective.cost_ns)));
    row.fields.push_back(
        count_field(collective.not_whole, collective.not_whole > 0 ? Style::warning : Style::plain));
    return row;
  }
};

}  // namespace

std::unique_ptr<Screen> collectives_screen() { return std::make_unique<CollectivesScreen>(); }

}  // namespace eventspace::top
