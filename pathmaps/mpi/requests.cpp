#include "pathmaps/mpi/requests.h"

#include "pathmaps/mpi/real_mpi.h"

namespace eventspace::mpi {
namespace {

// Whether MPI shares the handle among requests that are complete when they are made.
bool is_of_several(std::uintptr_t handle) noexcept {
#ifdef OPEN_MPI
  return handle == reinterpret_cast<std::uintptr_t>(real_mpi().complete_request);
#else
  constexpr std::uint32_t built_in = 1;  // the kind of a handle is in its highest two bits
  return static_cast<std::uint32_t>(handle) >> 30 == built_in;
#endif
}

constinit Requests requests;  // NOLINT(misc-use-internal-linkage)
static_assert(std::is_trivially_destructible_v<Requests>);

}  // namespace

Requests& all_requests() noexcept { return requests; }

std::size_t Requests::home_of(std::uint64_t handle) noexcept {
  constexpr std::uint64_t spread = 0x9e3779b97f4a7c15;  // Knuth's multiplicative hash
  return static_cast<std::size_t>((handle * spread) >> 40) % buckets;
}

bool Requests::replace(std::atomic<std::uint32_t>& number, std::uint32_t before,
                       std::uint32_t after) noexcept {
  if (!has_one_thread_.load(std::memory_order_relaxed))
    return number.compare_exchange_strong(before, after, std::memory_order_acq_rel);
  if (number.load(std::memory_order_relaxed) != before) return false;
  number.store(after, std::memory_order_release);
  return true;
}

std::uint32_t Requests::next_number() noexcept {
  for (;;) {
    std::uint32_t number = 0;
    if (!has_one_thread_.load(std::memory_order_relaxed)) {
      number = last_number_.fetch_add(1, std::memory_order_relaxed) + 1;
    } else {
      number = last_number_.load(std::memory_order_relaxed) + 1;
      last_number_.store(number, std::memory_order_relaxed);
    }
    if (number != unused && number != changing) [[likely]]
      return number;
  }
}

// Chooses, in this order: the place of the same handle, whose request has ended (its entry will be removed
// soon, or a call that is not recorded completed it); a free place; the place of the oldest request, which
// the program has most likely forgotten.
Requests::Place Requests::place_for(const Bucket& bucket, std::uintptr_t handle,
                                    std::uint32_t number) noexcept {
  Place oldest;
  Place free;
  std::uint32_t highest_age = 0;
  for (std::size_t i = 0; i < in_bucket; ++i) {
    const std::uint32_t there = bucket.numbers[i].load(std::memory_order_acquire);
    if (there == changing) continue;
    if (there == unused) {
      if (!free.is_there) free = {i, unused, true};
      continue;
    }
    if (bucket.handles[i].load(std::memory_order_relaxed) == handle) return {i, there, true};
    if (const std::uint32_t age = number - there; age > highest_age) {
      highest_age = age;
      oldest = {i, there, true};
    }
  }
  return free.is_there ? free : oldest;
}

void Requests::add(MPI_Request request, std::uint32_t number, const MpiCallRecord& made_by,
                   bool is_persistent) noexcept {
  const std::uintptr_t handle = handle_of(request);
  if (request == MPI_REQUEST_NULL || is_of_several(handle)) return;
  Bucket& bucket = buckets_[home_of(handle)];
  Place place = place_for(bucket, handle, number);
  if (!place.is_there) return;
  // Another thread has just removed the entry of the same handle, or taken the place: try again.
  if (!replace(bucket.numbers[place.index], place.before, changing)) {
    place = place_for(bucket, handle, number);
    if (!place.is_there || !replace(bucket.numbers[place.index], place.before, changing)) return;
  }
  // Release order: a reader that reads one of these words sees that the place is changing.
  auto& words = bucket.words[place.index];
  words[0].store((made_by.word3(0) & ~std::uint64_t{0xff}) | (is_persistent ? persistent_bit : 0),
                 std::memory_order_release);
  words[1].store(made_by.word5(), std::memory_order_release);
  words[2].store(made_by.word6(), std::memory_order_release);
  words[3].store(made_by.word7(), std::memory_order_release);
  bucket.handles[place.index].store(handle, std::memory_order_release);
  bucket.numbers[place.index].store(number, std::memory_order_release);
}

Requests::Followed Requests::find_handle(std::uintptr_t handle) const noexcept {
  const std::size_t home = home_of(handle);
  const Bucket& bucket = buckets_[home];
  for (std::size_t i = 0; i < in_bucket; ++i) {
    if (bucket.handles[i].load(std::memory_order_relaxed) != handle) continue;
    const std::uint32_t number = bucket.numbers[i].load(std::memory_order_acquire);
    if (number != unused && number != changing)
      return {static_cast<std::uint32_t>(home * in_bucket + i), number};
  }
  return {};
}

bool Requests::read(Followed request, MpiCallRecord& made_by) const noexcept {
  if (!request) return false;
  const Bucket& bucket = buckets_[request.place / in_bucket];
  const std::size_t i = request.place % in_bucket;
  const auto& words = bucket.words[i];
  TraceTuple tuple;
  tuple.words[3] = words[0].load(std::memory_order_acquire);
  tuple.words[5] = words[1].load(std::memory_order_acquire);
  tuple.words[6] = words[2].load(std::memory_order_acquire);
  tuple.words[7] = words[3].load(std::memory_order_acquire);
  if (bucket.numbers[i].load(std::memory_order_relaxed) != request.number) return false;
  made_by = mpi_call_of(tuple);
  made_by.request = request.number;
  return true;
}

bool Requests::is_persistent(Followed request) const noexcept {
  const auto& words = buckets_[request.place / in_bucket].words[request.place % in_bucket];
  return (words[0].load(std::memory_order_relaxed) & persistent_bit) != 0;
}

void Requests::remove(Followed request) noexcept {
  if (!request) return;
  auto& number = buckets_[request.place / in_bucket].numbers[request.place % in_bucket];
  (void)replace(number, request.number, unused);
}

}  // namespace eventspace::mpi
