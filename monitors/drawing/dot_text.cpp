#include "monitors/drawing/dot_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tuplespace/system/plain_text.h"

namespace eventspace {
namespace {

// Graphviz decodes "&#27;" in labels: an ampersand of a text must not begin such a reference.
std::string quoted(const std::string& text) {
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

std::string list(const DotText::Attributes& attributes, const char* separator) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : attributes) parts.push_back(fmt::format("{}={}", name, quoted(value)));
  return fmt::format("{}", fmt::join(parts, separator));
}

}  // namespace

DotText::DotText(const std::string& title, const Attributes& graph) {
  text_ = fmt::format("digraph {} {{\n", quoted(title));
  Attributes all{{"fontname", "Helvetica"}, {"label", title}, {"labelloc", "t"}};
  for (const auto& [name, value] : graph) all[name] = value;
  line(fmt::format("graph [{}];", list(all, ", ")));
  line(
      R"(node [fontname="Helvetica", fontsize="11", shape="box", style="rounded,filled", fillcolor="white"];)");
  line(R"(edge [fontname="Helvetica", fontsize="9", color="gray35"];)");
}

void DotText::line(const std::string& content) {
  text_ += std::string(static_cast<std::size_t>(depth_) * 2, ' ') + content + '\n';
}

void DotText::begin_cluster(const std::string& id, const Attributes& attributes) {
  line(fmt::format("subgraph {} {{", quoted("cluster " + id)));
  ++depth_;
  line(fmt::format("graph [{}];", list(attributes, ", ")));
}

void DotText::end_cluster() {
  --depth_;
  line("}");
}

void DotText::node(const std::string& id, const Attributes& attributes) {
  line(fmt::format("{} [{}];", quoted(id), list(attributes, ", ")));
}

void DotText::edge(const std::string& from, const std::string& to, const Attributes& attributes) {
  line(fmt::format("{} -> {} [{}];", quoted(from), quoted(to), list(attributes, ", ")));
}

std::string dot_label(const std::vector<std::string>& lines) {
  return fmt::format("{}", fmt::join(lines, "\n"));
}

}  // namespace eventspace
