#pragma once

// Private to monitors/.

#include <map>
#include <string>
#include <vector>

namespace eventspace {

/// Writes a graph in Graphviz' language, indented and quoted. Attributes are written in the order of their
/// names.
class DotText {
 public:
  using Attributes = std::map<std::string, std::string>;

  explicit DotText(const std::string& title, const Attributes& graph = {});

  void begin_cluster(const std::string& id, const Attributes& attributes);
  void end_cluster();
  void node(const std::string& id, const Attributes& attributes);
  void edge(const std::string& from, const std::string& to, const Attributes& attributes);
  /// The finished text.
  [[nodiscard]] std::string text() const { return text_ + "}\n"; }

 private:
  void line(const std::string& content);

  std::string text_;
  int depth_{1};
};

/// `lines` as one label, below each other.
std::string dot_label(const std::vector<std::string>& lines);

}  // namespace eventspace
