#include "monitors/profile/flow_bins.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace eventspace {
namespace {

// "rank 2" before "rank 10": shorter names first, so that numbers are in order.
bool comes_before(const std::string& a, const std::string& b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

std::vector<std::string> participants_of(const std::vector<JobProfile::Flow>& flows) {
  std::vector<std::string> names;
  for (const JobProfile::Flow& flow : flows) {
    names.push_back(flow.from);
    names.push_back(flow.to);
  }
  std::ranges::sort(names, comes_before);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace

FlowBins bin_flows(const std::vector<JobProfile::Flow>& flows, const std::vector<JobProfile::PairLate>& late,
                   std::size_t most_rows, const std::optional<std::string_view>& over) {
  const std::vector<std::string> names = participants_of(flows);
  FlowBins bins{.participants = names.size()};
  bins.share = std::max<std::size_t>((names.size() + most_rows - 1) / most_rows, 1);
  std::map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < names.size(); ++i) places.emplace(names[i], i / bins.share);
  for (std::size_t i = 0; i < names.size(); i += bins.share) {
    const std::size_t last = std::min(i + bins.share, names.size()) - 1;
    bins.rows.push_back(last == i ? names[i] : names[i] + " .. " + names[last]);
  }
  std::map<std::pair<std::size_t, std::size_t>, FlowBins::Cell> cells;
  for (const JobProfile::Flow& flow : flows) {
    if (over && flow.over != *over) continue;
    FlowBins::Cell& cell = cells[{places.at(flow.from), places.at(flow.to)}];
    cell.messages += flow.messages;
    cell.bytes += flow.bytes;
  }
  for (const JobProfile::PairLate& pair : late) {
    if (over || !places.contains(pair.from) || !places.contains(pair.to)) continue;
    const auto cell = cells.find({places.at(pair.from), places.at(pair.to)});
    if (cell != cells.end()) cell->second.late += pair.late;
  }
  for (auto& [ends, cell] : cells) {
    std::tie(cell.row, cell.column) = ends;
    bins.cells.push_back(cell);
  }
  return bins;
}

}  // namespace eventspace
