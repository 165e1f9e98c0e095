#include "monitors/watching/budget_option.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "monitors/cli/options.h"
#include "tuplespace/parsing/number_in.h"

namespace eventspace {

Budget budget_from(std::string_view text) {
  if (!text.ends_with('%')) return std::nullopt;
  const auto percent = number_in<double>(text.substr(0, text.size() - 1));
  if (!percent || !(*percent > 0) || *percent > 100) return std::nullopt;
  return *percent / 100;
}

std::string text_of_budget(double budget) { return fmt::format("{:.6g}%", 100 * budget); }

void add_budget(CLI::App& app, Budget& budget) {
  const auto take = [&budget](const CLI::results_t& words) {
    budget = budget_from(words.at(0));
    if (budget) return true;
    throw CLI::ValidationError(
        "--budget",
        fmt::format("found '{}'; expected a share in percent above 0% and at most 100%, such as 1% or 0.5%",
                    words.at(0)));
  };
  app.add_option("--budget", take,
                 "Keep the overhead below this share of the application's processor time, by recording less "
                 "[no limit]")
      ->type_name("SHARE")
      ->group(common_options);
}

}  // namespace eventspace
