#include "paths/security/shared_context.h"

#include <unistd.h>

#include <atomic>

namespace eventspace {
namespace {

struct ContextRegistry {
  explicit ContextRegistry(ContextRegistry* of_parent) : parent(of_parent) {}
  const pid_t owner{::getpid()};
  ContextRegistry* const parent;  // where leak checkers find it
  std::mutex making;              // held while a context is made or ended, and while keys are made
  std::mutex mutex;               // guards the next
  std::weak_ptr<SharedContext> context;
};

// A forked child has its own registry, because a thread that does not exist in the child may hold the
// parent's locks.
ContextRegistry& context_registry() {
  static std::atomic<ContextRegistry*> current{nullptr};
  ContextRegistry* found = current.load(std::memory_order_acquire);
  while (found == nullptr || found->owner != ::getpid()) {
    auto mine = std::make_unique<ContextRegistry>(found);
    if (current.compare_exchange_strong(found, mine.get(), std::memory_order_acq_rel)) return *mine.release();
  }
  return *found;
}

void end(SharedContext* context) {
  const auto lock = SharedContext::pause_making();
  delete context;
}

}  // namespace

std::unique_lock<std::mutex> SharedContext::pause_making() {
  return std::unique_lock(context_registry().making);
}

std::shared_ptr<SharedContext> SharedContext::get() {
  ContextRegistry& here = context_registry();
  const std::lock_guard lock(here.mutex);
  if (auto found = here.context.lock()) return found;
  const auto making = pause_making();
  std::shared_ptr<SharedContext> made(new SharedContext, end);
  here.context = made;
  return made;
}

SharedContext::SharedContext() { zmq_.set(zmq::ctxopt::max_sockets, 60000); }

// The authenticator waits for requests until the context is shut down. Messages under way are still sent.
SharedContext::~SharedContext() {
  if (authenticator_) zmq_.shutdown();
  authenticator_.reset();
}

Authenticator& SharedContext::authenticator() {
  const std::lock_guard lock(mutex_);
  if (!authenticator_) authenticator_ = std::make_unique<Authenticator>(zmq_);
  return *authenticator_;
}

}  // namespace eventspace
