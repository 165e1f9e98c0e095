#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "monitors/elements/element_rows.h"
#include "monitors/watching/timeline.h"
#include "monitors/web/documents/map_parts.h"
#include "monitors/web/documents/parts.h"
#include "monitors/web/map/map_picture.h"
#include "pathmaps/elements/element_asker.h"
#include "scopes/tree/scope_tree.h"

namespace eventspace::web {

/// Makes the parts "map" and "map_rates" of a session while pages want them. The map of a plan is drawn once,
/// by a thread of its own, since Graphviz takes up to seconds; the map of a session without a pathmap is
/// drawn again when threads join. The fills of elements are asked from their hosts, as `elements` does. Apart
/// from that thread, used by one thread.
class MapWatch {
 public:
  /// `session`: whose elements are asked; empty for a recording, which has none. `watched`: the scope through
  /// which the page watches.
  MapWatch(std::shared_ptr<const Plan> plan, std::string session, ScopeTree watched, LayOut lay_out = {},
           std::chrono::milliseconds patience_at_end = std::chrono::seconds(3));
  ~MapWatch();  ///< stops a layout under way
  MapWatch(const MapWatch&) = delete;
  MapWatch& operator=(const MapWatch&) = delete;

  /// The parts that are wanted and have changed. Waits up to 100 ms for hosts of elements that do not answer,
  /// and at the last look up to `patience_at_end` for the drawing.
  Document::Parts read(const Looked& looked, const WantedParts& wanted, Timeline::Time now);
  /// Whether a page wants a map that is still drawn: another look may have it.
  [[nodiscard]] bool is_awaited() const noexcept { return is_awaited_; }

 private:
  struct Shown {
    std::vector<std::uint32_t> threads;  // in the order of the part "names"
    std::vector<MapNode> nodes;
    friend bool operator==(const Shown&, const Shown&) = default;
  };

  void draw();
  [[nodiscard]] bool is_drawn(bool is_last);
  [[nodiscard]] MapPicture picture_of(const std::vector<MapNode>& nodes, bool is_last);
  std::optional<Json> map_of(const Looked& looked, bool is_last);
  std::vector<ElementRow> ask_elements(Timeline::Time now);

  std::shared_ptr<const Plan> plan_;
  std::string session_;
  ScopeTree watched_;
  LayOut lay_out_;
  const std::chrono::milliseconds patience_at_end_;
  std::optional<Shown> shown_;  // by the last part "map"
  bool is_awaited_{false};
  std::unique_ptr<ElementAsker> asker_;
  std::map<std::string, std::string> users_;
  std::vector<ElementAnswer> answers_;
  Timeline::Time asked_{};
  std::atomic<bool> is_over_{false};
  std::mutex mutex_;  // guards picture_ until it is there; then it does not change
  std::condition_variable drawn_;
  std::optional<MapPicture> picture_;
  std::thread thread_;  // draws the plan
};

}  // namespace eventspace::web
