#include "tests/fuzz/fuzz.h"

std::vector<std::string> eventspace::fuzz::seeds() {
  return {"duration > 20ms and path matches 'receive/**'",
          "not (in_flight or verb == 'take') and bytes >= 4096",
          "(end - start) / 2 + -1.5e3 * step",
          "thread in ['t1', 't2'] or status != 'ok'",
          "min(duration, 3us) < max(value1, 2)",
          "kind == 'probe' and value1 % 10 == 0"};
}
