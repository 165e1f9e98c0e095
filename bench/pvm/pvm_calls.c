// Times PVM calls, for bench/pvm/measure, without using EventSpace. One task, which sends to itself. Prints a
// line "FIGURE NANOSECONDS" for each figure: the least time of a call, or of the calls of a message, over
// many short batches, so that other programs on the machine matter little.
#include <pvm3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { calls_in_batch = 200, tag = 5 };
static int batches, self;
static int values[16];

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void begin_message(void) { pvm_initsend(PvmDataRaw); }
static void pack(void) { pvm_pkint(values, 16, 1); }
static void ask(void) { pvm_nrecv(self, 99); }
static void message(void) {
  pvm_initsend(PvmDataRaw);
  pvm_pkint(values, 16, 1);
  pvm_send(self, tag);
  pvm_recv(self, tag);
  pvm_upkint(values, 16, 1);
}
static void direct(void) {
  pvm_psend(self, tag, values, 16, PVM_INT);
  pvm_precv(self, tag, values, 16, PVM_INT, NULL, NULL, NULL);
}

static void measure(const char* figure, void (*call)(void)) {
  double least = 1e9;
  for (int batch = 0; batch < batches; ++batch) {
    pvm_initsend(PvmDataRaw);  // so that the message of the packing figure does not grow without bound
    const double before = seconds();
    for (int i = 0; i < calls_in_batch; ++i) call();
    const double took = (seconds() - before) / calls_in_batch;
    if (took < least) least = took;
  }
  printf("%s %.2f\n", figure, least * 1e9);
}

int main(int argc, char** argv) {
  batches = argc > 1 ? atoi(argv[1]) : 500;
  self = pvm_mytid();
  if (self < 0) return 1;
  measure("initsend", begin_message);
  measure("pkint", pack);
  measure("nrecv", ask);
  measure("message", message);
  measure("direct", direct);
  pvm_exit();
  return 0;
}
