#include "pathmaps/mpi/recording.h"

#include <algorithm>
#include <array>
#include <atomic>

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

void announce_world(MpiCallRecord& call) noexcept {
  const std::uint32_t size = ranks_of_job();
  if (size == 0) return;
  try {
    call.communicator = Communicators::announce_world(size);
  } catch (...) {  // no memory: missing ranks cannot be listed
  }
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
  if (joining == joins) announce_world(call_);
}

// If it is still open, the function threw, as error handlers of C++ programs may, or the thread ends in it.
Recording::~Recording() {
  if (is_open_) {
    call_.request_of.reset();
    poll_.found();
    end_recorded({});
  }
  --depth;
}

void Recording::communicator(MPI_Comm comm) noexcept {
  parent_ = comm;
  communicator_ = all_communicators().find(comm);
  if (communicator_ == nullptr) {
    call_.communicator = MpiCallRecord::other_communicator;
    return;
  }
  call_.communicator = communicator_->number.load(std::memory_order_relaxed);
}

void Recording::window(MPI_Win window) noexcept {
  window_ = window;
  communicator_ = all_communicators().find_window(window);
  call_.communicator = communicator_ == nullptr ? MpiCallRecord::other_communicator
                                                : communicator_->number.load(std::memory_order_relaxed);
}

void Recording::begins_epoch(Windows::Epoch epoch, MPI_Group group) noexcept {
  epoch_ = members_of(group);
  all_windows().remember(window_, epoch, *epoch_);
}

void Recording::ends_epoch(Windows::Epoch epoch) noexcept { epoch_ = all_windows().group_of(window_, epoch); }

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

void Recording::looks() noexcept {
  if (is_recorded_) poll_.prepare(*recorder_, call_);
}

void Recording::begin() noexcept {
  if (beside_) return begin(1, {&*beside_, 1});
  if (epoch_ && epoch_->known > 0 && is_recorded_ && !poll_.is_one()) return begin_epoch_call();
  begin(0, {});
}

// Shows the processes of an epoch as awaited partners, by their ranks in MPI_COMM_WORLD.
void Recording::begin_epoch_call() noexcept {
  std::array<MpiCallRecord, mpi_parts::max_awaited> members;
  const Communicator* const world = all_communicators().find(MPI_COMM_WORLD);
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
  if (poll_.is_one()) {
    poll_.begin(*recorder_, call_);
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
  if (error != MPI_SUCCESS) poll_.found();
  end_recorded(completed);
}

void Recording::end_recorded(std::span<const MpiCallRecord> completed) noexcept {
  if (poll_.is_only_counted(*recorder_, call_)) return;
  if (completed.empty()) {
    recorder_->end(call_);
  } else {
    recorder_->end(call_, completed);
  }
  poll_.end(*recorder_, call_);
}

}  // namespace eventspace::mpi
