#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tuplespace/system/plain_text.h"

namespace eventspace {

/// Escapes '&', '<' and '>' in a text, and characters that a terminal would obey; a newline, if it is kept,
/// becomes "<br/>". For Graphviz' HTML-like labels, and for SVG. Pure.
std::string markup_of(const std::string& text, Newlines newlines = Newlines::kept);

/// The text as a quoted string of Graphviz' language, as DotText writes ids and attributes. Pure.
std::string quoted_for_dot(const std::string& text);

/// Writes a graph in Graphviz' language, with indentation and quoting. Attributes are sorted by name. All
/// texts are escaped (tuplespace/system/plain_text.h), so that neither the text nor a picture of it has
/// control characters; newlines break lines. Pure. Not thread-safe.
class DotText {
 public:
  using Attributes = std::map<std::string, std::string>;

  /// The heading above the picture.
  struct Heading {
    std::string title;
    std::vector<std::string> lines{};  ///< small, below the title
    /// A line of colour fields with their meanings, such as a scale.
    std::vector<std::pair<std::string, std::string>> colours{};
  };

  /// The direction in which the graph grows. A tree that grows to the right is as high as it has leaves, and
  /// fits a page better than a tree that grows downwards and is as wide.
  enum class Growth : std::uint8_t { down, right };

  /// Attributes of a graph that is a tree and grows to the right: straight arrows, and room for them.
  static Attributes tree() { return {{"ranksep", "0.7"}, {"splines", "line"}}; }

  explicit DotText(const Heading& heading, Growth growth, const Attributes& graph = {});

  void begin_cluster(const std::string& id, const Attributes& attributes);
  void end_cluster();
  void node(const std::string& id, const Attributes& attributes);
  /// A box with a title, like a frame around one box. Arrows end at it, so none crosses the title.
  struct TitledBox {
    std::string title;
    std::vector<std::string> lines;
    std::string fill{"white"};
    std::string title_fill{"#e8f0fa"};
    std::string colour{"#7090b0"};  ///< of the frame
    int width{1};                   ///< of the frame
  };
  void titled_box(const std::string& id, const TitledBox& box);
  /// The attribute `label` is the text of the arrow.
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
