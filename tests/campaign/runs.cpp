#include "tests/campaign/runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include <eventspace/error.h>

namespace eventspace::testing_campaign {
namespace {

std::uint64_t recorded(const SegmentView& run, std::uint32_t trace) {
  const auto found = std::find_if(run.traces().begin(), run.traces().end(),
                                  [trace](const SegmentView::Trace& t) { return t.spec.trace == trace; });
  return found == run.traces().end() ? 0 : found->reader.published();
}

}  // namespace

bool Runs::note(std::size_t process, std::int32_t pid) {
  for (const auto& file : find_segments(plan_->name, "", directory_)) {
    if (!file.filename().string().ends_with("." + std::to_string(pid))) continue;
    try {
      runs_[process].push_back(std::make_unique<const SegmentView>(file));
      return true;
    } catch (const Error&) {  // the process has already ended
    }
  }
  return false;
}

std::vector<std::string> Runs::check(const std::string& log) const {
  std::vector<std::string> faults;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string what;
    Place place;
    words >> what;
    if (what == "fault") faults.push_back(line);
    if (what != "change" && what != "final") continue;
    words >> place.trace >> place.process >> place.pid >> place.created_ns >> place.sequence;
    std::string fault;
    if (what == "final") {
      fault = check_final(place);
    } else {
      std::int32_t pid = 0;
      std::int64_t created_ns = 0;
      bool named = false;
      if (words >> pid >> created_ns >> named) fault = check_change(place, pid, created_ns, named);
    }
    if (!fault.empty()) faults.push_back(line + ": " + fault);
  }
  return faults;
}

std::string Runs::check_change(const Place& left, std::int32_t pid, std::int64_t created_ns,
                               bool named) const {
  const Segments& runs = runs_.at(left.process);
  const std::size_t from = find(left);
  const std::size_t to = find({left.trace, left.process, pid, created_ns, 0});
  if (from == runs.size() || to == runs.size()) return "there was no such run";
  if (to <= from) return "it went back to an earlier run";
  if (left.sequence > recorded(*runs[from], left.trace)) return "it was read beyond its end";
  if (named) return "";
  for (std::size_t between = from + 1; between != to; ++between) {
    // A run that ended normally removed its file. A server may not have seen it, which is not a violation.
    const std::uint64_t lost = runs[between]->ended() ? 0 : recorded(*runs[between], left.trace);
    if (lost > 0)
      return fmt::format("the run as pid {} is not named, which recorded {}", runs[between]->pid(), lost);
  }
  return check_read_out(left, *runs[from]);
}

std::string Runs::check_final(const Place& place) const {
  const Segments& runs = runs_.at(place.process);
  const std::size_t at = find(place);
  if (at == runs.size()) return "there was no such run";
  if (at + 1 != runs.size()) return fmt::format("{} later runs were not seen", runs.size() - at - 1);
  return check_read_out(place, *runs[at]);
}

std::string Runs::check_read_out(const Place& place, const SegmentView& run) const {
  const std::uint64_t all = recorded(run, place.trace);
  return all == place.sequence ? "" : fmt::format("it recorded {}", all);
}

std::size_t Runs::find(const Place& place) const {
  const Segments& runs = runs_.at(place.process);
  const auto found = std::find_if(runs.begin(), runs.end(), [&](const auto& run) {
    return run->pid() == place.pid && run->created_realtime_ns() == place.created_ns;
  });
  return static_cast<std::size_t>(found - runs.begin());
}

}  // namespace eventspace::testing_campaign
