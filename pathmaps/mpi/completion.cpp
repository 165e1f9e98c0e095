#include "pathmaps/mpi/completion.h"

#include <algorithm>

#include "pathmaps/mpi/received.h"

namespace eventspace::mpi {
namespace {

std::span<MPI_Request> of_program(MPI_Request* requests, MPI_Count count) noexcept {
  if (requests == nullptr || count <= 0) return {};
  return {requests, static_cast<std::size_t>(count)};
}

}  // namespace

Completion::Completion(Recording& recording, Sort sort, MPI_Request* requests, MPI_Count count) noexcept
    : recording_(&recording), requests_(of_program(requests, count)), sort_(sort) {}

// A program may test requests many times without success. While no other thread calls MPI, a handle stands
// for the same request before and after the call, so only completed requests are looked up, after the call.
// With several threads, another thread may get the handle of a completed request for a new one, so requests
// are looked up before the call.
bool Completion::finds_later(std::size_t room) const noexcept {
  return sort_ == looks && (requests_.size() > 1 || is_again()) && requests_.size() <= room &&
         all_requests().has_one_thread();
}

void Completion::hold(std::span<MPI_Request> handles, std::span<MpiCallRecord> awaited) noexcept {
  handles_ = handles.first(requests_.size());
  awaits_receive_ = true;  // assumed
  for (std::size_t i = 0; i < handles_.size(); ++i) {
    handles_[i] = requests_[i];
    if (handles_[i] == MPI_REQUEST_NULL) continue;
    ++in_all_;
    if (awaited_.empty() && !is_again() &&
        all_requests().read(all_requests().find(handles_[i]), awaited.front()))
      awaited_ = awaited.first(1);
  }
  show_first();
}

void Completion::follow(std::span<Requests::Followed> followed, std::span<MpiCallRecord> awaited) noexcept {
  followed_ = followed.first(std::min(followed.size(), requests_.size()));
  for (std::size_t i = 0; i < followed_.size(); ++i) follow_one(i, awaited);
  for (std::size_t i = followed_.size(); i < requests_.size(); ++i)
    not_followed_ += requests_[i] == MPI_REQUEST_NULL ? 0 : 1;
  in_all_ += not_followed_;
  show_first();
}

void Completion::show_first() noexcept {
  recording_->call_.requests = in_all_;
  if (!awaited_.empty()) recording_->call_.take_request(awaited_.front());
}

void Completion::follow_one(std::size_t index, std::span<MpiCallRecord> awaited) noexcept {
  followed_[index] = {};
  if (requests_[index] == MPI_REQUEST_NULL) return;
  ++in_all_;
  followed_[index] = all_requests().find(requests_[index]);
  if (is_again()) {  // repeated tests are not shown in flight
    awaits_receive_ = true;
    return;
  }
  const std::size_t known = awaited_.size();
  // For requests that are not shown, it only matters whether one is a receive: assume so.
  if (known == awaited.size()) {
    awaits_receive_ = true;
    return;
  }
  if (!all_requests().read(followed_[index], awaited[known])) return;
  awaits_receive_ = awaits_receive_ || awaited[known].of == MpiClass::receive;
  awaited_ = awaited.first(known + 1);
}

Requests::Followed Completion::followed(std::size_t index) const noexcept {
  return handles_.empty() ? followed_[index] : all_requests().find(handles_[index]);
}

MPI_Status* Completion::status_in(MPI_Status* of_program, MPI_Status& own) const noexcept {
  const bool needs_own = of_program == MPI_STATUS_IGNORE && awaits_receive_ && recording_->is_recorded_;
  return needs_own ? &own : of_program;
}

MPI_Status* Completion::statuses_in(MPI_Status* of_program,
                                    std::span<MPI_Status, max_statuses> own) const noexcept {
  const bool needs_own = of_program == MPI_STATUSES_IGNORE && awaits_receive_ && recording_->is_recorded_ &&
                         requests_.size() <= own.size();
  return needs_own ? own.data() : of_program;
}

void Completion::begin() noexcept {
  if (recording_->call_.call != 0 && sort_ == waits && requests_.size() > followed_.size())
    forget_rest(followed_.size());
  const bool is_of_collective = !awaited_.empty() && awaited_.front().of == MpiClass::collective;
  if (sort_ == waits && (awaited_.size() > 1 || is_of_collective)) {
    recording_->begin(in_all_, awaited_);
  } else {
    recording_->begin();
  }
}

void Completion::complete(int index, const MPI_Status* status, bool only_receives) noexcept {
  if (index < 0 || static_cast<std::size_t>(index) >= known()) return;
  const Requests::Followed which = followed(static_cast<std::size_t>(index));
  MpiCallRecord made_by;
  if (!all_requests().read(which, made_by)) return;
  // The handle of a persistent request stays.
  if (requests_[static_cast<std::size_t>(index)] == MPI_REQUEST_NULL) all_requests().remove(which);
  if (!recording_->is_recorded_) return;
  if (made_by.of == MpiClass::receive && status != nullptr) take_message(*status, made_by);
  if (!has_first_) {
    has_first_ = true;
    recording_->call_.take_request(made_by);
  } else if (!only_receives || made_by.of == MpiClass::receive) {
    add_completed(made_by);
  }
}

void Completion::add_completed(const MpiCallRecord& made_by) noexcept {
  if (others_ < mpi_parts::max_completed && rest_.messages == 0) {
    completed_.records[others_++] = made_by;
    return;
  }
  // The last record has to stand for the rest.
  if (rest_.messages == 0 && made_by.of == MpiClass::receive) add_to_rest(completed_.records[--others_]);
  add_to_rest(made_by);
}

void Completion::add_to_rest(const MpiCallRecord& made_by) noexcept {
  if (made_by.of != MpiClass::receive || made_by.has(MpiWildcards::null_process)) return;
  ++rest_.messages;
  rest_.bytes += made_by.bytes;
}

void Completion::completed_one(int index, const MPI_Status* status) noexcept {
  recording_->found();
  complete(index, status == MPI_STATUS_IGNORE ? nullptr : status, false);
}

void Completion::completed_some(int count, const int* indices, const MPI_Status* statuses) noexcept {
  if (count != 0) recording_->found();
  for (int i = 0; i < count; ++i)
    complete(indices[i], statuses == MPI_STATUSES_IGNORE ? nullptr : statuses + i, false);
}

void Completion::completed_all(const MPI_Status* statuses) noexcept {
  recording_->found();
  rest_.unknown = not_followed_;
  const auto count = static_cast<int>(known());
  for (int i = 0; i < count; ++i) complete(i, statuses == MPI_STATUSES_IGNORE ? nullptr : statuses + i, true);
}

void Completion::removed() noexcept {
  if (!followed_.empty()) all_requests().remove(followed_.front());
}

void Completion::end(int error) noexcept {
  // Some may have been completed although others have failed.
  if (error != MPI_SUCCESS) {
    for (std::size_t i = 0; i < known(); ++i)
      if (requests_[i] == MPI_REQUEST_NULL) all_requests().remove(followed(i));
  }
  MpiCallRecord& call = recording_->call_;
  if (call.of == MpiClass::complete && !has_first_) call.request_of.reset();
  if (rest_ != MpiRequests::Rest{}) {
    if (others_ == mpi_parts::max_completed) add_to_rest(completed_.records[--others_]);
    completed_.records[others_++] = record_of(rest_);
  }
  recording_->end(error, std::span(completed_.records.data(), others_));
}

// The requests are complete when the call ends, and their handles are then gone.
void Completion::forget_rest(std::size_t from) noexcept {
  for (std::size_t i = from; i < requests_.size(); ++i) {
    const Requests::Followed rest = all_requests().find(requests_[i]);
    if (!all_requests().is_persistent(rest)) all_requests().remove(rest);
  }
}

}  // namespace eventspace::mpi
