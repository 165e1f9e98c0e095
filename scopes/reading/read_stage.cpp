#include "scopes/reading/read_stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <unordered_map>
#include <unordered_set>

#include "scopes/reading/fair_shares.h"
#include "scopes/reading/look_back.h"
#include "scopes/reading/process_clock.h"

namespace eventspace {
namespace {

Missing without_number(std::uint64_t processes) {
  return {{},
          "processes without a plan",
          MissingCause::refused,
          fmt::format("{} of them found no free number: too many were started", processes),
          0};
}

}  // namespace

ReadStage::ReadStage(const Sources& sources, ReadMode mode, LocalSegments& segments, const PlanNames& names,
                     const std::vector<ReadPosition>& resume)
    : mode_(mode), segments_(&segments), names_(&names), dynamic_(sources.dynamic) {
  std::unordered_map<std::uint32_t, std::size_t> places;  // peers choose how many processes there are
  for (const SourceRef& source : sources.planned) {
    const auto [place, is_new] = places.try_emplace(source.process, processes_.size());
    if (is_new) processes_.emplace_back(source.process, segments, names, mode.probes);
    processes_[place->second].sources().add(source.trace);
  }
  planned_ = processes_.size();
  for (const ReadPosition& position : resume) {
    if (const auto place = places.find(position.process); place != places.end())
      processes_[place->second].resume_after(position);
    if (!dynamic_.has(position.process)) continue;
    resume_.emplace(position.process, position);
    segments.prefer_number(position.process, {position.pid, position.created_ns});
  }
}

// The processes of the plan stay; the others come and go.
void ReadStage::follow_dynamic() {
  if (dynamic_.count == 0) return;
  const DynamicProcesses& found = segments_->find_dynamic();
  refused_ = found.refused();
  if (seen_version_ != found.version()) update_dynamic(found);
  seen_version_ = found.version();
  drop_dynamic();
}

void ReadStage::update_dynamic(const DynamicProcesses& found) {
  std::unordered_set<const Generation*> listed;
  for (const DynamicProcess& process : found.list()) listed.insert(process.run.get());
  for (std::size_t i = planned_; i < processes_.size(); ++i) {
    FollowedProcess& process = processes_[i];
    process.set_listed(listed.erase(process.named().dynamic()->run.get()) > 0);
  }
  for (const DynamicProcess& process : found.list()) {
    if (dynamic_.has(process.number) && listed.contains(process.run.get())) add_dynamic(process);
  }
}

void ReadStage::add_dynamic(const DynamicProcess& process) {
  FollowedProcess& added = processes_.emplace_back(process, *segments_, *names_);
  const SegmentView& segment = *process.run->segment;
  const auto of_process = resume_.equal_range(process.number);
  for (auto at = of_process.first; at != of_process.second; ++at) {
    const ReadPosition& position = at->second;
    const bool is_same_run =
        position.pid == segment.pid() && position.created_ns == segment.created_realtime_ns();
    if (is_same_run) added.resume_after(position);
  }
}

// A scope of unread events reads an ended process to its end.
void ReadStage::drop_dynamic() {
  const auto stays = [this](FollowedProcess& process) {
    return process.is_listed() || (mode_.next && !process.is_over());
  };
  const auto first = processes_.begin() + static_cast<std::ptrdiff_t>(planned_);
  const auto dropped = std::stable_partition(first, processes_.end(), stays);
  if (mode_.next)
    std::transform(dropped, processes_.end(), std::back_inserter(over_),
                   [](const FollowedProcess& process) { return process.named().number(); });
  processes_.erase(dropped, processes_.end());
}

void ReadStage::begin(Operation& operation) {
  operation.status = Status::under_way;
  const bool arrived = transaction_.begin(pull_of(operation));
  for (FollowedProcess& process : processes_) {
    if (mode_.next) {
      process.settle(arrived);
    } else {
      process.settle_news(arrived);
    }
  }
  if (arrived) over_.clear();
  follow_dynamic();
  for (FollowedProcess& process : processes_) {
    if (mode_.next) {
      process.find_unread();
    } else {
      process.find_newest();
    }
  }
}

void ReadStage::finish(Operation& operation) {
  read(pull_of(operation));
  operation.status = Status::ok;
}

void ReadStage::read(Pull& pull) {
  pull.view.clear();
  // Before the other positions: another process may now have the number of an ended one.
  for (const std::uint32_t process : over_)
    pull.view.positions.push_back(ReadPosition::of_ended_process(process));
  std::vector<FollowedProcess*> readable;
  for (FollowedProcess& process : processes_) {
    if (process.check()) readable.push_back(&process);
  }
  if (mode_.next) {
    for (FollowedProcess* const process : readable) look_back(*process, pull);
    share_out(readable);
  } else {
    make_room(readable, pull);
  }
  for (FollowedProcess& process : processes_) read(process, pull);
  if (refused_ > 0) pull.view.missing.push_back(without_number(refused_));
}

// Reserves memory for one event of each source and one operation in flight of each thread.
void ReadStage::make_room(const std::vector<FollowedProcess*>& readable, Pull& pull) const {
  std::size_t newest = 0;
  for (const FollowedProcess* const process : readable)
    newest += process->sources().size() + process->sources().threads().size();
  if (pull.ahead != nullptr) newest = std::min(newest, 2 * RecordsAhead::worth_taking);
  pull.view.records.own().reserve(newest);
}

// Has no effect if the generation was followed from an earlier one: all its events are unread.
void ReadStage::look_back(FollowedProcess& process, Pull& pull) const {
  if (pull.look_back == std::chrono::nanoseconds::max()) return;
  const ClockCalibration& clock = process.segment().clock();
  const std::uint64_t now = ticks_now(clock, segments_->clock(), clock_shift_of(process.segment()));
  const std::uint64_t ticks = ticks_before(clock, now, pull.look_back);
  for (TraceCursor& cursor : process.sources().cursors()) cursor.look_back_to(ticks, pull.view.loss);
}

void ReadStage::share_out(const std::vector<FollowedProcess*>& readable) const {
  std::vector<TraceCursor*> cursors;
  std::vector<std::uint64_t> wanted;
  for (FollowedProcess* const process : readable) {
    for (TraceCursor& cursor : process->sources().cursors()) {
      if (cursor.found() == nullptr) continue;
      cursor.set_share(mode_.batch);
      cursors.push_back(&cursor);
      wanted.push_back(std::min<std::uint64_t>(cursor.unread(), mode_.batch));
    }
  }
  if (mode_.most == 0) return;
  const std::size_t first = transaction_.pull() % std::max<std::size_t>(1, cursors.size());
  const auto shares = fair_shares(wanted, mode_.most, first);
  for (std::size_t i = 0; i < cursors.size(); ++i) cursors[i]->set_share(shares[i]);
}

void ReadStage::read(FollowedProcess& process, Pull& pull) const {
  process.report_missing(pull.view);
  if (process.is_readable()) {
    pull.view.sources_read += process.sources().found();
    // Read before the events, so that an operation that ends in between is in this view or a later one, and
    // not missed.
    std::vector<TraceTuple> in_flight;
    if (mode_.next && pull.with_in_flight) in_flight = process.sources().in_flight();
    if (mode_.next) {
      process.read_unread(pull);
    } else {
      process.sources().read_newest(pull);
    }
    process.report_process(pull, pull.view);
    pull.view.processes.back().in_flight = std::move(in_flight);
    process.report_names(pull.view);
  }
  if (mode_.next) {
    process.report_positions(pull.view);
  } else {
    process.release();
  }
}

}  // namespace eventspace
