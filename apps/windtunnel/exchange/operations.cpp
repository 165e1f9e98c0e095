#include "apps/windtunnel/exchange/operations.h"

#include <utility>

#include <eventspace/stage.h>
#include "apps/windtunnel/exchange/failure.h"

namespace eventspace::windtunnel {

void write(std::string_view thread, Path& path, Tuple tuple) {
  Operation operation;
  operation.verb = Verb::write;
  operation.tuple = std::move(tuple);
  // Not Path::write, which returns the status but not the reason.
  path.stage().call(operation);
  if (operation.status != Status::ok)
    throw OperationError(thread, path.name(), operation.status, operation.reason);
}

Tuple take(std::string_view thread, Path& path) {
  auto received = path.take();
  if (!received) throw OperationError(thread, path.name(), received.status, received.reason);
  return std::move(received.tuple);
}

Tuple exchange(std::string_view thread, Path& path, Tuple tuple) {
  auto received = path.exchange(std::move(tuple));
  if (!received) throw OperationError(thread, path.name(), received.status, received.reason);
  return std::move(received.tuple);
}

}  // namespace eventspace::windtunnel
