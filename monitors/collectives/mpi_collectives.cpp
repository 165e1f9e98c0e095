#include "monitors/collectives/mpi_collectives.h"

#include <fmt/format.h>

#include <algorithm>

#include "collectors/mpi/mpi_text.h"
#include "monitors/mpi/message_parts.h"
#include "monitors/text/code_places.h"
#include "paths/parameters/glob.h"
#include "scopes/tree/local_ids.h"
#include "scopes/tree/view_events.h"
#include "tuplespace/system/saturating.h"

namespace eventspace {
namespace {

constexpr std::size_t max_open_calls = 65536;

bool may_run(RunState state) noexcept { return state != RunState::stopped && may_live(state); }

}  // namespace

MpiCollectives::MpiCollectives(const PlanNames& names, std::vector<std::string> only,
                               CollectiveAnalysis::Config config)
    : names_(&names),
      only_(std::move(only)),
      config_(config),
      communicators_(names),
      reader_(communicators_),
      matched_(reader_) {}

std::vector<WatchedCollectives::Operation> MpiCollectives::observe(const View& view, Time at) {
  std::vector<Operation> told;
  const Reports reports = reports_in(view);
  if (begins_run(reports)) {  // the last events of the previous run come with the first events of this run
    add_all(view, reports);
    settle(at, told);
  }
  follow_runs(reports, told);
  add_all(view, reports);
  for (const ProcessReport& process : view.processes) run_time_.see_process(process);
  settle(at, told);
  return told;
}

void MpiCollectives::add_all(const View& view, const Reports& reports) {
  for_each_event(view.records.whole(), [&](std::span<const TraceTuple> event) { add(event, reports); });
}

MpiCollectives::Ranks MpiCollectives::ranks() const {
  Ranks ranks;
  for (const auto& [rank, process] : process_of_rank_) ranks.seen.add(rank);
  for (const std::uint32_t rank : finalized_) ranks.finalized.add(rank);
  return ranks;
}

void MpiCollectives::observe_under_way(const View& newest) {
  const Reports reports = reports_in(newest);
  for (const auto& [process, report] : reports) {
    const auto rank = rank_of(process);
    if (rank && may_run(report->state)) name_node(process_of_rank_.try_emplace(*rank, process));
  }
  for_each_event(newest.records.whole(), [&](std::span<const TraceTuple> event) {
    if (header_of(event.back()).in_flight()) add(event, reports);
  });
  for (const auto& collective : collectives_) collective->analysis.place_under_way();
}

// Processes of spawned jobs have none.
std::optional<std::uint32_t> MpiCollectives::rank_of(std::uint32_t process) const {
  const auto member = names_->member_of_process(process);
  return member ? member->first_job_rank() : std::nullopt;
}

MpiCollectives::Reports MpiCollectives::reports_in(const View& view) {
  Reports latest;
  for (const ProcessReport& report : view.processes) {
    const ProcessReport*& known = latest[report.process];
    if (known == nullptr || report.start_ticks >= known->start_ticks) known = &report;
  }
  return latest;
}

bool MpiCollectives::begins_run(const Reports& reports) const {
  return std::ranges::any_of(reports, [this](const auto& entry) {
    const auto rank = rank_of(entry.first);
    if (!rank || !may_run(entry.second->state)) return false;
    const auto known = process_of_rank_.find(*rank);
    return known != process_of_rank_.end() && known->second != entry.first;
  });
}

// A rank that is another process now belongs to another run, which numbers its operations from 1 again.
void MpiCollectives::follow_runs(const Reports& reports, std::vector<Operation>& told) {
  const bool is_new_run = begins_run(reports);
  for (const auto& [process, report] : reports) {
    const auto rank = rank_of(process);
    if (rank && may_run(report->state)) name_node(process_of_rank_.insert_or_assign(*rank, process));
  }
  if (!is_new_run) return;
  ++runs_;
  begin_anew(told);
  calls_.clear();
  finalized_.clear();
  matched_ = MatchedMessages(reader_);
}

void MpiCollectives::add(std::span<const TraceTuple> event, const Reports& reports) {
  const RecordHeader header = header_of(event.back());
  if (header.kind != mpi_kind || header.is_continuation() || !is_local_id(header.thread)) return;
  const std::uint32_t number = process_of_local_id(header.thread);
  const auto process = reports.find(number);
  const auto rank = rank_of(number);
  if (!rank && !header.in_flight() && names_->member_of_process(number)) ++calls_of_other_jobs_;
  if (process == reports.end() || !rank) return;
  const auto known = process_of_rank_.try_emplace(*rank, number);
  name_node(known);
  if (known.first->second != number) return;  // of another run
  run_time_.see_event(*process->second, header.start);
  if (!header.in_flight()) run_time_.see_event(*process->second, header.end);
  const MpiCallRecord call = mpi_call_of(event.back());
  const std::uint32_t node = node_number(names_->node_of_process(number));
  if (!header.in_flight()) matched_.add(*rank, event, *process->second, node);
  if (!call.is_whole()) return;
  if (!header.in_flight()) add_message(*rank, event, *process->second);
  if (!header.in_flight() && name_of_mpi_call(call.call) == "MPI_Finalize") finalized_.insert(*rank);
  if (call.of != MpiClass::collective || call.ordinal == 0) return;
  const auto collective = collective_of(call.communicator);
  if (!collective) {
    const bool is_unchosen = by_communicator_.contains(call.communicator);
    left_out_ += header.in_flight() || is_unchosen ? 0 : 1;
    return;
  }
  const auto edge = collectives_[*collective]->shape.edge_of_path.find(*rank);
  if (edge == collectives_[*collective]->shape.edge_of_path.end()) return;
  EdgeRecord record;
  record.edge = edge->second;
  record.operation = call.ordinal;
  record.start = Moment::of(header.start, *process->second, node);
  if (!header.in_flight()) {
    record.end = Moment::of(header.end, *process->second, node);
    if (calls_.size() >= max_open_calls) calls_.erase(calls_.begin());
    calls_[{*collective, call.ordinal}][edge->second] = {call.call, site_in_scope(header.thread, call.site)};
  }
  record.failed = record.end && call.error != 0;
  collectives_[*collective]->analysis.add(record);
}

void MpiCollectives::add_message(std::uint32_t rank, std::span<const TraceTuple> event,
                                 const ProcessReport& process) {
  const auto message = message_call(reader_, rank, event);
  if (!message) return;
  const RecordHeader header = header_of(event.back());
  const double ns = process.clock.ns_between(header.start, header.end);
  messages_.add(message->pair, mpi_call_of(event.back()).call, message->bytes,
                std::max(std::chrono::nanoseconds(saturating::round(ns)), std::chrono::nanoseconds(0)));
}

bool MpiCollectives::is_chosen(std::string_view communicator) const {
  return only_.empty() || std::ranges::any_of(only_, [&](const std::string& glob) {
           return glob == communicator || glob_match(glob, communicator);
         });
}

std::optional<std::size_t> MpiCollectives::collective_of(std::uint32_t communicator) {
  if (const auto known = by_communicator_.find(communicator); known != by_communicator_.end())
    return known->second;
  const JobCommunicators::Members* const members = communicators_.find(communicator);
  if (members == nullptr || collectives_.size() >= most) return std::nullopt;
  auto& place = by_communicator_[communicator];
  if (!is_chosen(names_->communicator_name(communicator))) return place;
  place = collectives_.size();
  collectives_.push_back(
      std::make_unique<Collective>(CollectiveIndex(static_cast<std::uint32_t>(collectives_.size())),
                                   shape_of(communicator, members->ranks), config_));
  return place;
}

CollectiveShape MpiCollectives::shape_of(std::uint32_t communicator, const RankSet& ranks) const {
  CollectiveShape shape;
  shape.name = names_->communicator_name(communicator);
  shape.can_leave_early = true;
  shape.joints.push_back({.name = shape.name, .node = ""});  // the node of the first rank
  for (const std::uint32_t rank : ranks.ranks()) {
    const auto process = process_of_rank_.find(rank);
    const std::string_view node =
        process == process_of_rank_.end() ? "?" : names_->node_of_process(process->second);
    if (shape.edges.empty()) shape.joints.front().node = node;
    shape.edge_of_path.emplace(rank, shape.edges.size());
    shape.joints.front().edges.push_back(shape.edges.size());
    shape.edges.push_back(
        {.name = fmt::format("rank {}", rank), .node = std::string(node), .at_joint = false});
  }
  return shape;
}

// A recording, or a view without some processes, has operations on a communicator before it has all its
// ranks.
void MpiCollectives::name_node(std::pair<ProcessOfRank::iterator, bool> rank) {
  if (!rank.second) return;  // it was known
  const auto& [number, process] = *rank.first;
  for (const auto& collective : collectives_) {
    CollectiveShape& shape = collective->shape;
    const auto edge = shape.edge_of_path.find(number);
    if (edge == shape.edge_of_path.end()) continue;
    shape.edges[edge->second].node = names_->node_of_process(process);
    if (edge->second == 0) shape.joints.front().node = shape.edges[0].node;
  }
}

std::uint32_t MpiCollectives::node_number(std::string_view node) {
  const auto known = nodes_.find(node);
  if (known != nodes_.end()) return known->second;
  return nodes_.emplace(node, static_cast<std::uint32_t>(nodes_.size())).first->second;
}

void MpiCollectives::name_call(Operation& operation) {
  const auto calls = calls_.find({operation.collective, operation.report.number});
  if (calls == calls_.end()) return;
  const auto& candidates = operation.report.last.candidates;
  const auto last = candidates.empty() ? calls->second.begin() : calls->second.find(candidates.front());
  if (last != calls->second.end())
    operation.call = {name_of_mpi_call(last->second.function),
                      short_place(names_->site_name(last->second.site))};
  calls_.erase(calls);
}

std::map<MessageWaits::Pair, MpiCollectives::MessageWait> MpiCollectives::message_waits() const {
  std::map<MessageWaits::Pair, MessageWait> all;
  if (matched_.is_exact()) {
    for (const auto& [pair, sum] : matched_.sums())
      all[pair] = {sum.messages, sum.waited, sum.error, sum.unclear};
  } else {
    for (const auto& [pair, sum] : messages_.sums()) all[pair] = {sum.calls, sum.waited};
  }
  return all;
}

}  // namespace eventspace
