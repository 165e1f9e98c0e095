#include "scopes/wrappers/collective_wrapper.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "collectors/event_record.h"
#include "scopes/wrappers/collective_layout.h"
#include "scopes/wrappers/scope_wrappers.h"

namespace eventspace {
namespace {

/// The records in one view of one operation in one process, by slot: their indices in View::records.
class Gathered {
 public:
  static constexpr std::size_t none = SIZE_MAX;
  explicit Gathered(std::size_t slots) : places_(slots, none), left_(slots) {}

  void add(std::size_t slot, std::size_t place) {
    is_doubtful_ = is_doubtful_ || places_[slot] != none;
    if (places_[slot] == none) --left_;
    places_[slot] = place;
  }
  [[nodiscard]] bool is_whole() const noexcept { return left_ == 0 && !is_doubtful_; }
  [[nodiscard]] const std::vector<std::size_t>& places() const noexcept { return places_; }

 private:
  std::vector<std::size_t> places_;
  std::size_t left_;
  bool is_doubtful_{false};  // two records for one slot
};

std::int64_t taken(std::uint64_t from, std::uint64_t to) noexcept {
  return static_cast<std::int64_t>(to - from);
}

/// Computes results from complete operations of one layout. Its slots, one for each expected record, are the
/// lower and upper end of each edge, and then the lower ends of the uplinks that are not edges.
class Digest {
 public:
  explicit Digest(CollectiveLayout layout) : layout_(std::move(layout)) {
    for (const auto& edge : layout_.edges) {
      slots_.emplace_back(edge.path, std::uint16_t{0});
      slots_.emplace_back(edge.path, std::uint16_t{1});
    }
    inner_ = slots_.size();
    for (const auto& joint : layout_.joints) {
      uplink_slots_.push_back(Gathered::none);
      if (!joint.uplink) continue;
      const auto inner = std::ranges::find(slots_, std::pair(*joint.uplink, std::uint16_t{0}));
      uplink_slots_.back() = static_cast<std::size_t>(inner - slots_.begin());
      if (inner == slots_.end()) slots_.emplace_back(*joint.uplink, std::uint16_t{0});
    }
  }
  using Slot = std::pair<std::uint32_t, std::uint16_t>;  // path and point
  [[nodiscard]] const std::vector<Slot>& slots() const noexcept { return slots_; }
  [[nodiscard]] std::size_t inner_slots() const noexcept { return inner_; }

  void begin(std::uint64_t operation, const Gathered& gathered, const std::vector<TraceTuple>& records) {
    operation_ = operation;
    now_.clear();
    for (const std::size_t place : gathered.places()) now_.push_back(decode(records[place]));
  }
  [[nodiscard]] CollectivePart part() {
    CollectivePart part{layout_.collective, layout_.process, operation_, 0, {}, {}, {}, 0};
    std::vector<Contribution> all;
    for (std::size_t edge = 0; edge < layout_.edges.size(); ++edge) {
      if (layout_.edges[edge].is_thread) all.push_back({layout_.edges[edge].path, lower(edge).start});
    }
    std::ranges::stable_sort(all, {}, &Contribution::ticks);
    part.threads = static_cast<std::uint32_t>(all.size());
    part.first = all.front();
    part.last = all.back();
    part.second = all.size() > 1 ? all[all.size() - 2] : all.back();
    for (const Contribution& one : all) part.waited += part.last.ticks - one.ticks;
    last_ = part.last.ticks;
    return part;
  }
  /// Uses the last arrival that part() found, so call part() first.
  void add_sums() {
    for (std::size_t edge = 0; edge < layout_.edges.size(); ++edge) {
      const std::uint32_t path = layout_.edges[edge].path;
      add(path, CollectiveTime::up, taken(lower(edge).start, upper(edge).start));
      add(path, CollectiveTime::down, taken(upper(edge).end, lower(edge).end));
      if (layout_.edges[edge].is_thread) add(path, CollectiveTime::waited, taken(lower(edge).start, last_));
    }
    for (std::size_t joint = 0; joint < layout_.joints.size(); ++joint) add_joint(joint);
  }
  void move_sums(std::vector<CollectiveSum>& to) {
    for (auto& [key, sum] : sums_) to.push_back(sum);
    sums_.clear();
  }

 private:
  [[nodiscard]] const EventRecord& lower(std::size_t edge) const { return now_[2 * edge]; }
  [[nodiscard]] const EventRecord& upper(std::size_t edge) const { return now_[2 * edge + 1]; }

  void add_joint(std::size_t number) {
    const CollectiveLayout::Joint& joint = layout_.joints[number];
    std::uint64_t first = UINT64_MAX, last = 0, gone = 0;
    for (const std::size_t edge : joint.edges) {
      first = std::min(first, upper(edge).start);
      last = std::max(last, upper(edge).start);
      gone = std::max(gone, upper(edge).end);
    }
    add(joint.number, CollectiveTime::gathering, taken(first, last));
    std::uint64_t result = last;
    if (joint.uplink) {
      const EventRecord& up = now_[uplink_slots_[number]];
      add(joint.number, CollectiveTime::passing_up, taken(last, up.start));
      // The record of an uplink that is not an edge of this layout is passed on, so this time is not lost.
      if (uplink_slots_[number] < inner_) add(joint.number, CollectiveTime::above, taken(up.start, up.end));
      result = up.end;
    }
    add(joint.number, CollectiveTime::handing_down, taken(result, gone));
  }
  void add(std::uint32_t of, CollectiveTime time, std::int64_t ticks) {
    CollectiveSum& sum =
        sums_.try_emplace({of, time}, CollectiveSum{layout_.process, of, time}).first->second;
    sum.add(ticks);
  }

  CollectiveLayout layout_;
  std::vector<Slot> slots_;
  std::size_t inner_{0};  // number of slots that are ends of edges; their records are replaced by results
  std::vector<std::size_t> uplink_slots_;  // by joint
  std::uint64_t operation_{0};
  std::vector<EventRecord> now_;  // records of that operation, by slot
  std::uint64_t last_{0};
  std::map<std::pair<std::uint32_t, CollectiveTime>, CollectiveSum> sums_;
};

class CollectiveOperator final : public ViewOperator {
 public:
  explicit CollectiveOperator(const PlanNames& names) {
    for (CollectiveLayout& layout : collective_layouts(names)) {
      const std::size_t number = digests_.size();
      digests_.emplace_back(std::move(layout));
      const auto& slots = digests_.back().slots();
      for (std::size_t slot = 0; slot < slots.size(); ++slot) slot_of_[key(slots[slot])] = {number, slot};
    }
  }

  void apply(View& view) override {
    std::map<std::pair<std::size_t, std::uint64_t>, Gathered>
        operations;  // by index of the layout, and operation
    const std::vector<TraceTuple>& records = view.records.whole();
    for (std::size_t place = 0; place < records.size(); ++place) {
      const EventRecord record = decode(records[place]);
      const auto found = slot_of_.find(key({record.path, record.point}));
      if (found == slot_of_.end() || record.status != Status::ok || record.parameter == 0) continue;
      const auto [layout, slot] = found->second;
      const std::size_t slots = digests_[layout].slots().size();
      operations.try_emplace({layout, record.parameter}, slots).first->second.add(slot, place);
    }
    std::vector<bool> is_done(records.size(), false);
    for (const auto& [of, gathered] : operations) {
      if (gathered.is_whole()) digest(of.first, of.second, gathered, view, is_done);
    }
    for (Digest& digest : digests_) digest.move_sums(view.collective_sums);
    drop(is_done, view);
  }

 private:
  static std::uint64_t key(const Digest::Slot& slot) noexcept {
    return (static_cast<std::uint64_t>(slot.first) << 16) | slot.second;
  }

  void digest(std::size_t layout, std::uint64_t operation, const Gathered& gathered, View& view,
              std::vector<bool>& is_done) {
    Digest& digest = digests_[layout];
    digest.begin(operation, gathered, view.records.whole());
    view.collective_parts.push_back(digest.part());
    digest.add_sums();
    for (std::size_t slot = 0; slot < digest.inner_slots(); ++slot) is_done[gathered.places()[slot]] = true;
  }

  static void drop(const std::vector<bool>& is_done, View& view) {
    std::vector<TraceTuple>& records = view.records.whole();
    std::size_t kept = 0;
    for (std::size_t place = 0; place < is_done.size(); ++place) {
      if (!is_done[place]) records[kept++] = records[place];
    }
    view.loss.reduced += records.size() - kept;
    records.resize(kept);
  }

  std::vector<Digest> digests_;
  std::unordered_map<std::uint64_t, std::pair<std::size_t, std::size_t>> slot_of_;  // layout and slot
};

}  // namespace

ScopeWrapperInfo collective_wrapper() {
  return {
      "collective",
      "makes results from the records that collective operations leave within one process",
      true,
      {},
      [](const Parameters&, const PlanNames& names) { return std::make_unique<CollectiveOperator>(names); },
      as_given};
}

}  // namespace eventspace
