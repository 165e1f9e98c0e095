#pragma once

// Private to monitors/.

#include <map>
#include <string>
#include <vector>

namespace eventspace {

/// Writes a graph in Graphviz' language, with indentation and quoting. Attributes are sorted by name. All
/// texts are escaped (tuplespace/system/plain_text.h), so that neither the text nor a picture of it has
/// control characters; newlines break lines. Pure. Not thread-safe.
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

/// Joins `lines` into one label with line breaks.
std::string dot_label(const std::vector<std::string>& lines);

}  // namespace eventspace
