#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "monitors/heartbeat/health_text.h"
#include "monitors/mpi/job_text.h"
#include "monitors/text/counted.h"
#include "monitors/text/text_format.h"
#include "monitors/web/documents/parts.h"

namespace eventspace::web {
namespace {

constexpr std::size_t max_list = 200;  // bytes of a list of ranks

/// Nodes and edges of the picture; one node for threads that do the same.
class WaitPicture {
 public:
  std::size_t add(const std::string& label, bool is_culprit, Json threads) {
    nodes_.add(Json::object(
        {{"id", count_}, {"label", label}, {"culprit", is_culprit}, {"threads", std::move(threads)}}));
    return count_++;
  }
  void connect(std::size_t from, std::size_t to, const std::string& label, std::optional<double> since_s) {
    edges_.add(Json::object({{"from", from}, {"to", to}, {"label", label}, {"since_s", Json(since_s)}}));
  }
  [[nodiscard]] Json part() && {
    return Json::object({{"nodes", std::move(nodes_)}, {"edges", std::move(edges_)}});
  }

 private:
  std::size_t count_{0};
  Json nodes_{Json::array()}, edges_{Json::array()};
};

std::string words_of(const JobGroup& group, const PlanNames& names) {
  const auto& call = group.in_flight ? group.in_flight : group.last;
  const std::string text = call ? describe_call(*call, names, group.has_one_partner) : "outside MPI";
  return group.in_flight || !call ? text : "after " + text;
}

void add_job(const JobVerdict& verdict, const PlanNames& names, WaitPicture& picture) {
  const auto ranks = [](const RankSet& set) { return Json::array({"rank " + set.to_text(max_list)}); };
  const std::string doing = verdict.doing.empty() ? "" : ", " + words_of(verdict.doing.front(), names);
  const std::size_t culprit = picture.add(
      fmt::format("rank {}: {}{}", verdict.culprits.to_text(max_list), to_string(verdict.fault), doing), true,
      ranks(verdict.culprits));
  for (const JobGroup& group : verdict.waits) {
    const std::string label = words_of(group, names);
    const std::size_t node = picture.add(fmt::format("rank {}: {}", group.ranks.to_text(max_list), label),
                                         false, ranks(group.ranks));
    picture.connect(node, culprit, label, seconds_of(group.longest));
  }
}

/// Threads that are stalled in the same operation.
struct Group {
  std::vector<const ThreadHealth*> threads;
  std::optional<std::uint32_t> collective;
};

class PathWaits {
 public:
  explicit PathWaits(const Looked& looked) : looked_(&looked) {
    for (const CollectivePath& path : looked.names->collective_paths())
      collectives_.emplace(path.path, path.collective);
    for (const Culprit& culprit : looked.state->health.culprits) culprits_.insert(culprit.thread);
    for (const ThreadHealth& health : looked.state->health.threads) {
      if (!is_stalled(health.verdict) || culprits_.contains(health.thread) || !health.in_flight) continue;
      Group& group = groups_[describe_operation(*health.in_flight, *looked.names)];
      group.threads.push_back(&health);
      group.collective = collective_of(health.in_flight->path);
    }
  }

  void draw(WaitPicture& picture) const {
    std::map<std::string, std::size_t> numbers;
    for (const auto& culprit : looked_->state->health.culprits) {
      const ThreadHealth* const health = health_of(culprit, looked_->state->health);
      if (health == nullptr || culprit.verdict == Verdict::unreachable) continue;
      const std::string name(looked_->names->thread_name(culprit.thread));
      const std::size_t node =
          picture.add(fmt::format("{}: {}", name, to_string(culprit.verdict)), true, Json::array({name}));
      std::size_t direct = 0;
      std::optional<std::size_t> last;
      for (const auto& [label, group] : groups_) {
        if (!waits_for(group, *health)) continue;
        const auto [at, is_new] = numbers.emplace(label, 0);
        if (is_new) at->second = add(label, group, picture);
        picture.connect(at->second, node, label, longest(group));
        direct += group.threads.size();
        last = at->second;
      }
      if (last && culprit.waiting > direct) add_rest(culprit.waiting - direct, *last, picture);
    }
  }

 private:
  [[nodiscard]] std::optional<std::uint32_t> collective_of(std::uint32_t path) const {
    const auto found = collectives_.find(path);
    return found == collectives_.end() ? std::nullopt : std::optional(found->second);
  }
  [[nodiscard]] bool waits_for(const Group& group, const ThreadHealth& culprit) const {
    const bool is_of_collective = std::ranges::any_of(culprit.absent_from, [&](std::uint32_t path) {
      return group.collective && collective_of(path) == group.collective;
    });
    if (is_of_collective) return true;
    return std::ranges::any_of(looked_->state->health.element_waits, [&](const ElementWait& wait) {
      const bool is_at = std::ranges::find(wait.waiting, group.threads.front()->thread) != wait.waiting.end();
      return is_at &&
             std::ranges::find(wait.could_end, culprit.thread, &ElementUser::thread) != wait.could_end.end();
    });
  }
  [[nodiscard]] std::size_t add(const std::string& label, const Group& group, WaitPicture& picture) const {
    Json names = Json::array();
    for (const ThreadHealth* const health : group.threads)
      names.add(looked_->names->thread_name(health->thread));
    return picture.add(label, false, std::move(names));
  }
  // Threads that wait for the culprit through others: a chain of hundreds would hide the culprit.
  static void add_rest(std::size_t count, std::size_t through, WaitPicture& picture) {
    const std::size_t rest = picture.add(counted(count, "thread") + " more", false, Json::array());
    picture.connect(rest, through, "through others", std::nullopt);
  }
  [[nodiscard]] static std::optional<double> longest(const Group& group) {
    std::optional<std::chrono::nanoseconds> longest;
    for (const ThreadHealth* const health : group.threads) longest = std::max(longest, health->in_flight_for);
    return seconds_of(longest);
  }

  const Looked* looked_;
  std::map<std::uint32_t, std::uint32_t> collectives_;  // by path
  std::set<std::uint32_t> culprits_;
  std::map<std::string, Group> groups_;  // by operation
};

}  // namespace

Json wait_part(const Looked& looked) {
  WaitPicture picture;
  for (const JobVerdict& verdict : looked.state->health.job.verdicts)
    add_job(verdict, *looked.names, picture);
  PathWaits(looked).draw(picture);
  return std::move(picture).part();
}

}  // namespace eventspace::web
