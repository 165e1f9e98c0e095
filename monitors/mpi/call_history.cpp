#include "monitors/mpi/call_history.h"

#include <algorithm>

namespace eventspace {

void CallHistory::add(std::uint32_t rank, std::span<const TraceTuple> event, std::int64_t began_ns,
                      std::int64_t ended_ns) {
  const MpiCallRecord record = mpi_call_of(event.back());
  if (!record.is_whole()) return;
  const JobCall call = reader_->read(rank, event);
  if (call.of == MpiClass::manage && begun_.size() < max_entries)
    ++begun_[{rank, call.communicator, counted_as(call.function)}];
  see(rank, call);
  if (call.of == MpiClass::window && record.error == 0)
    windows_.add(rank, reader_->read_epoch(rank, event), began_ns, ended_ns);
  add_messages(rank, event, record);
}

void CallHistory::see(std::uint32_t rank, const JobCall& call) {
  if (call.of != MpiClass::collective || call.ordinal == 0) return;
  if (begun_.size() >= max_entries) return;
  std::uint32_t& newest = begun_[{rank, call.communicator, std::uint16_t{0}}];
  newest = std::max(newest, call.ordinal);
  keep(rank, call);
}

// Only the newest operations of a communicator are kept, whichever rank is ahead.
void CallHistory::keep(std::uint32_t rank, const JobCall& call) {
  const auto end = calls_.lower_bound({call.communicator, 0, ~std::uint32_t{0}});
  const bool has_some = end != calls_.begin() && std::prev(end)->first.communicator == call.communicator;
  const std::uint32_t newest = has_some ? std::prev(end)->first.number : 0;
  if (call.ordinal + operations_kept <= newest || calls_.size() >= max_entries) return;
  calls_[{call.communicator, 0, call.ordinal}].insert_or_assign(rank, call);
  for (auto oldest = calls_.lower_bound({call.communicator, 0, 0});
       oldest->first.number + operations_kept <= std::max(newest, call.ordinal);)
    oldest = calls_.erase(oldest);
}

void CallHistory::add_messages(std::uint32_t rank, std::span<const TraceTuple> event,
                               const MpiCallRecord& call) {
  if (call.error != 0) return;
  if (call.of == MpiClass::send) add_sent(rank, call);
  if (call.of == MpiClass::receive && !is_immediate(call)) add_received(rank, call);
  if (call.of != MpiClass::complete && call.of != MpiClass::send && call.of != MpiClass::start) return;
  const MpiRequests requests = mpi_requests_of(event);
  if (call.of == MpiClass::start) {
    for (const MpiCallRecord& request : requests.awaited)
      if (request.of == MpiClass::send) add_sent(rank, request);
  } else {
    for (const MpiCallRecord& request : requests.completed)
      if (request.of == MpiClass::receive) add_received(rank, request);
    if (requests.in_all > mpi_parts::max_completed) miss();  // not all that was completed is listed
  }
}

CallHistory::Messages* CallHistory::messages_of(const MessageKey& key) {
  if (messages_.size() >= max_entries && !messages_.contains(key)) {
    miss();
    return nullptr;
  }
  return &messages_[key];
}

void CallHistory::add_sent(std::uint32_t rank, const MpiCallRecord& message) {
  const auto to = reader_->partner_of(rank, message);
  if (!to || message.tag == MpiCallRecord::none) return;
  if (Messages* const messages = messages_of({rank, *to, message.communicator, message.tag})) {
    ++messages->sent;
    messages->bytes = message.bytes;
  }
}

void CallHistory::add_received(std::uint32_t rank, const MpiCallRecord& message) {
  const auto from = reader_->partner_of(rank, message);
  if (!from || message.tag == MpiCallRecord::none) return;
  if (Messages* const messages = messages_of({*from, rank, message.communicator, message.tag}))
    ++messages->received;
}

void CallHistory::complete(JobLook& look) const {
  look.begun = begun_;
  look.calls = calls_;
  for (std::uint32_t rank = 0; rank < look.ranks.size(); ++rank) {
    for (JobThread& thread : look.ranks[rank].threads)
      if (thread.in_flight) number_parts(rank, *thread.in_flight);
  }
  windows_.complete(look);
  if (!is_complete_) return;
  for (const auto& [key, messages] : messages_) {
    const auto& [from, to, communicator, tag] = key;
    if (messages.sent > messages.received)
      look.unreceived[{from, to}].push_back({communicator, tag, messages.bytes});
  }
}

// Functions that make communicators are counted only if all calls of all ranks are known.
void CallHistory::number_parts(std::uint32_t rank, JobCall& call) const {
  for (AwaitedPart& part : call.awaits) {
    JobOperation& operation = part.operation;
    if (part.what != AwaitedPart::What::collective || operation.number != 0) continue;
    const auto begun = begun_.find({rank, operation.communicator, operation.function});
    const std::uint32_t before = begun == begun_.end() ? 0 : begun->second;
    if (operation.function == 0) {
      operation.number = before;
    } else if (is_complete_) {
      operation.number = before + 1;
    }
  }
}

}  // namespace eventspace
