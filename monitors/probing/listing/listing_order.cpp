#include "monitors/probing/listing/listing_order.h"

#include "monitors/probing/symbols/function_names.h"

namespace eventspace {

void check_listing(const ListingOrder& order) {
  check_choice(order.choice);
  check_groups(order.choice, order.groups);
  require_function_pattern(order.functions.pattern);
  require_function_pattern(order.functions.callers_of);
  require_glob("the pattern of --module", order.modules);
}

}  // namespace eventspace
