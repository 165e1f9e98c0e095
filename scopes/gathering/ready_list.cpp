#include "scopes/gathering/ready_list.h"

#include <utility>

namespace eventspace {

void ReadyList::tell(Waker* waker) {
  const std::lock_guard lock(mutex_);
  parent_ = waker;
}

void ReadyList::note(Entry& entry) {
  const std::lock_guard lock(mutex_);
  add(entry);
}

void ReadyList::wake(Entry& entry) noexcept {
  const std::lock_guard lock(mutex_);
  add(entry);
  if (parent_ != nullptr) parent_->wake();  // under the lock, so that tell() excludes it
}

void ReadyList::add(Entry& entry) {
  if (!std::exchange(entry.noted_, true)) noted_.push_back(&entry);
}

void ReadyList::take(std::vector<Entry*>& taken) {
  taken.clear();
  const std::lock_guard lock(mutex_);
  for (Entry* entry : noted_) entry->noted_ = false;
  taken.assign(noted_.begin(), noted_.end());
  noted_.clear();
}

}  // namespace eventspace
