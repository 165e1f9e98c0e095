#include "pathmaps/mpi/recording.h"

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>

#include "pathmaps/mpi/communicators.h"
#include "pathmaps/mpi/joined_process.h"
#include "pathmaps/mpi/real_mpi.h"

namespace eventspace::mpi {
namespace {

// Calls of the calling thread, one inside the other. No destructor, so that it can be read at any time.
constinit thread_local int depth = 0;  // NOLINT(misc-use-internal-linkage)

Communicators& communicators() noexcept {
  static Communicators& all =
      *new Communicators;  // never destroyed: threads may call while the process exits
  return all;
}

std::uint32_t natural(int number) noexcept {
  return number < 0 ? MpiCallRecord::none : static_cast<std::uint32_t>(number);
}

void set(std::uint8_t& wildcards, MpiWildcards which) noexcept {
  wildcards = static_cast<std::uint8_t>(wildcards | static_cast<std::uint8_t>(which));
}

}  // namespace

void* next_of(std::size_t slot) noexcept {
  std::atomic_ref<void*> next(table.next[slot]);
  if (void* const known = next.load(std::memory_order_acquire)) [[likely]]
    return known;
  void* const found = find_next(table.names[slot]);
  if (found == nullptr) {
    std::fprintf(stderr, "eventspace: symbol lookup error: undefined symbol: %s\n", table.names[slot]);
    ::_exit(127);
  }
  next.store(found, std::memory_order_release);
  return found;
}

Recording::Recording(std::uint16_t call, MpiClass of, Joining joining) noexcept {
  if (depth++ > 0) return;
  if (joining == joins) join();
  if (!has_joined()) return;
  call_.call = call;
  call_.of = of;
  is_followed_ = true;
  const MpiRecorder* const recorder = own_recorder();
  is_recorded_ = recorder != nullptr && recorder->records(of);
}

// The function threw, as error handlers of C++ programs may.
Recording::~Recording() {
  if (is_open_) own_recorder()->end(call_);
  --depth;
}

void Recording::communicator(MPI_Comm comm) noexcept {
  parent_ = comm;
  communicator_ = communicators().find(comm);
  if (communicator_ == nullptr) {
    call_.communicator = MpiCallRecord::other_communicator;
    return;
  }
  call_.communicator = communicator_->number;
  if (is_recorded_ && !communicator_->is_named.load(std::memory_order_relaxed) &&
      !communicator_->is_named.exchange(true))
    name_communicator(communicator_->number, communicator_->name);
}

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
  MPI_Count size = 0;
  if (!is_recorded_ || count <= 0 || datatype == MPI_DATATYPE_NULL) return;
  if (real_mpi().type_size(datatype, &size) != MPI_SUCCESS || size <= 0) return;
  call_.bytes = static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(size);
}

void Recording::forget(const MPI_Comm* comm) noexcept {
  if (comm != nullptr) communicators().remove(*comm);
}

void Recording::begin() noexcept {
  if (call_.of == MpiClass::collective && communicator_ != nullptr)
    call_.ordinal = communicator_->collectives.fetch_add(1, std::memory_order_relaxed) + 1;
  if (!is_recorded_) return;
  own_recorder()->begin(call_);
  is_open_ = true;
}

void Recording::received(int error, const MPI_Status* status) noexcept {
  if (error != MPI_SUCCESS || !is_recorded_) return;
  MPI_Count bytes = 0;
  if (real_mpi().get_elements(status, MPI_BYTE, &bytes) == MPI_SUCCESS && bytes >= 0)
    call_.bytes = static_cast<std::uint64_t>(bytes);
  call_.partner = natural(status->MPI_SOURCE);
  call_.tag = natural(status->MPI_TAG);
}

void Recording::has_begun_mpi(int error) noexcept {
  if (error != MPI_SUCCESS || !real_mpi().is_whole()) return;
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

void Recording::end(int error) noexcept {
  if (!is_open_) return;
  is_open_ = false;
  int of_class = 0;
  if (error != MPI_SUCCESS && real_mpi().error_class(error, &of_class) == MPI_SUCCESS)
    call_.error = static_cast<std::uint8_t>(of_class & 0xff);
  own_recorder()->end(call_);
}

}  // namespace eventspace::mpi
