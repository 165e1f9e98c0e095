#include "monitors/whatif/simulation/agenda.h"

#include <algorithm>
#include <cstddef>

#include <eventspace/error.h>

namespace eventspace::whatif {

Picoseconds Agenda::after(Picoseconds duration) const {
  if (duration > longest_time - now_)
    throw ConfigurationError("the simulated time exceeds 53 days, the most that can be simulated");
  return now_ + duration;
}

void Agenda::at(Picoseconds time, Actor& actor, std::uint32_t what, std::uint32_t which) {
  const Event event{time, asked_++, &actor, what, which};
  std::size_t place = heap_.size();
  heap_.push_back(event);
  while (place > 0) {
    const std::size_t parent = (place - 1) / 4;
    if (!event.is_before(heap_[parent])) break;
    heap_[place] = heap_[parent];
    place = parent;
  }
  heap_[place] = event;
}

bool Agenda::step() {
  if (heap_.empty()) return false;
  const Event next = heap_.front();
  const Event last = heap_.back();
  heap_.pop_back();
  for (std::size_t place = 0; !heap_.empty();) {
    const std::size_t begin = place * 4 + 1;
    const std::size_t end = std::min(begin + 4, heap_.size());
    std::size_t least = begin;
    for (std::size_t child = begin + 1; child < end; ++child) {
      if (heap_[child].is_before(heap_[least])) least = child;
    }
    if (begin >= heap_.size() || !heap_[least].is_before(last)) {
      heap_[place] = last;
      break;
    }
    heap_[place] = heap_[least];
    place = least;
  }
  now_ = next.time;
  ++events_;
  next.actor->happen(next.what, next.which);
  return true;
}

}  // namespace eventspace::whatif
