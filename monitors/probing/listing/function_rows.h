#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "monitors/cli/result_table.h"
#include "monitors/probing/symbols/module_symbols.h"

namespace eventspace {

/// The kinds of listings of `eventspace functions`. The numbers are sent.
enum class Listing : std::uint8_t {
  functions = 1,
  summary = 2,     ///< a row for each module
  user_probes = 3  ///< probes that authors have put in (USDT)
};

/// Which functions or probes are listed.
struct FunctionChoice {
  std::string pattern{};     ///< a glob for names; empty: all
  std::string callers_of{};  ///< only functions that call one whose name matches; empty: all
  bool can_be_probed_only{false};
};

/// A row, without its module: as many numbers and texts as the listing has (RowShape). It is made on the
/// machine of the module, and shown to the user elsewhere.
struct ListedRow {
  static constexpr std::size_t max_numbers = 16;
  static constexpr std::size_t max_texts = 16;

  std::vector<std::uint64_t> numbers{};
  std::vector<std::string> texts{};

  friend bool operator==(const ListedRow&, const ListedRow&) = default;
};

struct RowShape {
  std::size_t numbers;
  std::size_t texts;
};
RowShape shape_of(Listing listing);

/// The rows of a module, and the number of functions or probes that were examined for them.
struct ListedRows {
  std::vector<ListedRow> rows{};
  std::uint64_t looked_at{0};
};

/// `file`: where source file and line are looked up. Decodes the module's functions, unless it lists user
/// probes.
ListedRows rows_of(Listing listing, const FunctionChoice& choice, const ModuleSymbols& symbols,
                   const std::filesystem::path& file);

/// The name of the listed things, for display.
std::string_view name_of(Listing listing);

/// A module in a table. `processes`: their pids, or their number.
struct ModuleInTable {
  std::string path;
  std::string build_id;
  Json processes;
};
ResultTable table_of(Listing listing);
void add_row(ResultTable& table, Listing listing, const ModuleInTable& module, const ListedRow& row);

}  // namespace eventspace
