#include "collectors/stamp.h"

namespace eventspace {

std::string_view to_string(StampOrder order) noexcept {
  return order == StampOrder::plain ? "plain" : "ordered";
}

}  // namespace eventspace
