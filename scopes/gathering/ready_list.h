#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

#include <eventspace/operation.h>

namespace eventspace {

/// The children whose operations may have become ready. A stage with n children then tests only the child
/// that has news, not all n. Each child's operation has an Entry as its waker. Waking an entry adds it to the
/// list and calls the waker of the stage's own operation.
///
/// Any thread may wake an entry while the entry exists; only the stage's thread may call the other functions.
/// Writes of the thread that woke an entry are visible to the thread that takes it.
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

  /// Reserves memory for up to `entries` entries, so that wake does not allocate.
  void reserve(std::size_t entries) { noted_.reserve(entries); }
  /// Sets the waker that each wake calls; may be null. After the return the old waker is not called, and no
  /// call of it is under way.
  void tell(Waker* waker);
  /// Adds `entry` as a wake does, without calling a waker.
  void note(Entry& entry);
  /// Moves all entries to `taken`, each once, in the order in which they were added. Overwrites `taken`.
  void take(std::vector<Entry*>& taken);

 private:
  void wake(Entry& entry) noexcept;
  void add(Entry& entry);

  // Guards all members below. While it is held, only the parent's waker is called, and no element, as Waker
  // requires.
  std::mutex mutex_;
  Waker* parent_{nullptr};
  std::vector<Entry*> noted_;
};

}  // namespace eventspace
