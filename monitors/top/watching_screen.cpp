#include <fmt/format.h>

#include <algorithm>

#include "monitors/text/counted.h"
#include "monitors/top/figures.h"
#include "monitors/top/screen.h"

namespace eventspace::top {
namespace {

// More lines would leave no room for the table of parts.
constexpr std::size_t max_missing = 6;

class WatchingScreen final : public Screen {
 public:
  [[nodiscard]] std::string name() const override { return "watching"; }

  [[nodiscard]] Page page(const State& state, const Context& context) const override {
    Page page;
    const Loss& loss = state.loss;
    page.lines.push_back(
        {{"lost: ", Style::strong},
         {fmt::format("{} discarded, {} torn, {} filtered, {} repeated, {} before top began{}",
                      loss.discarded, loss.torn, loss.filtered, loss.repeated, loss.earlier,
                      loss.emptied == 0 ? "" : fmt::format(", {} emptied", loss.emptied))}});
    page.lines.push_back({{"kept: ", Style::strong},
                          {state.kept_for ? fmt::format("at least {} ({})", duration_text(state.kept_for),
                                                        context.names->path_name(state.kept_by))
                                          : "unknown"},
                          {fmt::format("; {} read", counted(state.trace_elements, "trace element"))}});
    page.lines.push_back({{"missing: ", Style::strong},
                          {state.missing.empty() ? "nothing" : counted(state.missing.size(), "part")}});
    for (std::size_t i = 0; i < std::min(state.missing.size(), max_missing); ++i)
      page.lines.push_back({{"  " + describe(state.missing[i]), Style::warning}});
    page.columns = {{"PART OF THE SCOPE", 30},
                    {"LAST", 8, true, true, true},
                    {"MEAN", 8, true, true, true},
                    {"LONGEST", 8, true, true, true}};
    page.when_empty = "no part of the scope has answered";
    for (const PartTime& part : state.parts) {
      Row row;
      row.id = page.rows.size();
      row.fields = {{part.name, static_cast<double>(page.rows.size()), Style::strong},
                    duration_field(part.last),
                    duration_field(part.mean),
                    duration_field(part.longest)};
      page.rows.push_back(std::move(row));
    }
    return page;
  }

 private:
  static std::string describe(const Missing& missing) {
    return fmt::format("{}, {}: {}", missing.what, counted(missing.sources, "trace element"),
                       missing.detail.empty() ? std::string(to_string(missing.cause)) : missing.detail);
  }
};

}  // namespace

std::unique_ptr<Screen> watching_screen() { return std::make_unique<WatchingScreen>(); }

}  // namespace eventspace::top
