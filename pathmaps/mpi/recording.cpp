#include "pathmaps/mpi/recording.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

#include "collectors/mpi/mpi_recorder.h"
#include "pathmaps/mpi/communicators.h"
#include "pathmaps/mpi/mpi_process.h"
#include "pathmaps/mpi/real_mpi.h"
#include "pathmaps/mpi/received.h"
#include "pathmaps/mpi/requests.h"
#include "pathmaps/preloading/call_sites.h"

namespace eventspace::mpi {
namespace {

// Nesting depth of the calls of this thread. Without a destructor, so it can be read at any time.
constinit thread_local int depth = 0;  // NOLINT(misc-use-internal-linkage)

constinit preloading::CallSites sites;  // NOLINT(misc-use-internal-linkage)

Communicators& communicators() {
  static Communicators& all =
      *new Communicators;  // never destroyed: threads may call while the process exits
  return all;
}

Windows& windows() {
  static Windows& all = *new Windows;  // likewise
  return all;
}

// The members as ranks in MPI_COMM_WORLD, as many as there is room for. Calls only local functions of MPI.
Windows::Group members_of(MPI_Group group) noexcept {
  const RealMpi& real = real_mpi();
  Windows::Group members;
  MPI_Group world{};
  int size = 0;
  if (!real.is_whole() || real.group_size(group, &size) != MPI_SUCCESS || size <= 0) return members;
  std::array<int, mpi_parts::max_awaited> own{};
  std::array<int, mpi_parts::max_awaited> in_world{};
  const std::size_t known = std::min<std::size_t>(static_cast<std::size_t>(size), own.size());
  for (std::size_t i = 0; i < known; ++i) own[i] = static_cast<int>(i);
  if (real.comm_group(MPI_COMM_WORLD, &world) != MPI_SUCCESS) return members;
  const int error = real.translate_ranks(group, static_cast<int>(known), own.data(), world, in_world.data());
  (void)real.group_free(&world);
  if (error != MPI_SUCCESS) return members;
  members.in_all = static_cast<std::uint32_t>(size);
  for (std::size_t i = 0; i < known; ++i)
    if (in_world[i] >= 0) members.ranks[members.known++] = static_cast<std::uint32_t>(in_world[i]);
  return members;
}

// The message that a probe polls for, as a receive.
MpiCallRecord sought_by_probe(const MpiCallRecord& look) noexcept {
  MpiCallRecord receive = look;
  receive.of = MpiClass::receive;
  return receive;
}

void set(std::uint8_t& wildcards, MpiWildcards which) noexcept {
  wildcards = static_cast<std::uint8_t>(wildcards | static_cast<std::uint8_t>(which));
}

}  // namespace

void* next_of(std::size_t slot) noexcept { return preloading::next_of(table, slot, libraries_of_mpi); }

Recording::Recording(std::uint16_t call, MpiClass of, const void* from, Joining joining) noexcept {
  if (depth++ > 0) return;
  if (joining == joins) preloading::join();
  if (!preloading::has_joined()) return;
  call_.call = call;
  call_.of = of;
  is_followed_ = true;
  recorder_ = MpiThread::recorder();
  is_recorded_ = recorder_ != nullptr && recorder_->records(of);
  if (is_recorded_) call_.site = sites.number_of(from);
  if (joining == joins) announce_world();
}

void Recording::announce_world() noexcept {
  const std::uint32_t size = ranks_of_job();
  if (size == 0) return;
  try {
    call_.communicator = Communicators::announce_world(size);
  } catch (...) {  // no memory: missing ranks cannot be listed
  }
}

// If it is still open, the function threw, as error handlers of C++ programs may, or the thread ends in it.
Recording::~Recording() {
  if (is_open_) {
    call_.request_of.reset();
    has_found_ = true;
    end_recorded({});
  }
  --depth;
}

void Recording::communicator(MPI_Comm comm) noexcept {
  parent_ = comm;
  communicator_ = communicators().find(comm);
  if (communicator_ == nullptr) {
    call_.communicator = MpiCallRecord::other_communicator;
    return;
  }
  call_.communicator = communicator_->number.load(std::memory_order_relaxed);
}

void Recording::window(MPI_Win window) noexcept {
  window_ = window;
  communicator_ = communicators().find_window(window);
  call_.communicator = communicator_ == nullptr ? MpiCallRecord::other_communicator
                                                : communicator_->number.load(std::memory_order_relaxed);
}

void Recording::begins_epoch(Windows::Epoch epoch, MPI_Group group) noexcept {
  epoch_ = members_of(group);
  windows().remember(window_, epoch, *epoch_);
}

void Recording::ends_epoch(Windows::Epoch epoch) noexcept { epoch_ = windows().group_of(window_, epoch); }

void Recording::partner(int rank) noexcept {
  if (rank == MPI_ANY_SOURCE) set(call_.wildcards, MpiWildcards::any_source);
  if (rank == MPI_PROC_NULL) set(call_.wildcards, MpiWildcards::null_process);
  call_.partner = natural(rank);
}

// In an intercommunicator the root may be MPI_ROOT or MPI_PROC_NULL.
void Recording::root(int rank) noexcept { call_.partner = natural(rank); }

void Recording::tag(int tag) noexcept {
  if (tag == MPI_ANY_TAG) set(call_.wildcards, MpiWildcards::any_tag);
  call_.tag = natural(tag);
}

void Recording::bytes(MPI_Count count, MPI_Datatype datatype) noexcept {
  if (is_recorded_ || request_ != 0) add_bytes(count, datatype);
}

void Recording::add_bytes(MPI_Count count, MPI_Datatype datatype) noexcept {
  MPI_Count size = 0;
  if (count <= 0 || datatype == MPI_DATATYPE_NULL) return;
  if (real_mpi().type_size(datatype, &size) != MPI_SUCCESS || size <= 0) return;
  std::uint64_t bytes = 0;
  const bool is_too_much =
      __builtin_mul_overflow(static_cast<std::uint64_t>(count), static_cast<std::uint64_t>(size), &bytes) ||
      __builtin_add_overflow(bytes, call_.bytes, &bytes);
  call_.bytes = is_too_much ? MpiCallRecord::max_bytes : bytes;
}

std::uint32_t Recording::count_of(Extent extent) const noexcept {
  if (communicator_ == nullptr) return 0;
  const auto& count = extent == receivers ? communicator_->receivers : communicator_->neighbors;
  return count.load(std::memory_order_relaxed);
}

void Recording::receives(int source, int tag) noexcept {
  if (!is_recorded_) return;
  MpiCallRecord& beside = beside_.emplace();
  beside.call = call_.call;
  beside.of = MpiClass::receive;
  beside.site = call_.site;
  beside.communicator = call_.communicator;
  beside.partner = natural(source);
  beside.tag = natural(tag);
  if (source == MPI_ANY_SOURCE) set(beside.wildcards, MpiWildcards::any_source);
  if (source == MPI_PROC_NULL) set(beside.wildcards, MpiWildcards::null_process);
  if (tag == MPI_ANY_TAG) set(beside.wildcards, MpiWildcards::any_tag);
}

void Recording::makes_request(MpiClass of, bool is_persistent) noexcept {
  request_ = all_requests().next_number();
  is_persistent_ = is_persistent;
  if (of != MpiClass::collective) call_.request = request_;
  if (is_persistent) call_.request_of = of;
}

void Recording::names(const char* name) noexcept {
  if (name == nullptr || communicator_ == nullptr) return;
  try {
    communicators().rename(parent_, {name, ::strnlen(name, MPI_MAX_OBJECT_NAME)});
  } catch (...) {  // no memory: it keeps its name
  }
}

void Recording::forget(const MPI_Comm* comm) noexcept {
  if (comm != nullptr) communicators().remove(*comm);
}

void Recording::forget_window(const MPI_Win* window) noexcept {
  if (window == nullptr) return;
  communicators().remove_window(*window);
  windows().forget(*window);
}

void Recording::looks() noexcept {
  if (is_recorded_) look_ = recorder_->is_again(call_) ? Look::again : Look::first;
}

void Recording::begin() noexcept {
  if (beside_) return begin(1, {&*beside_, 1});
  if (epoch_ && epoch_->known > 0 && is_recorded_ && look_ == Look::none) return begin_epoch_call();
  begin(0, {});
}

// Shows the processes of an epoch as awaited partners, by their ranks in MPI_COMM_WORLD.
void Recording::begin_epoch_call() noexcept {
  std::array<MpiCallRecord, mpi_parts::max_awaited> members;
  const Communicator* const world = communicators().find(MPI_COMM_WORLD);
  const std::uint32_t number =
      world == nullptr ? MpiCallRecord::other_communicator : world->number.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i < epoch_->known; ++i) {
    members[i].of = MpiClass::window;
    members[i].partner = epoch_->ranks[i];
    members[i].communicator = number;
  }
  begin(epoch_->in_all, std::span(members).first(epoch_->known));
}

void Recording::begin(std::uint32_t in_all, std::span<const MpiCallRecord> awaited) noexcept {
  // Only one thread at a time may begin a collective operation on a communicator.
  if (call_.of == MpiClass::collective && communicator_ != nullptr) {
    call_.ordinal = communicator_->collectives.load(std::memory_order_relaxed) + 1;
    communicator_->collectives.store(call_.ordinal, std::memory_order_relaxed);
  }
  if (!is_recorded_) return;
  if (look_ == Look::again) {
    recorder_->begin_look();
  } else if (look_ == Look::first) {
    recorder_->begin_first_look(call_);
  } else if (awaited.empty()) {
    recorder_->begin(call_);
  } else {
    recorder_->begin(call_, in_all, awaited);
  }
  is_open_ = true;
}

void Recording::received(int error, const MPI_Status* status) noexcept {
  if (error == MPI_SUCCESS && is_recorded_) take_message(*status, beside_ ? *beside_ : call_);
}

void Recording::moved(int error, const MPI_Status* status) noexcept {
  if (error == MPI_SUCCESS && is_recorded_) take_bytes(*status, call_);
}

void Recording::made(int error, const MPI_Request* request) noexcept {
  if (error != MPI_SUCCESS || request == nullptr) return;
  MpiCallRecord made_by = call_;
  if (made_by.request_of) made_by.of = *made_by.request_of;
  made_by.request_of.reset();
  all_requests().add(*request, request_, made_by, is_persistent_);
}

void Recording::has_begun_mpi(int error) noexcept {
  if (error != MPI_SUCCESS || !real_mpi().is_whole()) return;
  int level = MPI_THREAD_MULTIPLE;
  if (real_mpi().query_thread(&level) == MPI_SUCCESS && level != MPI_THREAD_MULTIPLE)
    all_requests().expect_one_thread();
  try {
    communicators().add_first();
  } catch (...) {  // no memory: calls are recorded without their communicators
  }
}

void Recording::created(int error, const MPI_Comm* comm) noexcept {
  if (error != MPI_SUCCESS || comm == nullptr || *comm == MPI_COMM_NULL || !real_mpi().is_whole()) return;
  try {
    communicators().add(*comm, parent_, call_.call, call_.tag);
  } catch (...) {  // likewise
  }
}

void Recording::creates_later(int error, const MPI_Comm* comm) noexcept {
  if (error != MPI_SUCCESS || comm == nullptr || *comm == MPI_COMM_NULL || !real_mpi().is_whole()) return;
  try {
    communicators().add_duplicate(*comm, parent_, call_.call);
  } catch (...) {  // likewise
  }
}

void Recording::made_window(int error, const MPI_Win* window) noexcept {
  if (error != MPI_SUCCESS || window == nullptr || !real_mpi().is_whole()) return;
  try {
    communicators().add_window(*window, parent_, call_.call);
  } catch (...) {  // likewise
  }
}

void Recording::end(int error) noexcept {
  if (beside_ && error == MPI_SUCCESS) return end(error, {&*beside_, 1});
  end(error, {});
}

void Recording::end(int error, std::span<const MpiCallRecord> completed) noexcept {
  if (!is_open_) return;
  is_open_ = false;
  int of_class = 0;
  if (error != MPI_SUCCESS && real_mpi().error_class(error, &of_class) == MPI_SUCCESS)
    call_.error = static_cast<std::uint8_t>(of_class & 0xff);
  has_found_ = has_found_ || error != MPI_SUCCESS;
  end_recorded(completed);
}

void Recording::end_recorded(std::span<const MpiCallRecord> completed) noexcept {
  if (look_ == Look::again) {
    if (!has_found_) return end_look();
    recorder_->show_look(call_);
  }
  if (completed.empty()) {
    recorder_->end(call_);
  } else {
    recorder_->end(call_, completed);
  }
  if (look_ == Look::none) return;
  if (has_found_)
    recorder_->forget_looks();
  else
    add_tested_to(recorder_->remember_look(call_));
}

void Recording::end_look() noexcept {
  add_tested_to(recorder_->sought());
  if (recorder_->end_look()) record_looks();
}

// An unsuccessful test does not change the handles.
void Recording::add_tested_to(SoughtByMpi& sought) const noexcept {
  if (tested_.size() == 1) {
    sought.add(handle_of(tested_.front()));
  } else if (!tested_.empty()) {
    sought.add(tested_.size(), [this](std::size_t i) { return handle_of(tested_[i]); });
  }
}

// Requests that other threads have since completed are left out.
void Recording::record_looks() noexcept {
  std::array<MpiCallRecord, mpi_parts::max_awaited> awaited;
  std::size_t known = 0;
  std::uint32_t in_all = 0;
  const auto add = [&](const MpiCallRecord& one) {
    ++in_all;
    if (known < awaited.size()) awaited[known++] = one;
  };
  const auto add_all_at = [&](const MpiLooks::Place& place) {
    if (place.sought.of() == MpiClass::probe) return add(sought_by_probe(place.look));
    in_all += place.sought.of() == MpiClass::complete ? place.sought.not_known() : 1;
    for (const std::uintptr_t handle : place.sought.requests()) {
      MpiCallRecord made_by;
      if (all_requests().read(all_requests().find_handle(handle), made_by))
        add(made_by);
      else
        in_all += handle == handle_of(MPI_REQUEST_NULL) ? 0 : 1;
    }
  };
  if (recorder_->is_long_series()) {
    std::ranges::for_each(recorder_->looks().places(), add_all_at);
    in_all += recorder_->looks().has_dropped() ? 1 : 0;
  }
  recorder_->record_looks(std::span(awaited).first(known), in_all);
}

}  // namespace eventspace::mpi
