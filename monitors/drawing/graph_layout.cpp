#include "monitors/drawing/graph_layout.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include <eventspace/deadline.h>
#include <eventspace/error.h>
#include "monitors/drawing/dot_text.h"
#include "monitors/servers/child_process.h"
#include "monitors/servers/find_program.h"
#include "monitors/text/text_format.h"
#include "tuplespace/system/mapping.h"

namespace eventspace {
namespace {

using nlohmann::json;
using std::chrono::nanoseconds;

constexpr std::string_view frame_prefix = "cluster ";

FileHandle memory_file(const char* name) {
  FileHandle file(::memfd_create(name, MFD_CLOEXEC));
  if (!file.valid()) throw EnvironmentError::from_errno("cannot make a file in memory", errno);
  return file;
}

void write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0) throw EnvironmentError::from_errno("cannot write a graph to memory", errno);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  (void)::lseek(file, 0, SEEK_SET);
}

std::string read_all(int file) {
  std::string text;
  char block[1 << 16];
  for (off_t at = 0;; at = static_cast<off_t>(text.size())) {
    const ssize_t got = ::pread(file, block, sizeof block, at);
    if (got <= 0) return text;
    text.append(block, static_cast<std::size_t>(got));
  }
}

// Kills dot if it exceeds `limit`, or once `is_over` returns true. Throws EnvironmentError then, and if dot
// fails.
void wait_for(ChildProcess& dot, nanoseconds limit, const std::function<bool()>& is_over) {
  const Deadline end = Deadline::after(limit);
  while (true) {
    if (const auto state = dot.poll()) {
      if (!state->is_fine()) throw EnvironmentError("Graphviz' dot " + to_string(*state));
      return;
    }
    const bool is_late = end.passed();
    if (!is_late && !(is_over && is_over())) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      continue;
    }
    dot.signal(SIGKILL);
    (void)dot.wait();
    throw EnvironmentError(
        is_late ? fmt::format("Graphviz' dot did not lay out the graph within {}", short_duration(limit))
                : "the layout is not needed any more");
  }
}

std::vector<double> numbers_of(const std::string& text) {
  std::string spaced = text;
  std::ranges::replace(spaced, ',', ' ');
  std::istringstream in(spaced);
  std::vector<double> numbers;
  for (double number = 0; in >> number;) numbers.push_back(number);
  return numbers;
}

double number_of(const json& object, const char* name) {
  const auto numbers = numbers_of(object.at(name).get<std::string>());
  return numbers.empty() ? 0 : numbers.front();
}

/// Converts what dot wrote. Its y axis leads upwards.
class LayoutReader {
 public:
  explicit LayoutReader(const json& graph) {
    for (const json& object : graph.value("objects", json::array())) add(object);
    for (const json& edge : graph.value("edges", json::array())) add_edge(edge);
  }

  // The heading of the picture is left out, so that the area is that of the boxes and arrows.
  GraphLayout layout() && {
    layout_.width = right_ - left_;
    layout_.height = top_ - bottom_;
    for (auto* const areas : {&layout_.boxes, &layout_.frames}) {
      for (auto& [name, area] : *areas) {
        area.x -= left_;
        area.y = top_ - area.y - area.height;
      }
    }
    for (GraphCurve& curve : layout_.curves) {
      for (GraphPoint& point : curve.points) turn(point);
      if (curve.label_at) turn(*curve.label_at);
    }
    return std::move(layout_);
  }

 private:
  void turn(GraphPoint& point) const { point = {point.x - left_, top_ - point.y}; }

  void cover(const GraphArea& area) {
    left_ = std::min(left_, area.x);
    bottom_ = std::min(bottom_, area.y);
    right_ = std::max(right_, area.x + area.width);
    top_ = std::max(top_, area.y + area.height);
  }

  void add(const json& object) {
    const auto name = object.at("name").get<std::string>();
    if (object.contains("pos")) {
      constexpr double points_per_inch = 72;
      const auto middle = numbers_of(object.at("pos").get<std::string>());
      if (middle.size() < 2) return;
      const double width = number_of(object, "width") * points_per_inch;
      const double height = number_of(object, "height") * points_per_inch;
      const GraphArea area{middle[0] - width / 2, middle[1] - height / 2, width, height};
      names_[object.at("_gvid").get<int>()] = name;
      cover(layout_.boxes[name] = area);
    } else if (name.starts_with(frame_prefix) && object.contains("bb")) {
      const auto sides = numbers_of(object.at("bb").get<std::string>());
      if (sides.size() < 4) return;
      cover(layout_.frames[name.substr(frame_prefix.size())] = {sides[0], sides[1], sides[2] - sides[0],
                                                                sides[3] - sides[1]});
    }
  }

  // "e,10,20 1,2 3,4 5,6 7,8": the point of the arrow's head, then the curve up to it.
  void add_edge(const json& edge) {
    GraphCurve curve{names_.at(edge.at("tail").get<int>()), names_.at(edge.at("head").get<int>())};
    std::istringstream in(edge.value("pos", ""));
    std::optional<GraphPoint> start, end;
    for (std::string word; in >> word;) {
      const bool is_start = word.starts_with("s,");
      const bool is_end = word.starts_with("e,");
      const auto numbers = numbers_of(is_start || is_end ? word.substr(2) : word);
      if (numbers.size() < 2) continue;
      const GraphPoint point{numbers[0], numbers[1]};
      cover({point.x, point.y, 0, 0});
      if (is_start)
        start = point;
      else if (is_end)
        end = point;
      else
        curve.points.push_back(point);
    }
    // The curve ends where the head begins; drawn with a marker, it leads to the point of the head.
    if (!curve.points.empty() && start) curve.points.front() = *start;
    if (!curve.points.empty() && end) curve.points.back() = *end;
    if (const auto at = numbers_of(edge.value("lp", "")); at.size() >= 2) curve.label_at = {at[0], at[1]};
    layout_.curves.push_back(std::move(curve));
  }

  GraphLayout layout_;
  std::map<int, std::string> names_;  // of boxes, by dot's number
  double left_{1e9}, bottom_{1e9}, right_{-1e9}, top_{-1e9};
};

}  // namespace

// Within quotes, Graphviz undoes only the escape of a quotation mark.
std::string graph_name(const std::string& id) {
  std::string name;
  const std::string quoted = quoted_for_dot(id);
  for (std::size_t i = 1; i + 1 < quoted.size(); ++i) {
    if (quoted[i] == '\\' && quoted[++i] != '"')
      name += '\\';  // the escaped character is inside the quotes, too
    name += quoted[i];
  }
  return name;
}

GraphLayout read_layout(std::string_view text) {
  try {
    const json graph = json::parse(text);
    if (graph.value("objects", json::array()).empty()) throw EnvironmentError("the graph has no boxes");
    return LayoutReader(graph).layout();
  } catch (const json::exception& error) {
    throw EnvironmentError(
        fmt::format("Graphviz' dot wrote a layout that is not understood: {}", error.what()));
  } catch (const std::out_of_range&) {
    throw EnvironmentError("Graphviz' dot wrote a layout with an arrow without boxes");
  }
}

GraphLayout lay_out_graph(const std::string& dot, nanoseconds limit, const std::function<bool()>& is_over) {
  if (is_over && is_over()) throw EnvironmentError("the layout is not needed any more");
  if (!find_program("dot")) throw EnvironmentError("Graphviz' program `dot` is not installed");
  const FileHandle graph = memory_file("graph");
  const FileHandle layout = memory_file("layout");
  write_all(graph.get(), dot);
  const std::string out = fmt::format("/proc/{}/fd/{}", ::getpid(), layout.get());
  ChildProcess child = ChildProcess::start({.command = {"dot", "-Tjson0", "-o", out},
                                            .environment = {},
                                            .output = "/dev/null",
                                            .channel = graph.get(),
                                            .ends_with_parent = true});
  wait_for(child, limit, is_over);
  return read_layout(read_all(layout.get()));
}

}  // namespace eventspace
