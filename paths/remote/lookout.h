#pragma once

#include <memory>
#include <string>
#include <utility>

#include "paths/links/link.h"
#include "tuplespace/shared/shared_space.h"

namespace eventspace {

/// Detects that the process at the other end of a path has ended or was killed ("is lost"). A process that
/// has not started yet is not lost. Never blocks. Used by one thread.
class Lookout {
 public:
  virtual ~Lookout() = default;
  /// Whether the process is known to be lost. Cheap enough to call in each operation.
  [[nodiscard]] virtual bool is_lost() = 0;
  /// Checks whether the process is lost.
  [[nodiscard]] virtual bool look() = 0;
  /// A text for messages about a lost process.
  [[nodiscard]] virtual std::string reason() const = 0;

 protected:
  Lookout() = default;
  Lookout(const Lookout&) = default;
  Lookout& operator=(const Lookout&) = default;
};

/// Detects the loss by the link to the process's server. The network must be set to WhenLost::end. The link
/// must outlive this object, which is used only by the link's thread.
class LinkLookout final : public Lookout {
 public:
  /// `peer`: the process's name in messages, such as "process p1".
  LinkLookout(Link& link, std::string peer) : link_(link), peer_(std::move(peer)) {}
  bool is_lost() override { return link_.has_ended(); }
  bool look() override;
  [[nodiscard]] std::string reason() const override;

 private:
  Link& link_;
  std::string peer_;
};

/// Detects the loss by the process's element file, for a process on the same node. The space must outlive
/// this object.
class SharedLookout final : public Lookout {
 public:
  SharedLookout(SharedSpace& space, std::string process) : space_(space), process_(std::move(process)) {}
  bool is_lost() override { return lost_ || (file_ == nullptr && look()); }
  bool look() override;
  [[nodiscard]] std::string reason() const override;

 private:
  SharedSpace& space_;
  std::string process_;
  std::shared_ptr<ElementFileView> file_;  // null: the process has not been seen yet
  bool lost_{false};
};

}  // namespace eventspace
