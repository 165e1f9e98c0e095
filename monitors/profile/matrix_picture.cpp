#include "monitors/profile/matrix_picture.h"

#include <algorithm>

#include "monitors/charts/matrix_chart.h"
#include "monitors/profile/flow_bins.h"
#include "monitors/text/text_format.h"

namespace eventspace {

Picture draw_flows(const std::vector<JobProfile::Flow>& flows) {
  const FlowBins bins = bin_flows(flows, {}, max_matrix_rows);
  Matrix matrix{.rows = bins.rows, .columns = bins.rows, .is_logarithmic = true};
  std::size_t longest = 1;
  for (const FlowBins::Cell& cell : bins.cells) {
    if (cell.bytes == 0) continue;
    matrix.cells.push_back({cell.row, cell.column, static_cast<double>(cell.bytes), short_size(cell.bytes)});
    longest = std::max(longest, matrix.cells.back().text.size());
  }
  const ChartRoom room = room_for_texts(matrix, longest);
  Picture picture(room.width, room.height);
  draw_matrix(picture, "bytes from each sender (row) to each receiver (column)", matrix, room);
  return picture;
}

}  // namespace eventspace
