#include "scopes/metrics/shipped_metrics.h"
#include "tests/fuzz/fuzz.h"

std::vector<std::string> eventspace::fuzz::seeds() {
  return {std::string(metrics::shipped_metrics),
          "M(Thread t, TimePoint now): Unit(\"x/s\") { /* c */ RETURN RATE(1 * Event_sum(t, \"value1\", "
          "\"true\", "
          "[LAST, NOW])); } // end",
          "A(Process[] ps, Region[] rs, TimeInterval i) { Region r; RETURN SUM(Send_count(ps, r, i) WHERE r "
          "IN rs AND "
          "NOT r.name MATCHES 'x*'); }",
          "B(Node n, VirtualTime vt) { PROBE e(Process, VirtualTime, Value x); Process p; Value v; Value[][] "
          "a; a[p][vt] "
          "= -v AT e(p, vt + 1, v); RETURN MAX[p](a[p][vt], 1 % 2); }"};
}
