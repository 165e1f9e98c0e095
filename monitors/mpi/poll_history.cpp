#include "monitors/mpi/poll_history.h"

namespace eventspace {
namespace {

// The call was a poll as well. Its record does not contain that it was unsuccessful, only whether it
// completed a request.
bool may_be_in_vain(const MpiCallRecord& call) {
  const bool looks = call.of == MpiClass::complete || call.of == MpiClass::probe;
  return looks && is_immediate(call) && !call.request_of && call.error == 0;
}

}  // namespace

// Records have the time in milliseconds.
bool PollHistory::is_of(const Series& series, nanoseconds began) noexcept {
  constexpr nanoseconds rounded = std::chrono::milliseconds(3);
  return std::chrono::abs(series.began - began) <= rounded;
}

void PollHistory::add(std::uint32_t rank, std::uint32_t thread, std::span<const TraceTuple> event,
                      nanoseconds began, nanoseconds ended, CallLimits& limits) {
  const MpiCallRecord call = mpi_call_of(event.back());
  if (!call.is_whole() || may_be_in_vain(call)) return;
  if (call.of != MpiClass::look) return end(thread, began, limits);
  const nanoseconds begin = begin_of(call, began);
  if (const auto known = series_.find(thread); known != series_.end() && !is_of(known->second, begin))
    end(thread, known->second.ended, limits);
  Series& series = series_.try_emplace(thread, Series{.began = begin}).first->second;
  series.ended = ended;
  // If several records were made together, only the last one contains the polled requests.
  if (event.size() > 1) series.poll = *reader_->read_poll(rank, event);
}

void PollHistory::end(std::uint32_t thread, nanoseconds at, CallLimits& limits) {
  const auto series = series_.find(thread);
  if (series == series_.end()) return;
  if (series->second.poll.is_poll) limits.add(series->second.poll.communicator, at - series->second.began);
  series_.erase(series);
}

const JobCall* PollHistory::find(std::uint32_t thread, nanoseconds began) const {
  const auto series = series_.find(thread);
  if (series == series_.end() || !is_of(series->second, began) || !series->second.poll.is_poll)
    return nullptr;
  return &series->second.poll;
}

}  // namespace eventspace
