#pragma once

// Private to scopes/.

#include <cstddef>
#include <mutex>
#include <vector>

#include "tuplespace/operation.h"

namespace eventspace {

/// Which of a stage's operations on its children are worth asking about, so that a stage with n children asks
/// each when there is news of it, and not all of them at each news. Each operation has an Entry for its
/// waker; who wakes it notes the entry and tells the waker of the stage's own operation.
///
/// Entries are woken by any thread, at any time while they exist; all else is for the stage's thread. What
/// was done before a wake is visible to who takes the entry.
class ReadyList {
 public:
  class Entry : public Waker {
   public:
    explicit Entry(ReadyList& list) noexcept : list_(&list) {}
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;
    virtual ~Entry() = default;
    void wake() noexcept override { list_->wake(*this); }

   private:
    friend class ReadyList;
    ReadyList* list_;
    bool noted_{false};
  };

  /// There will be so many entries at most.
  void reserve(std::size_t entries) { noted_.reserve(entries); }
  /// Whom a wake tells from now on; null: nobody, and nobody is being told any more.
  void tell(Waker* waker);
  /// As a wake, but tells nobody.
  void note(Entry& entry);
  /// All that are noted, once, in the order in which they were; `taken` is overwritten.
  void take(std::vector<Entry*>& taken);

 private:
  void wake(Entry& entry) noexcept;
  void add(Entry& entry);

  std::mutex mutex_;  // of all below; no element is called, and nobody but the told waker, while it is held
  Waker* told_{nullptr};
  std::vector<Entry*> noted_;
};

}  // namespace eventspace
