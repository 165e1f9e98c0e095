#pragma once

#include "pathmaps/expansion/draft.h"

namespace eventspace::expansion {

/// Collects the elements and paths of the application from the rows, generators and collectives of the
/// pathmap, and puts them into the draft. The functions that return false report a fault.
class PathTable {
 public:
  explicit PathTable(Draft& draft) : draft_(draft) {}

  /// Adds an element. Returns false if the name is malformed or exists already, or if there are too many
  /// elements.
  bool add_element(const Word& name, ElementConfig config);

  /// Adds a path to the element with this name. Returns false if the name is malformed, the element unknown,
  /// or if there are too many paths.
  bool add_path(const Word& name, ThreadIndex thread, const Word& element, PathUse use,
                const std::vector<StagePlan>& stages);

  /// Adds a path to the joint with this element. Returns false if the name is malformed, or if there are too
  /// many paths.
  bool add_path(const Word& name, ThreadIndex thread, ElementIndex joint);

  /// Moves the paths into the draft, sorted by thread, and reports threads with two paths of the same name.
  /// Call it once, after all paths have been added.
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
