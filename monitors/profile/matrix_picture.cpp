#include "monitors/profile/matrix_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

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

/// Bytes by row and column, and the names of the rows.
class Matrix {
 public:
  Matrix(const std::vector<JobProfile::Flow>& flows, std::size_t most) {
    const std::vector<std::string> names = participants_of(flows);
    share_ = std::max<std::size_t>((names.size() + most - 1) / most, 1);
    std::map<std::string, std::size_t> places;
    for (std::size_t i = 0; i < names.size(); ++i) places.emplace(names[i], i / share_);
    for (std::size_t i = 0; i < names.size(); i += share_) {
      const std::size_t last = std::min(i + share_, names.size()) - 1;
      names_.push_back(last == i ? names[i] : names[i] + " .. " + names[last]);
    }
    bytes_.assign(names_.size(), std::vector<std::uint64_t>(names_.size()));
    for (const JobProfile::Flow& flow : flows) {
      std::uint64_t& bytes = bytes_[places.at(flow.from)][places.at(flow.to)];
      bytes += flow.bytes;
      most_ = std::max(most_, bytes);
    }
  }

  [[nodiscard]] std::string table() const {
    std::string text = "<TR><TD BORDER=\"0\">from, to</TD>";
    for (std::size_t i = 0; i < names_.size(); ++i) text += head(i);
    text += "</TR>";
    for (std::size_t row = 0; row < names_.size(); ++row) {
      text += fmt::format("<TR>{}", head(row));
      for (const std::uint64_t bytes : bytes_[row]) text += cell(bytes);
      text += "</TR>\n";
    }
    return text;
  }
  [[nodiscard]] std::uint64_t most() const noexcept { return most_; }

 private:
  [[nodiscard]] std::string head(std::size_t place) const {
    return fmt::format("<TD BORDER=\"0\">{}</TD>", escaped_for_html(names_[place]));
  }
  // White for nothing; from light to dark blue by the logarithm.
  [[nodiscard]] std::string cell(std::uint64_t bytes) const {
    if (bytes == 0) return "<TD> </TD>";
    const double share =
        std::log2(1.0 + static_cast<double>(bytes)) / std::log2(1.0 + static_cast<double>(most_));
    const auto light = static_cast<int>(std::lround(230.0 * (1.0 - share)));
    return fmt::format("<TD BGCOLOR=\"#{0:02x}{0:02x}ff\"><FONT COLOR=\"{1}\">{2}</FONT></TD>", light,
                       light < 120 ? "white" : "black", short_size(bytes));
  }
  static std::string escaped_for_html(const std::string& text) {
    std::string escaped;
    for (const char c : text) {
      if (c == '<' || c == '>' || c == '&' || c == '"') {
        escaped += fmt::format("&#{};", static_cast<int>(c));
      } else if (static_cast<unsigned char>(c) >= ' ') {
        escaped += c;
      }
    }
    return escaped;
  }

  std::size_t share_{1};
  std::vector<std::string> names_;
  std::vector<std::vector<std::uint64_t>> bytes_;
  std::uint64_t most_{0};
};

}  // namespace

std::string matrix_picture(const std::vector<JobProfile::Flow>& flows, std::size_t most) {
  const Matrix matrix(flows, most);
  return fmt::format(
      "digraph matrix {{\n  label=\"bytes from each sender (row) to each receiver (column)\"; labelloc=t;\n"
      "  node [shape=plain, fontname=\"Helvetica\"];\n  matrix [label=<<TABLE BORDER=\"0\" CELLBORDER=\"1\" "
      "CELLSPACING=\"0\">\n{}</TABLE>>];\n}}\n",
      matrix.table());
}

}  // namespace eventspace
