#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "monitors/moments/moment.h"

namespace eventspace {

/// The number of a call among the calls of its location, from 0. It stays valid when older calls are dropped.
struct ActivityRef {
  std::uint32_t location{0};
  std::uint64_t number{0};
  friend auto operator<=>(const ActivityRef&, const ActivityRef&) = default;  // NOLINT(modernize-use-nullptr)
};

/// A recorded call or operation of a location. The time between two calls is the location's computation.
struct Activity {
  std::int64_t begin_ns{0};
  std::int64_t end_ns{0};
  std::uint32_t site{0};          ///< its function and place (RunActivities::site_name)
  bool follows_gap{false};        ///< records of the location are missing before it
  bool is_in_flight{false};       ///< had not ended when recording ended
  bool awaits_unknown{false};     ///< may have waited for a location whose records are missing
  bool awaits_unfollowed{false};  ///< may have waited for something that is not analysed
};

/// The wait states of Scalasca (Geimer, Wolf, Wylie, Mohr: A scalable tool architecture for diagnosing wait
/// states in massively parallel applications), by the reason of waiting.
enum class WaitKind : std::uint8_t {
  late_sender,     ///< a receive, or the wait for it, began before the send
  late_receiver,   ///< a send, or the wait for it, lasted beyond the begin of the receive
  barrier,         ///< until the last member has come
  n_to_n,          ///< the same, in operations in which each member receives from all
  early_reduce,    ///< the root, until the last member has come, as in Scalasca 2; in Scalasca 1, until the
                   ///< first sender has come, so that its waits are shorter
  late_broadcast,  ///< a member, until the root has come
  early_scan,      ///< a member, until all members of lower rank have come
  startup          ///< until all have called MPI_Init; no wait state, but a part of the critical path
};
inline constexpr std::size_t wait_kinds = 8;
/// "late sender", "late receiver", "wait at barrier", "wait at NxN", "early reduce", "late broadcast", "early
/// scan", "start-up".
std::string_view to_string(WaitKind kind) noexcept;

/// The call `waiting` cannot end before `cause` has begun, or has ended.
struct Dependency {
  WaitKind kind{WaitKind::late_sender};
  bool needs_end{false};  ///< of the cause
  ActivityRef waiting{};
  ActivityRef cause{};
};

/// A collective operation in which calls wait for the last member.
struct Meeting {
  struct Member {
    ActivityRef comes{};   ///< the call with which it takes part
    ActivityRef leaves{};  ///< the call that ends when its part is complete; usually the same
    bool waits{true};
  };
  WaitKind kind{WaitKind::barrier};
  std::uint32_t group{0};  ///< operations of a group have the same members
  std::vector<Member> members{};
};

/// The calls of a run by location (a rank of an MPI job, or a thread), and on which calls of others they
/// depend. Times are in nanoseconds, as in the recording.
///
/// Add the calls of a location in the order of their begins, and links after both of their calls. Memory is
/// bounded: beyond a limit, the older half of the calls is dropped, which is counted, and the rest follows a
/// gap. Pure. Not thread-safe.
class RunActivities {
 public:
  struct Limits {
    std::size_t activities{std::size_t{1} << 22};
    std::size_t links{std::size_t{1} << 22};  ///< dependencies, and members of meetings
    std::size_t names{65536};  ///< of call sites, and of regions; others share the name "other"
    std::size_t region_changes{std::size_t{1} << 22};
  };
  struct Clock {
    std::uint32_t number{0};   ///< locations with the same number have times of one clock
    std::int64_t error_ns{0};  ///< of times relative to other clocks, at most; Moment::unbounded: not known
  };
  /// From `ns` on, the location is in this region (region_name); 0: in none.
  struct RegionChange {
    std::int64_t ns{0};
    std::uint32_t region{0};
  };

  RunActivities() : RunActivities(Limits{}) {}
  explicit RunActivities(const Limits& limits);

  std::uint32_t add_location(std::string name, const Clock& clock);
  void rename(std::uint32_t location, std::string name) { locations_[location].name = std::move(name); }
  std::uint32_t site(const std::string& name) { return number_of(sites_, name); }
  std::uint32_t region(const std::string& name) { return number_of(regions_, name); }
  /// Adds a call. If it lies within the call before it, it is a part of that call, whose number is returned.
  ActivityRef add(std::uint32_t location, Activity activity);
  /// Records of the location are missing since this time: calls that end later, and the next to be added,
  /// follow a gap.
  void mark_gap(std::uint32_t location, std::int64_t since_ns);
  /// Regions of a location in the order of their times.
  void change_region(std::uint32_t location, const RegionChange& change);
  void link(const Dependency& dependency);
  void meet(Meeting meeting);
  /// The call may have waited for missing records. No effect if it was dropped.
  void mark_unknown(const ActivityRef& activity);
  void mark_unfollowed(const ActivityRef& activity);

  [[nodiscard]] std::size_t locations() const noexcept { return locations_.size(); }
  /// The number of locations with calls.
  [[nodiscard]] std::size_t participants() const;
  [[nodiscard]] const std::string& name_of(std::uint32_t location) const { return locations_[location].name; }
  [[nodiscard]] const std::deque<Activity>& activities(std::uint32_t location) const {
    return locations_[location].activities;
  }
  /// The number of the first call that was not dropped.
  [[nodiscard]] std::uint64_t first_of(std::uint32_t location) const { return locations_[location].first; }
  [[nodiscard]] const std::vector<RegionChange>& regions_of(std::uint32_t location) const {
    return locations_[location].regions;
  }
  [[nodiscard]] const std::vector<Dependency>& dependencies() const noexcept { return dependencies_; }
  [[nodiscard]] const std::vector<Meeting>& meetings() const noexcept { return meetings_; }
  /// Null if it was dropped.
  [[nodiscard]] const Activity* find(const ActivityRef& activity) const;
  [[nodiscard]] const std::string& site_name(std::uint32_t site) const { return sites_.names[site]; }
  /// Empty for 0.
  [[nodiscard]] const std::string& region_name(std::uint32_t region) const { return regions_.names[region]; }
  /// A time of a location, for comparison with times of others.
  [[nodiscard]] Moment moment(std::uint32_t location, std::int64_t ns) const;
  /// Number of calls that were dropped, of links and changes of regions beyond the limits, and of names.
  [[nodiscard]] std::uint64_t left_out() const noexcept { return left_out_; }

 private:
  struct Location {
    std::string name;
    Clock clock;
    std::deque<Activity> activities{};
    std::uint64_t first{0};
    std::vector<RegionChange> regions{};
    bool has_gap{false};  // before the next call
  };
  struct Names {
    std::vector<std::string> names{""};
    std::map<std::string, std::uint32_t> numbers{};
  };
  std::uint32_t number_of(Names& names, const std::string& name);
  [[nodiscard]] Activity* changeable(const ActivityRef& activity);
  void drop_older_half();
  [[nodiscard]] std::int64_t median_end() const;
  void drop_links();

  Limits limits_;
  std::vector<Location> locations_;
  Names sites_, regions_;
  std::vector<Dependency> dependencies_;
  std::vector<Meeting> meetings_;
  std::size_t activities_{0};
  std::size_t links_{0};
  std::size_t region_changes_{0};
  std::uint64_t left_out_{0};
};

}  // namespace eventspace
