#include "monitors/profile/job_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <functional>

#include "collectors/event_record.h"
#include "collectors/mpi/mpi_calls.h"
#include "collectors/mpi/mpi_text.h"
#include "monitors/mpi/message_parts.h"
#include "monitors/text/code_places.h"
#include "scopes/tree/own_numbers.h"
#include "scopes/tree/view_events.h"
#include "scopes/wrappers/record_processes.h"
#include "tuplespace/system/saturating.h"

namespace eventspace {
namespace {

using std::chrono::nanoseconds;

// The numbers of paths as functions of MessageWaits, beside those of MPI.
constexpr std::uint32_t first_path_function = 1u << 16;

bool is_phase_call(const MpiCallRecord& call) {
  static const std::uint16_t number = [] {
    const auto names = mpi_call_names();
    return static_cast<std::uint16_t>(std::ranges::find(names, "MPI_Pcontrol") - names.begin());
  }();
  return call.call == number;
}

template <class Row, class Weight>
void sort_by(std::vector<Row>& rows, Weight weight) {
  std::ranges::stable_sort(rows, std::greater(), weight);
}

}  // namespace

template <class Map, class Key>
typename Map::mapped_type* JobProfile::entry_of(Map& map, const Key& key) {
  if (map.size() >= most_entries && !map.contains(key)) {
    ++left_out_;
    return nullptr;
  }
  return &map[key];
}

void JobProfile::add(const View& view) {
  RecordProcesses processes(*names_);
  processes.learn(view);
  choose_points(view);
  for_each_event(view.records.whole(), [&](std::span<const TraceTuple> event) {
    const RecordHeader header = header_of(event.back());
    if (header.in_flight() || header.is_continuation()) return;
    if (header.kind != mpi_kind && header.kind != operation_kind) return;
    if (header.kind == operation_kind && points_.at(header.path) != header.point) return;
    const ProcessReport* const process = processes.of(header);
    if (process != nullptr) add_event(event, *process, process->process);
  });
}

// An operation that is recorded at several points of its path counts once, at the first.
void JobProfile::choose_points(const View& view) {
  for (const TraceTuple& tuple : view.records) {
    const RecordHeader header = header_of(tuple);
    if (header.kind != operation_kind) continue;
    const auto [point, is_new] = points_.try_emplace(header.path, header.point);
    if (!is_new) point->second = std::min(point->second, header.point);
  }
}

void JobProfile::add_event(std::span<const TraceTuple> event, const ProcessReport& process,
                           std::uint32_t number) {
  const RecordHeader header = header_of(event.back());
  const double ns = process.clock.ns_between(header.start, header.end);
  const nanoseconds duration = std::max(nanoseconds(saturating::round(ns)), nanoseconds(0));
  ThreadSum* const thread = entry_of(threads_, header.thread);
  if (thread == nullptr) return;
  if (thread->calls++ == 0) thread->first = thread->phase_began = header.start;
  if (header.kind == mpi_kind && is_phase_call(mpi_call_of(event.back())))
    begin_phase(*thread, header, mpi_call_of(event.back()).tag, process);
  thread->process = number;
  thread->in_calls += duration;
  extend(*thread, header, process);
  PhaseSum* const phase = phase_of(header.thread, thread->phase);
  if (phase == nullptr) return;
  ++phase->calls;
  phase->in_calls += duration;
  ++events_;
  if (header.kind == mpi_kind) {
    add_call(event, number, phase->number, duration);
  } else {
    add_operation(event.back(), phase->number, duration);
  }
}

void JobProfile::extend(ThreadSum& thread, const RecordHeader& header, const ProcessReport& process) {
  thread.first = std::min(thread.first, header.start);
  thread.last = std::max(thread.last, header.end);
  thread.span = nanoseconds(saturating::round(process.clock.ns_between(thread.first, thread.last)));
  thread.of_phase = nanoseconds(saturating::round(process.clock.ns_between(thread.phase_began, thread.last)));
}

void JobProfile::begin_phase(ThreadSum& thread, const RecordHeader& header, std::uint32_t phase,
                             const ProcessReport& process) {
  if (PhaseSum* const before = phase_of(header.thread, thread.phase))
    before->span +=
        nanoseconds(saturating::round(process.clock.ns_between(thread.phase_began, header.start)));
  thread.phase = phase;
  thread.phase_began = header.start;
}

JobProfile::PhaseSum* JobProfile::phase_of(std::uint32_t thread, std::uint32_t phase) {
  const auto before = static_cast<std::uint32_t>(phases_.size());
  PhaseSum* const sum = entry_of(phases_, PhaseKey{thread, phase});
  if (phases_.size() > before) sum->number = before;
  return sum;
}

// --- calls of MPI -------------------------------------------------------------------------------------

void JobProfile::add_call(std::span<const TraceTuple> event, std::uint32_t number, std::uint32_t waiting,
                          nanoseconds duration) {
  const RecordHeader header = header_of(event.back());
  const MpiCallRecord call = mpi_call_of(event.back());
  const std::uint32_t site = site_in_scope(header.thread, call.site);
  add_to_call({name_of_mpi_call(call.call), short_place(names_->site_name(site))}, duration, call.bytes);
  if (!call.is_whole()) return;
  if (call.of == MpiClass::collective) {
    add_size(Sort::collective, call.bytes);
    if (!is_immediate(call)) waits_.add({.waiting = waiting}, call.call, call.bytes, duration);
  }
  const auto rank = rank_in_name(names_->process_name(number));
  if (!rank) return;
  if (const auto message = message_call(reader_, *rank, event))
    waits_.add({.waiting = waiting}, call.call, message->bytes, duration);
  add_messages(event, *rank);
}

void JobProfile::add_messages(std::span<const TraceTuple> event, std::uint32_t rank) {
  const MpiCallRecord call = mpi_call_of(event.back());
  if (call.of == MpiClass::send) add_sent(rank, call);
  if (call.of != MpiClass::start) return;
  for (const MpiCallRecord& request : mpi_requests_of(event).awaited)
    if (request.of == MpiClass::send) add_sent(rank, request);
}

void JobProfile::add_sent(std::uint32_t rank, const MpiCallRecord& message) {
  if (message.has(MpiWildcards::null_process) || message.error != 0) return;
  add_size(Sort::message, message.bytes);
  const auto to = reader_.partner_of(rank, message);
  if (!to) {
    ++left_out_;
    return;
  }
  if (Amount* const amount = entry_of(flows_, FlowKey{true, rank, *to, message.communicator})) {
    ++amount->count;
    amount->bytes += message.bytes;
  }
}

// --- operations on paths --------------------------------------------------------------------------------

void JobProfile::add_operation(const TraceTuple& tuple, std::uint32_t waiting, nanoseconds duration) {
  const EventRecord record = decode(tuple);
  add_to_call({fmt::format("{} {}", to_string(record.verb), names_->path_name(record.path)), ""}, duration,
              record.bytes);
  waits_.add({.waiting = waiting}, first_path_function + record.path, record.bytes, duration);
  if (record.status != Status::ok) return;
  const bool is_collective = record.verb == Verb::exchange;
  if (is_collective || record.verb == Verb::write)
    add_size(is_collective ? Sort::collective : Sort::tuple, record.bytes);
  if (record.verb != Verb::write || record.peer == no_peer) return;
  if (Amount* const amount = entry_of(flows_, FlowKey{false, record.thread, record.peer, record.path})) {
    ++amount->count;
    amount->bytes += record.bytes;
  }
}

void JobProfile::add_to_call(const CallKey& key, nanoseconds duration, std::uint64_t bytes) {
  CallSum* const sum = entry_of(calls_, key);
  if (sum == nullptr) return;
  ++sum->calls;
  sum->time += duration;
  sum->longest = std::max(sum->longest, duration);
  sum->bytes += bytes;
}

void JobProfile::add_size(Sort sort, std::uint64_t bytes) {
  Amount& amount = sizes_[{sort, static_cast<int>(std::bit_width(bytes))}];
  ++amount.count;
  amount.bytes += bytes;
}

// --- results --------------------------------------------------------------------------------------------

// By the numbers of phases.
std::map<std::uint32_t, nanoseconds> JobProfile::waited() const {
  std::map<std::uint32_t, nanoseconds> waited;
  for (const auto& [pair, sum] : waits_.sums()) waited[pair.waiting] += sum.waited;
  return waited;
}

std::vector<JobProfile::Thread> JobProfile::threads() const {
  auto waited_in = waited();
  std::map<std::uint32_t, nanoseconds> waited_by;
  for (const auto& [key, sum] : phases_) waited_by[key.thread] += waited_in[sum.number];
  std::vector<Thread> all;
  for (const auto& [number, sum] : threads_) {
    all.push_back({std::string(names_->thread_name(number)),
                   std::string(names_->node_of_process(sum.process)), "", sum.calls, sum.span, sum.in_calls,
                   waited_by[number]});
  }
  sort_by(all, [](const Thread& thread) { return thread.waiting; });
  return all;
}

std::vector<JobProfile::Thread> JobProfile::phases() const {
  if (phases_.size() <= threads_.size()) return {};
  auto waited_in = waited();
  std::vector<Thread> all;
  for (const auto& [key, sum] : phases_) {
    if (sum.calls == 0) continue;
    const ThreadSum& thread = threads_.at(key.thread);
    const nanoseconds span = sum.span + (thread.phase == key.phase ? thread.of_phase : nanoseconds(0));
    all.push_back({std::string(names_->thread_name(key.thread)),
                   std::string(names_->node_of_process(thread.process)),
                   key.phase == no_phase ? "-" : std::to_string(key.phase), sum.calls, span, sum.in_calls,
                   waited_in[sum.number]});
  }
  sort_by(all, [](const Thread& thread) { return thread.waiting; });
  return all;
}

std::string JobProfile::name_of(const FlowKey& key, std::uint32_t end) const {
  return key.is_mpi ? fmt::format("rank {}", end) : std::string(names_->thread_name(end));
}

std::vector<JobProfile::Flow> JobProfile::flows() const {
  std::vector<Flow> all;
  for (const auto& [key, amount] : flows_) {
    const std::string_view over =
        key.is_mpi ? names_->communicator_name(key.over) : names_->path_name(key.over);
    all.push_back(
        {name_of(key, key.from), name_of(key, key.to), std::string(over), amount.count, amount.bytes});
  }
  sort_by(all, [](const Flow& flow) { return flow.bytes; });
  return all;
}

std::vector<JobProfile::Size> JobProfile::sizes() const {
  static constexpr std::array<std::string_view, 3> words{"message", "collective operation", "tuple"};
  std::vector<Size> all;
  for (const auto& [key, amount] : sizes_) {
    const auto& [sort, bits] = key;
    const std::uint64_t least = bits == 0 ? 0 : std::uint64_t{1} << (bits - 1);
    all.push_back({words[static_cast<std::size_t>(sort)], least, bits == 0 ? 0 : least + (least - 1),
                   amount.count, amount.bytes});
  }
  return all;
}

std::vector<JobProfile::CallSum> JobProfile::calls() const {
  std::vector<CallSum> all;
  for (const auto& [key, sum] : calls_) {
    all.push_back(sum);
    all.back().call = key.call;
    all.back().site = key.site;
  }
  sort_by(all, [](const CallSum& call) { return call.time; });
  return all;
}

}  // namespace eventspace
