#include "monitors/drawing/dot_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tuplespace/system/plain_text.h"

namespace eventspace {
namespace {

std::string list(const DotText::Attributes& attributes, const char* separator) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : attributes)
    parts.push_back(fmt::format("{}={}", name, quoted_for_dot(value)));
  return fmt::format("{}", fmt::join(parts, separator));
}

// Keeps the lines of a text away from arrows at its sides, without making it higher.
std::string with_margins(const std::string& markup) {
  const std::string margin = "&#160;&#160;";
  std::string result = margin;
  for (std::size_t start = 0; start <= markup.size();) {
    const std::size_t end = std::min(markup.find("<br/>", start), markup.size());
    result += markup.substr(start, end - start) + margin;
    if (end == markup.size()) break;
    result += "<br/>" + margin;
    start = end + 5;
  }
  return result;
}

std::string scale_of(const std::vector<std::pair<std::string, std::string>>& colours) {
  // A fixed size, or the fields would be spread over the width of the lines above. It must not be too small.
  constexpr std::size_t height = 18;
  constexpr std::size_t around_field = 36;
  constexpr std::size_t of_letter = 7;
  std::string cells;
  std::size_t width = 0;
  for (const auto& [colour, meaning] : colours) {
    cells += fmt::format(R"(<td bgcolor="{}" width="22" height="8" fixedsize="true"></td><td>{}</td>)",
                         markup_of(colour), markup_of(meaning));
    width += around_field + of_letter * meaning.size();
  }
  return fmt::format(
      R"(<tr><td align="left"><font point-size="9"><table align="left" fixedsize="true" width="{}" height="{}" border="0" cellborder="0" cellspacing="3" cellpadding="0"><tr>{}</tr></table></font></td></tr>)",
      width, height, cells);
}

std::string heading_markup(const DotText::Heading& heading) {
  std::string rows = fmt::format(R"(<tr><td align="left">{}</td></tr>)", markup_of(heading.title));
  for (const std::string& line : heading.lines)
    rows += fmt::format(R"(<tr><td align="left"><font point-size="9">{}</font></td></tr>)", markup_of(line));
  if (!heading.colours.empty()) rows += scale_of(heading.colours);
  return fmt::format(R"(<table border="0" cellborder="0" cellspacing="0" cellpadding="2">{}</table>)", rows);
}

}  // namespace

// Graphviz decodes "&#27;" in labels: an ampersand in a text must not begin such a reference.
std::string quoted_for_dot(const std::string& text) {
  std::string result = "\"";
  for (const char c : escaped(text, Newlines::kept)) {
    if (c == '"' || c == '\\') result += '\\';
    if (c == '\n') {
      result += "\\n";
    } else if (c == '&') {
      result += "&amp;";
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string markup_of(const std::string& text, Newlines newlines) {
  std::string result;
  for (const char c : escaped(text, newlines)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '\n':
        result += "<br/>";
        break;
      default:
        result += c;
    }
  }
  return result;
}

// Only as much space between boxes as arrows and their labels need, so that the picture fits a page.
DotText::DotText(const Heading& heading, Growth growth, const Attributes& graph) {
  text_ = fmt::format("digraph {} {{\n", quoted_for_dot(heading.title));
  Attributes all{{"fontname", "Helvetica"}, {"fontsize", "13"}, {"labeljust", "l"},
                 {"labelloc", "t"},         {"nodesep", "0.2"}, {"ranksep", "0.4"}};
  if (growth == Growth::right) all["rankdir"] = "LR";
  for (const auto& [name, value] : graph) all[name] = value;
  line(fmt::format("graph [label=<{}>, {}];", heading_markup(heading), list(all, ", ")));
  line(
      R"(node [fontname="Helvetica", fontsize="11", shape="box", style="rounded,filled", fillcolor="white", height="0.3", margin="0.12,0.05"];)");
  line(R"(edge [fontname="Helvetica", fontsize="9", color="gray35", arrowsize="0.8"];)");
}

void DotText::line(const std::string& content) {
  text_ += std::string(static_cast<std::size_t>(depth_) * 2, ' ') + content + '\n';
}

void DotText::begin_cluster(const std::string& id, const Attributes& attributes) {
  line(fmt::format("subgraph {} {{", quoted_for_dot("cluster " + id)));
  ++depth_;
  line(fmt::format("graph [{}];", list(attributes, ", ")));
}

void DotText::end_cluster() {
  --depth_;
  line("}");
}

void DotText::node(const std::string& id, const Attributes& attributes) {
  line(fmt::format("{} [{}];", quoted_for_dot(id), list(attributes, ", ")));
}

void DotText::titled_box(const std::string& id, const TitledBox& box) {
  const std::string table = fmt::format(
      R"(<table border="{}" cellborder="0" cellspacing="0" cellpadding="3" style="rounded" color="{}" bgcolor="{}"><tr><td><font point-size="10">{}</font></td></tr><tr><td bgcolor="{}">{}</td></tr></table>)",
      box.width, box.colour, box.title_fill, markup_of(box.title), box.fill, markup_of(dot_label(box.lines)));
  line(fmt::format("{} [label=<{}>, margin=\"0\", shape=\"plain\", style=\"\"];", quoted_for_dot(id), table));
}

// The text of an arrow has a light background, so that frames and arrows behind it do not cross it.
void DotText::edge(const std::string& from, const std::string& to, const Attributes& attributes) {
  Attributes others = attributes;
  std::string label;
  if (const auto found = others.find("label"); found != others.end()) {
    label = fmt::format(
        R"(label=<<table border="0" cellborder="0" cellspacing="1" cellpadding="0"><tr><td bgcolor="#ffffffd0">{}</td></tr></table>>{})",
        with_margins(markup_of(found->second)), others.size() > 1 ? ", " : "");
    others.erase(found);
  }
  line(fmt::format("{} -> {} [{}{}];", quoted_for_dot(from), quoted_for_dot(to), label, list(others, ", ")));
}

std::string dot_label(const std::vector<std::string>& lines) {
  return fmt::format("{}", fmt::join(lines, "\n"));
}

}  // namespace eventspace
