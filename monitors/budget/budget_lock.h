#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "tuplespace/system/mapping.h"

namespace eventspace {

/// Shows which tool keeps the budget of a session: only that tool switches classes of events, so that
/// two tools with budgets do not undo each other's settings. It is a locked file in the user's directory
/// (tuplespace/system/runtime_directory.h), so it holds for this user's tools on one machine, and the kernel
/// releases it when the tool ends in any way. Not thread-safe.
class BudgetLock {
 public:
  /// Throws EnvironmentError if the directory cannot be used.
  explicit BudgetLock(std::string_view session);
  /// Releases the lock and removes the file.
  ~BudgetLock();
  BudgetLock(const BudgetLock&) = delete;
  BudgetLock& operator=(const BudgetLock&) = delete;

  /// Takes the lock unless another tool holds it. Returns whether this tool holds it now. Never waits.
  /// Throws EnvironmentError if the file cannot be opened.
  bool take();
  /// The process that held the lock at the last take() that failed; 0 if that is unknown.
  [[nodiscard]] std::int32_t holder() const noexcept { return holder_; }

 private:
  bool take_once();
  [[nodiscard]] bool is_at_its_path() const noexcept;

  std::filesystem::path path_;
  FileHandle file_;
  std::int32_t holder_{0};
};

}  // namespace eventspace
