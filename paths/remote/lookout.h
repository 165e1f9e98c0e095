#pragma once

// Private to paths/.

#include <memory>
#include <string>
#include <utility>

#include "paths/links/link.h"
#include "tuplespace/shared/shared_space.h"

namespace eventspace {

/// Tells whether the process at the other end of a path is still there. A process that was never there is not
/// lost. One thread.
class Lookout {
 public:
  virtual ~Lookout() = default;
  /// Whether it is known to be lost; cheap enough for each operation.
  [[nodiscard]] virtual bool is_lost() = 0;
  /// Looks, without waiting; whether it is lost.
  [[nodiscard]] virtual bool look() = 0;
  /// For messages, once it is lost: how one can tell.
  [[nodiscard]] virtual std::string reason() const = 0;

 protected:
  Lookout() = default;
  Lookout(const Lookout&) = default;
  Lookout& operator=(const Lookout&) = default;
};

/// By the link to its server, which must outlive this; WhenLost::end. Belongs to the link's thread.
class LinkLookout final : public Lookout {
 public:
  /// `peer`: what to call the process in messages, "process p1".
  LinkLookout(Link& link, std::string peer) : link_(link), peer_(std::move(peer)) {}
  bool is_lost() override { return link_.has_ended(); }
  bool look() override;
  [[nodiscard]] std::string reason() const override;

 private:
  Link& link_;
  std::string peer_;
};

/// By its element file: for a process of the same node. The space must outlive this.
class SharedLookout final : public Lookout {
 public:
  SharedLookout(SharedSpace& space, std::string process) : space_(space), process_(std::move(process)) {}
  bool is_lost() override { return lost_ || (file_ == nullptr && look()); }
  bool look() override;
  [[nodiscard]] std::string reason() const override;

 private:
  SharedSpace& space_;
  std::string process_;
  std::shared_ptr<ElementFileView> file_;  // null: not seen yet
  bool lost_{false};
};

}  // namespace eventspace
