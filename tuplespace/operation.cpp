#include <eventspace/operation.h>

namespace eventspace {

std::string_view to_string(Verb verb) noexcept {
  switch (verb) {
    case Verb::write:
      return "write";
    case Verb::read:
      return "read";
    case Verb::take:
      return "take";
    case Verb::discard:
      return "discard";
    case Verb::pull:
      return "pull";
    case Verb::exchange:
      return "exchange";
  }
  return "unknown";
}

std::string_view to_string(Status status) noexcept {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::under_way:
      return "under way";
    case Status::empty:
      return "empty";
    case Status::full:
      return "full";
    case Status::timed_out:
      return "timed out";
    case Status::gone:
      return "gone";
    case Status::closed:
      return "closed";
    case Status::refused:
      return "refused";
  }
  return "unknown";
}

}  // namespace eventspace
