#pragma once

// Private to pathmaps/.

#include "pathmaps/expansion/draft.h"

namespace eventspace::expansion {

/// The elements and paths of the application, while rows and generators still add to them.
class PathTable {
 public:
  explicit PathTable(Draft& draft) : draft_(draft) {}

  /// False, with a fault at `name`, when the name is malformed or taken, or there are too many.
  bool add_element(const Word& name, ElementConfig config);

  /// A path by the words of the pathmap. False, with a fault, when the name is malformed or the element
  /// unknown, or when there are too many.
  bool add_path(const Word& name, ThreadIndex thread, const Word& element, PathUse use,
                const std::vector<StagePlan>& stages);

  /// A path to a joint, by the joint's element. False, with a fault, when the name is malformed or there are
  /// too many.
  bool add_path(const Word& name, ThreadIndex thread, ElementIndex joint);

  /// Sorts the paths by thread into the draft, and reports names that a thread has twice. Call it once, at
  /// the end.
  void finish();

 private:
  struct Row {
    PathPlan path;
    Place place;
  };
  bool add_row(const Word& name, PathPlan path);
  void report_duplicates() const;
  void index();
  void set_peers();

  Draft& draft_;
  std::vector<Row> rows_;
};

}  // namespace eventspace::expansion
