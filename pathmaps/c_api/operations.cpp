#include <memory>
#include <string>
#include <utility>

#include <eventspace/stage.h>
#include "pathmaps/c_api/calls.h"
#include "pathmaps/c_api/sessions.h"
#include "pathmaps/c_api/tuples.h"

using namespace eventspace;         // NOLINT(google-build-using-namespace): the functions are C
using namespace eventspace::c_api;  // NOLINT(google-build-using-namespace)

namespace eventspace::c_api {
namespace {

/// The use of a path, and of its thread, for one call.
class PathInUse {
 public:
  explicit PathInUse(es_path* path) : path_(need(path, "path")), thread_(*path_.thread) {}
  Path* operator->() const noexcept { return path_.path; }

 private:
  es_path& path_;
  ThreadInUse thread_;
};

From from_of(es_from from) {
  if (from == ES_OLDEST) return From::oldest;
  if (from == ES_NEWEST) return From::newest;
  throw Misuse("from is " + std::to_string(static_cast<int>(from)));
}

const Template* template_of(const es_template* match) { return match != nullptr ? &match->made : nullptr; }

/// An element of this process does not say why it refuses.
std::string refusal_of(const Tuple& tuple) {
  return "the element has tuples of another type than " + tuple.signature().to_string() +
         ", or this one is too large";
}

/// Carries out an operation whose result is a status alone. A Path would not say the reason.
es_status carry_out(es_path* path, Operation operation) {
  const PathInUse used(path);
  used->stage().call(operation);
  if (operation.verb == Verb::write && operation.status == Status::refused && operation.reason.empty())
    operation.reason = refusal_of(operation.tuple);
  return ended(operation.status, operation.reason);
}

/// Stores the tuple of a call that succeeded.
es_status store(Received received, es_tuple** tuple) {
  if (received.status != Status::ok) return ended(received.status, received.reason);
  *tuple = std::make_unique<es_tuple>(std::move(received.tuple), received.sequence).release();
  return ES_OK;
}

/// Carries out `call` on the path, and stores the tuple of its Received, else null.
template <class Call>
es_status receive(es_path* path, es_tuple** tuple, Call call) noexcept {
  if (tuple != nullptr) *tuple = nullptr;
  return guarded([&] {
    need(tuple, "tuple");
    const PathInUse used(path);
    return store(call(used), tuple);
  });
}

}  // namespace
}  // namespace eventspace::c_api

es_status es_path_write(es_path* path, const es_tuple* tuple, int64_t wait_ns) {
  return guarded([&] {
    Operation operation;
    operation.verb = Verb::write;
    operation.tuple = need(tuple, "tuple").tuple;
    operation.deadline = deadline_of(wait_ns);
    return carry_out(path, std::move(operation));
  });
}

es_status es_path_read(es_path* path, es_from from, const es_template* match, int64_t wait_ns,
                       es_tuple** tuple) {
  return receive(path, tuple, [&](const PathInUse& used) {
    return used->read(from_of(from), deadline_of(wait_ns), template_of(match));
  });
}

es_status es_path_take(es_path* path, es_from from, const es_template* match, int64_t wait_ns,
                       es_tuple** tuple) {
  return receive(path, tuple, [&](const PathInUse& used) {
    return used->take(from_of(from), deadline_of(wait_ns), template_of(match));
  });
}

es_status es_path_next(es_path* path, const es_template* match, int64_t wait_ns, es_tuple** tuple,
                       uint64_t* missed) {
  return receive(path, tuple, [&](const PathInUse& used) {
    Received received = used->next(deadline_of(wait_ns), template_of(match));
    if (missed != nullptr) *missed = received.missed;
    return received;
  });
}

es_status es_path_read_at(es_path* path, uint64_t sequence, int64_t wait_ns, es_tuple** tuple) {
  return receive(path, tuple,
                 [&](const PathInUse& used) { return used->read_at(sequence, deadline_of(wait_ns)); });
}

es_status es_path_discard(es_path* path, uint64_t sequence) {
  return guarded([&] {
    Operation operation;
    operation.verb = Verb::discard;
    operation.sequence = sequence;
    return carry_out(path, std::move(operation));
  });
}

es_status es_path_exchange(es_path* path, const es_tuple* contribution, int64_t wait_ns, es_tuple** result) {
  es_tuple* received = nullptr;
  const es_status status = receive(path, &received, [&](const PathInUse& used) {
    return used->exchange(contribution != nullptr ? contribution->tuple : Tuple(), deadline_of(wait_ns));
  });
  if (result != nullptr) {
    *result = received;
  } else {
    es_tuple_free(received);
  }
  return status;
}
