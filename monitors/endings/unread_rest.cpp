#include "monitors/endings/unread_rest.h"

#include <algorithm>

#include "collectors/record_header.h"

namespace eventspace {

void UnreadRest::note(const View& unread) {
  passed_last_ = 0;
  for (const ReadPosition& position : unread.positions) {
    if (position.pid == ReadPosition::over) continue;
    const ReadPosition* const before = read_.find(position.process, position.trace);
    const bool goes_on = before != nullptr && is_same_run(*before, position);
    passed_last_ += position.sequence - (goes_on ? std::min(before->sequence, position.sequence) : 0);
  }
  read_.take(unread.positions);
}

void UnreadRest::set_end(const View& newest) {
  std::map<std::uint32_t, std::int32_t> pids;
  for (const ProcessReport& process : newest.processes) pids[process.process] = process.pid;
  ends_.clear();
  for (const TraceTuple& record : newest.records) {
    const RecordHeader header = header_of(record);
    // A continuation record of an event in flight is read with the event's end.
    if (header.in_flight() || header.is_continuation()) continue;
    const auto source = names_->source_of(header.path, header.point);
    if (!source) continue;
    End& end = ends_[*source];
    const auto pid = pids.find(source->process);
    end = {pid == pids.end() ? 0 : pid->second, std::max(end.sequence, header.sequence)};
  }
}

std::uint64_t UnreadRest::count() const {
  std::uint64_t unread = 0;
  for (const auto& [source, end] : ends_) {
    const ReadPosition* const read = read_.find(source.process, source.trace);
    const bool is_of_run = read != nullptr && (end.pid == 0 || read->pid == end.pid);
    unread += end.sequence - std::min(end.sequence, is_of_run ? read->sequence : 0);
  }
  return unread;
}

}  // namespace eventspace
