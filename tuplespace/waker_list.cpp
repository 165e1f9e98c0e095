#include "tuplespace/waker_list.h"

#include <algorithm>

namespace eventspace {

void WakerList::add(Waker& waker) {
  if (std::find(wakers_.begin(), wakers_.end(), &waker) == wakers_.end()) wakers_.push_back(&waker);
}

void WakerList::remove(const Waker& waker) noexcept { std::erase(wakers_, &waker); }

void WakerList::wake_all() noexcept {
  for (Waker* const waker : wakers_) waker->wake();
  wakers_.clear();
}

}  // namespace eventspace
