#include "monitors/mpi/job_graph.h"

#include <algorithm>

namespace eventspace {
namespace {

bool cannot_go_on(JobProcess process) noexcept {
  return process == JobProcess::stopped || process == JobProcess::dead || process == JobProcess::unseen;
}

bool awaits_itself(const JobCall& call, std::uint32_t rank) {
  return std::ranges::any_of(call.awaits, [&](const AwaitedPart& part) { return part.partner == rank; });
}

}  // namespace

JobGraph::JobGraph(const JobLook& look, std::chrono::nanoseconds settled) : look_(&look), settled_(settled) {
  add_rank_nodes();
  for (std::uint32_t rank = 0; rank < look.ranks.size(); ++rank) add_waits(rank);
  finish_operations();
}

bool JobGraph::is_waiting(const JobThread& thread) const {
  return thread.in_flight && !thread.in_flight->awaits.empty() && thread.in_flight->age >= settled_;
}

void JobGraph::add_rank_nodes() {
  for (std::uint32_t rank = 0; rank < look_->ranks.size(); ++rank) {
    const auto& threads = look_->ranks[rank].threads;
    const bool needs_any = threads.size() > 1 ||
                           (threads.size() == 1 && threads[0].in_flight && threads[0].in_flight->needs_any);
    rank_nodes_.push_back(needs_any ? graph_.add_needing_any() : graph_.add());
    ranks_.emplace(rank_nodes_.back(), rank);
  }
}

// A process that is stopped, dead or has ended does not wait, whatever its call. A thread that awaits a
// message of its own rank gets its own node, so this forms a circle like others.
void JobGraph::add_waits(std::uint32_t rank) {
  const JobRank& state = look_->ranks[rank];
  if (cannot_go_on(state.process) || state.process == JobProcess::ended) return;
  const bool is_single = state.threads.size() == 1;
  if (is_single && !is_waiting(state.threads[0])) return;
  if (is_single && !awaits_itself(*state.threads[0].in_flight, rank))
    return add_waits(rank_nodes_[rank], rank, *state.threads[0].in_flight);
  // A thread that does not wait may still end the waits of others for this rank.
  if (!std::ranges::all_of(state.threads, [this](const JobThread& thread) { return is_waiting(thread); }))
    return;
  for (const JobThread& thread : state.threads) {
    const std::size_t node = thread.in_flight->needs_any ? graph_.add_needing_any() : graph_.add();
    graph_.add_wait(rank_nodes_[rank], node);
    add_waits(node, rank, *thread.in_flight);
  }
}

void JobGraph::add_waits(std::size_t from, std::uint32_t rank, const JobCall& call) {
  for (const AwaitedPart& part : call.awaits) {
    if (part.what == AwaitedPart::What::collective) {
      graph_.add_wait(from, node_of_operation(part.operation));
      present_[part.operation].add(rank);
    } else if (!part.partner) {
      graph_.add_wait(from, node_of_any(part.communicator));
    } else if (*part.partner < rank_nodes_.size()) {
      graph_.add_wait(from, rank_nodes_[*part.partner]);
    }
  }
}

std::size_t JobGraph::node_of_operation(const JobOperation& operation) {
  const auto [known, is_new] = operations_.try_emplace(operation);
  if (is_new) {
    known->second = graph_.add();
    operation_nodes_.emplace(known->second, operation);
  }
  return known->second;
}

std::size_t JobGraph::node_of_any(std::uint32_t communicator) {
  const auto [known, is_new] = any_nodes_.try_emplace(communicator);
  if (!is_new) return known->second;
  known->second = graph_.add_needing_any();
  const auto members = look_->members.find(communicator);
  if (members == look_->members.end()) return known->second;
  for (const std::uint32_t rank : members->second.ranks())
    if (rank < rank_nodes_.size()) graph_.add_wait(known->second, rank_nodes_[rank]);
  return known->second;
}

void JobGraph::finish_operations() {
  for (const auto& [operation, node] : operations_) {
    const auto members = look_->members.find(operation.communicator);
    if (members == look_->members.end()) continue;
    const RankSet& present = present_[operation];
    for (const std::uint32_t rank : members->second.ranks()) {
      if (rank < rank_nodes_.size() && is_awaited_in(operation, present, rank))
        graph_.add_wait(node, rank_nodes_[rank]);
    }
  }
}

// A rank that has begun the operation and left it is not awaited; for example, it was the root of a Bcast.
bool JobGraph::is_awaited_in(const JobOperation& operation, const RankSet& present,
                             std::uint32_t rank) const {
  if (cannot_go_on(look_->ranks[rank].process)) return true;
  if (present.contains(rank)) return false;
  const auto begun = look_->begun.find({rank, operation.communicator, operation.function});
  return begun == look_->begun.end() || operation.number == 0 || begun->second < operation.number;
}

std::optional<std::uint32_t> JobGraph::rank_at(std::size_t node) const {
  const auto found = ranks_.find(node);
  return found == ranks_.end() ? std::nullopt : std::optional(found->second);
}

const JobOperation* JobGraph::operation_at(std::size_t node) const {
  const auto found = operation_nodes_.find(node);
  return found == operation_nodes_.end() ? nullptr : &found->second;
}

const RankSet& JobGraph::present_in(const JobOperation& operation) const {
  static const RankSet none;
  const auto found = present_.find(operation);
  return found == present_.end() ? none : found->second;
}

}  // namespace eventspace
