#include "monitors/profile/matrix_picture.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "monitors/charts/matrix_chart.h"
#include "monitors/text/text_format.h"

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

Picture draw_flows(const std::vector<JobProfile::Flow>& flows) {
  const std::vector<std::string> names = participants_of(flows);
  const std::size_t share = std::max<std::size_t>((names.size() + max_matrix_rows - 1) / max_matrix_rows, 1);
  Matrix matrix{.is_logarithmic = true};
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < names.size(); ++i) places.emplace(names[i], i / share);
  for (std::size_t i = 0; i < names.size(); i += share) {
    const std::size_t last = std::min(i + share, names.size()) - 1;
    matrix.rows.push_back(last == i ? names[i] : names[i] + " .. " + names[last]);
  }
  matrix.columns = matrix.rows;
  std::map<std::pair<std::size_t, std::size_t>, std::uint64_t> bytes;
  for (const JobProfile::Flow& flow : flows) bytes[{places.at(flow.from), places.at(flow.to)}] += flow.bytes;
  std::size_t longest = 1;
  for (const auto& [ends, sum] : bytes) {
    if (sum == 0) continue;
    matrix.cells.push_back({ends.first, ends.second, static_cast<double>(sum), short_size(sum)});
    longest = std::max(longest, matrix.cells.back().text.size());
  }
  const ChartRoom room = room_for_texts(matrix, longest);
  Picture picture(room.width, room.height);
  draw_matrix(picture, "bytes from each sender (row) to each receiver (column)", matrix, room);
  return picture;
}

}  // namespace eventspace
