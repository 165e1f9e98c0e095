#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace eventspace {

/// The largest overhead that a command may cause, as a share of the processor time of the application's
/// threads that record. Nullopt: no limit.
using Budget = std::optional<double>;

/// Reads "1%" or "0.5%": a number above 0, at most 100, and a percent sign. Nullopt for other text. Pure.
Budget budget_from(std::string_view text);
/// "0.5%"
std::string text_of_budget(double budget);

/// Adds `--budget`. `budget` must outlive the parsing.
void add_budget(CLI::App& app, Budget& budget);

}  // namespace eventspace
