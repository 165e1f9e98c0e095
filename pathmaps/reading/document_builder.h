#pragma once

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/mark.h>

#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "pathmaps/reading/document.h"

namespace eventspace::reading {

/// Exception that ends the parsing of a document which is too deep, too large or cyclic.
struct Refusal {
  Place place;
  std::string text;
};

/// Turns the events of yaml-cpp's parser into Values. It does not use yaml-cpp's nodes, so that the limits
/// are checked while the text is parsed, before memory is used. Each handler may throw Refusal.
class DocumentBuilder final : public YAML::EventHandler {
 public:
  /// `yaml` is the text from which the events come. All arguments must outlive the builder.
  DocumentBuilder(Document& document, std::string_view yaml, std::size_t file, Faults& faults)
      : document_(document), yaml_(yaml), file_(file), faults_(faults) {}

  /// Returns the root value; null before the document is complete.
  [[nodiscard]] const Value* root() const noexcept { return root_; }
  /// Returns the start of the most recently read document.
  [[nodiscard]] const Place& begin() const noexcept { return begin_; }

  void OnDocumentStart(const YAML::Mark& mark) override { begin_ = place_of(mark); }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override;
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override;
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override;
  void OnMapEnd() override;

 private:
  /// A sequence or mapping whose end has not been read yet.
  struct Open {
    Value* value;
    YAML::anchor_t anchor;
    std::optional<Word> key;  ///< of a mapping: set between a key and its value
    std::unordered_set<std::string> keys;
    std::vector<const Value*> merged;  ///< values of the key <<
  };

  [[nodiscard]] Place place_of(const YAML::Mark& mark) const {
    return {file_, mark.line + 1, mark.column + 1};
  }
  [[nodiscard]] std::optional<Place> text_place(const YAML::Mark& mark, std::string_view text) const;
  void check_tag(const std::string& tag, const Place& place);
  Value& make(Value::Kind kind, const Place& place);
  void open(Value::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor);
  void close();
  void anchor(YAML::anchor_t anchor, const Value& value);
  void place(const Value& value, const Place& where);
  void place_in(Open& parent, const Value& value, const Place& where);
  void take_key(Open& mapping, const Value& value, const Place& where);
  void take_value(Open& mapping, const Value& value);
  void append(Open& mapping, Entry entry);
  void merge(Open& mapping, const Value& from);
  void weigh(Value& whole, const Value& part, const Place& where);

  Document& document_;
  std::string_view yaml_;
  std::size_t file_;
  Faults& faults_;
  std::vector<Open> open_;
  std::vector<const Value*> anchors_;  ///< by anchor number; null while the value is open: detects cycles
  std::size_t made_{0};
  const Value* root_{nullptr};
  Place begin_;
};

}  // namespace eventspace::reading
