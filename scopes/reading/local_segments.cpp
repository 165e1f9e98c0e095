#include "scopes/reading/local_segments.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include <eventspace/error.h>
#include "tuplespace/processes/process_sight.h"
#include "tuplespace/system/session_files.h"

namespace eventspace {
namespace {

constexpr std::chrono::seconds states_kept{1};  // after they have expired

RunState ask_kernel(const SegmentView& segment, const ProcessSight& process) {
  if (segment.ended()) return RunState::ended;
  switch (process.look([&segment] { return segment.lock(); })) {
    case Presence::running:
      return RunState::running;
    case Presence::stopped:
      return RunState::stopped;
    case Presence::hidden:
      return RunState::hidden;
    case Presence::unknown:
      return RunState::unknown;
    case Presence::gone:
      break;
  }
  return segment.ended() ? RunState::ended : RunState::dead;
}

// "eventspace.UID.SESSION.NODE.PROCESS.PID": a field, counted from the end, as written in the name. Empty if
// there are fewer fields.
std::string field_from_end(std::string name, int place) {
  for (; place > 0; --place) {
    const std::size_t dot = name.rfind('.');
    if (dot == std::string::npos) return {};
    name.resize(dot);
  }
  const std::size_t dot = name.rfind('.');
  return dot == std::string::npos ? std::string() : name.substr(dot + 1);
}

std::string process_in(const std::filesystem::path& file) {
  return field_from_end(session_files::segment_name_of(file), 1);
}
std::string node_in(const std::string& segment_name) { return field_from_end(segment_name, 2); }

}  // namespace

LocalSegments::LocalSegments(Config config)
    : config_(std::move(config)),
      dynamic_(config_.dynamic),
      looks_at_all_nodes_(config_.node.empty() || dynamic_.takes("")) {
  for (const std::string& node : config_.nodes_of_plan) {
    if (node != config_.node) other_nodes_.insert(session_files::escaped(node));
  }
}

const DynamicProcesses& LocalSegments::find_dynamic() {
  look_if_due();
  return dynamic_;
}

LocalSegments::Found LocalSegments::find(const std::string& process) {
  look_if_due();
  const Entry& entry = entries_[session_files::escaped(process)];
  const auto newest = entry.generations.newest();
  return {newest, newest->segment == nullptr && entry.refusal.empty() ? unreadable_ : entry.refusal};
}

LocalSegments::Since LocalSegments::find_since(const std::string& process, std::int64_t created_ns) {
  look_if_due();
  const std::string escaped = session_files::escaped(process);
  Entry& entry = entries_[escaped];
  Since since;
  // Holding the first of the older generations keeps all of them.
  std::tie(since.first, since.given_up) = add_older(entry, escaped, created_ns);
  while (since.first->newer != nullptr &&
         (since.first->segment == nullptr || since.first->segment->created_realtime_ns() < created_ns))
    since.first = since.first->newer;
  return since;
}

std::pair<std::shared_ptr<const Generation>, std::uint64_t> LocalSegments::add_older(
    Entry& entry, const std::string& escaped_process, std::int64_t created_ns) {
  std::shared_ptr<const Generation> oldest = entry.generations.oldest();
  if (oldest->segment == nullptr) return {oldest, 0};
  auto found = segments_between(escaped_process, created_ns, oldest->segment->created_realtime_ns());
  const std::uint64_t room =
      generations_kept - std::min<std::uint64_t>(
                             generations_kept, generations_between(*oldest, *entry.generations.newest()) + 1);
  std::uint64_t given_up = 0;
  for (; found.size() > room; ++given_up) found.erase(found.begin());
  for (auto segment = found.rbegin(); segment != found.rend(); ++segment)
    oldest = entry.generations.add_older(std::move(*segment));
  return {oldest, given_up};
}

// Returns the segments made in [from, to), oldest first. A refused segment is left out silently: it cannot
// belong to a run that was read before. If the directory cannot be read, returns none, so that reading
// continues with the known segments; an exception here would end the server.
std::vector<std::unique_ptr<SegmentView>> LocalSegments::segments_between(const std::string& escaped_process,
                                                                          std::int64_t from_ns,
                                                                          std::int64_t to_ns) {
  std::vector<std::unique_ptr<SegmentView>> found;
  for (const Files& files : files_now()) {
    if (process_in(files.first()) != escaped_process) continue;
    try {
      auto segment = std::make_unique<SegmentView>(files.open());
      const std::int64_t created = segment->created_realtime_ns();
      if (is_of_plan(*segment) && created >= from_ns && created < to_ns) found.push_back(std::move(segment));
    } catch (const Error&) {
    }
  }
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a->created_realtime_ns() < b->created_realtime_ns(); });
  return found;
}

SegmentView LocalSegments::Files::open() const {
  SegmentView view(first());
  for (std::size_t i = segment.empty() ? 1 : 0; i < annexes.size(); ++i) view.attach(annexes[i]);
  return view;
}

bool LocalSegments::Files::are_there() const {
  const auto is_there = [](const auto& file) { return SegmentView::File::at(file).has_value(); };
  return is_there(first()) && std::ranges::all_of(annexes, is_there);
}

// If a directory cannot be read, returns none and sets `unreadable_`. Searches segments first: a process
// makes its annexes before its segment, so that none is missed.
std::vector<LocalSegments::Files> LocalSegments::files_now() {
  unreadable_.clear();
  try {
    const std::string node = looks_at_all_nodes_ ? "" : config_.node;
    std::map<std::string, Files> runs;
    for (const auto& file : find_segments(config_.session, node, config_.directory))
      runs[session_files::segment_name_of(file)].segment = file;
    std::set<std::filesystem::path> directories(config_.annex_directories.begin(),
                                                config_.annex_directories.end());
    directories.insert(config_.directory);
    for (const auto& directory : directories) {
      for (const auto& file : find_annexes(config_.session, node, directory))
        runs[session_files::segment_name_of(file)].annexes.push_back(file);
    }
    if (looks_at_all_nodes_)
      std::erase_if(runs, [this](const auto& run) { return is_of_other_node(run.first); });
    std::vector<Files> found;
    found.reserve(runs.size());
    for (auto& [name, files] : runs) found.push_back(std::move(files));
    return found;
  } catch (const EnvironmentError& error) {
    unreadable_ = error.what();
    return {};
  }
}

bool LocalSegments::is_of_other_node(const std::string& segment_name) const {
  return !config_.node.empty() && other_nodes_.contains(node_in(segment_name));
}

void LocalSegments::look_if_due() {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_scan_) return;
  next_scan_ = now + config_.rescan;
  look();
}

void LocalSegments::look() {
  const auto now = std::chrono::steady_clock::now();
  {
    const std::lock_guard lock(states_mutex_);
    std::erase_if(states_, [now](const auto& known) { return known.second.until + states_kept <= now; });
  }
  const auto runs = files_now();
  if (!unreadable_.empty()) return;
  for (auto& [process, entry] : entries_) entry.refusal.clear();
  auto seen_before = std::exchange(seen_, {});
  for (const Files& files : runs) {
    const auto known = seen_before.find(files.first());
    if (known != seen_before.end() && known->second == SegmentView::File::at(files.first())) {
      seen_.insert(seen_before.extract(known));
    } else {
      consider(files);
    }
  }
  for (auto& [process, entry] : entries_) adopt(entry);
  if (!dynamic_.takes_any()) return;
  std::vector<std::filesystem::path> left;
  left.reserve(runs.size());
  for (const Files& files : runs) left.push_back(files.first());
  std::sort(left.begin(), left.end());
  dynamic_.keep_only(left);
}

std::unique_ptr<DirectoryWatch> LocalSegments::watch(std::function<void()> appeared) const {
  return std::make_unique<DirectoryWatch>(
      config_.directory, session_files::prefix(config_.session, looks_at_all_nodes_ ? "" : config_.node),
      std::move(appeared));
}

void LocalSegments::consider(const Files& files) {
  const std::filesystem::path& file = files.first();
  try {
    auto segment = std::make_unique<SegmentView>(files.open());
    if (!has_plan(*segment)) {
      const SegmentView::File opened = segment->file();
      if (dynamic_.add(std::move(segment))) seen_.emplace(file, opened);
      return;
    }
    const Rank rank = rank_of(*segment);
    // The process is just making its segment, or removing its files.
    if (files.segment.empty() && may_live(presence_of(segment->owner(), [&] { return segment->lock(); })))
      return;
    Entry& entry = entries_[session_files::escaped(segment->identity().process)];
    if (!is_of_plan(*segment)) {
      return refuse(entry, rank, fmt::format("segment {} was made from another pathmap", file.string()));
    }
    seen_.emplace(file, segment->file());
    propose(entry, {rank, std::move(segment)});
  } catch (const Error& error) {
    if (!files.are_there()) return;  // its process has ended since
    // Its age is unknown. It ranks below the segment of a running process, which cannot be this file.
    const Rank unknown{false, std::numeric_limits<std::int64_t>::max()};
    refuse(entries_[process_in(file)], unknown, error.what());
  }
}

// A plan's fingerprint is not 0. A reader without a plan does not compare fingerprints.
bool LocalSegments::has_plan(const SegmentView& segment) const noexcept {
  return segment.identity().fingerprint != 0 || config_.fingerprint == 0;
}

// A server's segment with the plain fingerprint is valid too: all numbers in it belong to the application.
bool LocalSegments::is_of_plan(const SegmentView& segment) const noexcept {
  const std::uint64_t fingerprint = segment.identity().fingerprint;
  return fingerprint == config_.fingerprint ||
         (config_.servers_fingerprint != 0 && fingerprint == config_.servers_fingerprint);
}

LocalSegments::Rank LocalSegments::rank_of(const SegmentView& segment) {
  const RunState state =
      segment.intact() ? ask_kernel(segment, ProcessSight(segment.owner())) : RunState::dead;
  return {may_live(state), segment.created_realtime_ns()};
}

// Killed processes may have left many files. Keeps only the segments open that a reader will need.
void LocalSegments::propose(Entry& entry, Candidate candidate) {
  const auto place = std::upper_bound(entry.candidates.begin(), entry.candidates.end(), candidate,
                                      [](const auto& a, const auto& b) { return a.rank < b.rank; });
  entry.candidates.insert(place, std::move(candidate));
  const bool awaited = entry.generations.awaited();
  if (entry.candidates.size() <= (awaited ? generations_kept + 1 : 1)) return;
  entry.candidates.erase(entry.candidates.begin());
  if (awaited) ++entry.skipped;
}

void LocalSegments::refuse(Entry& entry, Rank rank, std::string why) {
  if (!entry.refusal.empty() && rank < entry.refused) return;
  entry.refused = rank;
  entry.refusal = std::move(why);
}

void LocalSegments::adopt(Entry& entry) {
  std::uint64_t skipped = std::exchange(entry.skipped, 0);
  for (Candidate& candidate : std::exchange(entry.candidates, {})) {
    const SegmentView* const newest = entry.generations.newest()->segment.get();
    if (newest != nullptr && !(rank_of(*newest) < candidate.rank)) continue;
    entry.generations.add(std::move(candidate.segment), std::exchange(skipped, 0));
    const std::lock_guard lock(states_mutex_);
    states_.clear();  // the process of the older segment may have ended since the last query
  }
  const SegmentView* const newest = entry.generations.newest()->segment.get();
  if (!entry.refusal.empty() && newest != nullptr && entry.refused < rank_of(*newest)) entry.refusal.clear();
}

// A process with ids of another namespace does not become visible later.
LocalSegments::Seen LocalSegments::look_at(const SegmentView& segment) {
  constexpr std::chrono::milliseconds good_for{20};
  const auto now = std::chrono::steady_clock::now();
  if (segment.ended()) return {RunState::ended, nullptr};  // not by id: another process may have it now
  const ProcessIdentity owner = segment.owner();
  const std::lock_guard lock(states_mutex_);
  KnownState& known = states_[{owner.origin.boot, owner.origin.pid_namespace, owner.pid}];
  const bool same = known.seen.process != nullptr && known.start_ticks == owner.start_ticks;
  if (same && now < known.until) return known.seen;
  const bool may_be_found_now =
      same && known.seen.process->has_ids_of_here() && !known.seen.process->is_found();
  if (!same || may_be_found_now) known.seen.process = std::make_shared<const ProcessSight>(owner);
  known.start_ticks = owner.start_ticks;
  known.seen.state = ask_kernel(segment, *known.seen.process);
  known.until = now + good_for;
  return known.seen;
}

}  // namespace eventspace
