/* The header in C, as a program uses it. */
#include <eventspace/probe.h>

void probe_in_c(int count, double share, const char* text);

void probe_in_c(int count, double share, const char* text) {
  const unsigned char small = 200;
  EVENTSPACE_REGION_BEGIN("in c");
  EVENTSPACE_PROBE("nothing");
  EVENTSPACE_PROBE("values", count, share, text, small);
  EVENTSPACE_REGION_END("in c", count + 1);
  EVENTSPACE_PROBE_AT("at", count);
  EVENTSPACE_PROBE_AT("at", count + 1, small);
  EVENTSPACE_REGION_BEGIN("in c");
  EVENTSPACE_REGION_END_AT("in c", count + 2, count);
}
