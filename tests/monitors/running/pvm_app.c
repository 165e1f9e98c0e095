/* Unmodified programs of PVM: pvm_app PATTERN TASKS ROUNDS BYTES [direct]. The first task spawns the others, on
 * the hosts of the virtual machine by turns, and all play the pattern; `direct`: over connections of their own,
 * not through the daemons. At the end each task waits for the file $GO_ON, if that is set, leaves PVM and ends; the
 * first one says "took SECONDS" and "ready" before. */
#include <pvm3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

enum { max_tasks = 64, table_tag = 1, tag = 5, done_tag = 9 };

static int tasks, rank, tids[max_tasks], rounds, bytes;
static char* data;

static double now(void) {
  struct timeval time;
  gettimeofday(&time, NULL);
  return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static void work(double seconds) {
  const double until = now() + seconds;
  while (now() < until) {
  }
}

static void send_to(int to, int count) {
  pvm_initsend(PvmDataRaw);
  pvm_pkbyte(data, count, 1);
  pvm_send(tids[to], tag);
}

static void receive_from(int from, int count) {
  pvm_recv(tids[from], tag);
  pvm_upkbyte(data, count, 1);
}

static void neighbours(void) {
  const int left = (rank + tasks - 1) % tasks, right = (rank + 1) % tasks;
  for (int i = 0; i < rounds; ++i) {
    work(0.002);
    send_to(left, bytes);
    send_to(right, bytes);
    receive_from(right, bytes);
    receive_from(left, bytes);
  }
}

/* Each sends to those before it, more to the farther ones. */
static void irregular(void) {
  for (int i = 0; i < rounds; ++i) {
    for (int to = 0; to < rank; ++to) send_to(to, bytes * (rank - to));
    for (int from = rank + 1; from < tasks; ++from) receive_from(from, bytes * (from - rank));
  }
}

static void all_to_all(void) {
  for (int i = 0; i < rounds; ++i) {
    for (int other = 0; other < tasks; ++other)
      if (other != rank) send_to(other, bytes);
    for (int other = 0; other < tasks; ++other)
      if (other != rank) receive_from(other, bytes);
  }
}

static void transpose(void) {
  for (int i = 0; i < rounds; ++i) {
    for (int step = 1; step < tasks; ++step) {
      pvm_psend(tids[(rank + step) % tasks], tag, data, bytes, PVM_BYTE);
      pvm_precv(tids[(rank + tasks - step) % tasks], tag, data, bytes, PVM_BYTE, NULL, NULL, NULL);
    }
  }
}

static void wavefront(void) {
  for (int i = 0; i < rounds; ++i) {
    if (rank > 0) receive_from(rank - 1, bytes);
    work(0.001);
    if (rank + 1 < tasks) send_to(rank + 1, bytes);
  }
}

static void to_itself(void) {
  for (int i = 0; i < rounds; ++i) {
    send_to(rank, bytes);
    receive_from(rank, bytes);
  }
}

static void multicast(void) {
  for (int i = 0; i < rounds; ++i) {
    if (rank == 0) {
      pvm_initsend(PvmDataDefault);
      pvm_pkbyte(data, bytes, 1);
      pvm_mcast(tids + 1, tasks - 1, tag);
    } else {
      receive_from(0, bytes);
    }
  }
}

static void group(void) {
  int values[4] = {rank, 1, 2, 3};
  int all[4 * max_tasks];
  memset(all, 0, sizeof all);
  pvm_joingroup("team");
  while (pvm_gsize("team") < tasks) usleep(1000);
  for (int i = 0; i < rounds; ++i) {
    pvm_barrier("team", tasks);
    if (rank == 0) {
      pvm_initsend(PvmDataRaw);
      pvm_pkbyte(data, bytes, 1);
      pvm_bcast("team", tag);
    } else {
      receive_from(0, bytes);
    }
    pvm_reduce(PvmSum, values, 4, PVM_INT, 20, "team", pvm_getinst("team", tids[0]));
    pvm_gather(all, values, 4, PVM_INT, 21, "team", pvm_getinst("team", tids[0]));
    pvm_scatter(values, all, 4, PVM_INT, 22, "team", pvm_getinst("team", tids[0]));
  }
  pvm_barrier("team", tasks);
}

/* Each kind of packing once, to itself. */
static void pack(void) {
  char text[16] = "text";
  short s[2] = {1, 2};
  unsigned short us[2] = {1, 2};
  int i[2] = {1, 2};
  unsigned int ui[2] = {1, 2};
  long l[2] = {1, 2};
  unsigned long ul[2] = {1, 2};
  float f[4] = {1, 2, 3, 4};
  double d[4] = {1, 2, 3, 4};
  pvm_initsend(PvmDataDefault);
  pvm_pkbyte(text, 3, 1);
  pvm_pkshort(s, 2, 1);
  pvm_pkushort(us, 2, 1);
  pvm_pkint(i, 2, 1);
  pvm_pkuint(ui, 2, 1);
  pvm_pklong(l, 2, 1);
  pvm_pkulong(ul, 2, 1);
  pvm_pkfloat(f, 2, 1);
  pvm_pkdouble(d, 2, 1);
  pvm_pkcplx(f, 2, 1);
  pvm_pkdcplx(d, 2, 1);
  pvm_pkstr(text);
  pvm_packf("%d %s", 7, text);
  pvm_send(tids[rank], tag);
  pvm_recv(-1, -1);
  pvm_upkbyte(text, 3, 1);
  pvm_upkshort(s, 2, 1);
  pvm_upkushort(us, 2, 1);
  pvm_upkint(i, 2, 1);
  pvm_upkuint(ui, 2, 1);
  pvm_upklong(l, 2, 1);
  pvm_upkulong(ul, 2, 1);
  pvm_upkfloat(f, 2, 1);
  pvm_upkdouble(d, 2, 1);
  pvm_upkcplx(f, 2, 1);
  pvm_upkdcplx(d, 2, 1);
  pvm_upkstr(text);
  pvm_unpackf("%d %s", i, text);
  printf("text %s\n", text);
}

/* Receives that do not wait, or not for long. */
static void ask(void) {
  struct timeval moment = {0, 1000};
  printf("nrecv %d\n", pvm_nrecv(-1, 77));
  printf("trecv %d\n", pvm_trecv(-1, 77, &moment));
  printf("probe %d\n", pvm_probe(-1, 77));
  send_to(rank, bytes);
  while (pvm_nrecv(tids[rank], tag) == 0) usleep(1000);
  send_to(rank, bytes);
  moment.tv_sec = 10;
  pvm_trecv(-1, tag, &moment);
}

/* The first task works, and the others look for what it sends: says how often the last one looked. */
static void poll_for(void) {
  int looks = 0;
  for (int i = 0; i < rounds; ++i) {
    if (rank == 0) {
      work(0.005);
      for (int to = 1; to < tasks; ++to) send_to(to, bytes);
    } else {
      while (++looks, pvm_nrecv(tids[0], tag) == 0) {
      }
      pvm_upkbyte(data, bytes, 1);
    }
  }
  if (rank != 0) {
    pvm_initsend(PvmDataRaw);
    pvm_pkint(&looks, 1, 1);
    pvm_send(tids[0], tag + 1);
  } else {
    pvm_recv(tids[tasks - 1], tag + 1);
    pvm_upkint(&looks, 1, 1);
    printf("looked %d times\n", looks);
  }
}

/* The first task sleeps, and the others wait for it. */
static void wait_for_first(void) {
  if (rank == 0) pause();
  pvm_recv(tids[0], tag);
}
static void stick(void) { pvm_recv(-1, 99); }
static void crash(void) { abort(); }
static void fail(void) { pvm_send(-5, tag); }

/* A child that calls PVM as its parent does: it would disturb PVM if it sent. */
static void fork_off(void) {
  if (fork() == 0) {
    pvm_initsend(PvmDataRaw);
    _exit(0);
  }
  send_to(rank, bytes);
  receive_from(rank, bytes);
}

/* Functions that are not recorded, around a message. */
static void unrecorded(void) {
  printf("option %d\n", pvm_getopt(PvmRoute));
  pvm_setopt(PvmFragSize, 5000);
  printf("host %s\n", pvm_tidtohost(tids[rank]) > 0 ? "known" : "not known");
  const int buffer = pvm_mkbuf(PvmDataRaw);
  printf("buffer %s\n", pvm_freebuf(buffer) == 0 ? "freed" : "kept");
  send_to(rank, bytes);
  receive_from(rank, bytes);
  printf("code %d\n", pvm_archcode("LINUX64"));
}

static const struct {
  const char* name;
  void (*play)(void);
} patterns[] = {{"neighbours", neighbours},
                {"irregular", irregular},
                {"alltoall", all_to_all},
                {"transpose", transpose},
                {"wavefront", wavefront},
                {"self", to_itself},
                {"mcast", multicast},
                {"group", group},
                {"pack", pack},
                {"ask", ask},
                {"poll", poll_for},
                {"wait", wait_for_first},
                {"stick", stick},
                {"crash", crash},
                {"fail", fail},
                {"unrecorded", unrecorded},
                {"fork", fork_off}};

/* Returns how many there are. */
static int spawn_others(char** arguments) {
  struct pvmhostinfo* hosts;
  int count = 0, kinds, spawned = 0;
  if (pvm_config(&count, &kinds, &hosts) < 0 || count < 2)
    return pvm_spawn(arguments[0], arguments + 1, PvmTaskDefault, "", tasks - 1, tids + 1);
  for (int i = 1; i < tasks; ++i)
    spawned += pvm_spawn(arguments[0], arguments + 1, PvmTaskHost, hosts[i % count].hi_name, 1, tids + i);
  return spawned;
}

static void begin(char** arguments) {
  if (pvm_parent() > 0) {
    pvm_recv(pvm_parent(), table_tag);
    pvm_upkint(tids, tasks, 1);
  } else {
    tids[0] = pvm_mytid();
    if (tasks > 1 && spawn_others(arguments) != tasks - 1) {
      fprintf(stderr, "cannot spawn %s: %d\n", arguments[0], tids[1]);
      pvm_exit();
      exit(1);
    }
    for (int i = 1; i < tasks; ++i) {
      pvm_initsend(PvmDataRaw);
      pvm_pkint(tids, tasks, 1);
      pvm_send(tids[i], table_tag);
    }
  }
  while (tids[rank] != pvm_mytid()) ++rank;
  /* All begin together, and are connected with the first one. */
  if (rank > 0) {
    pvm_initsend(PvmDataRaw);
    pvm_send(tids[0], table_tag);
    pvm_recv(tids[0], table_tag);
  } else {
    for (int i = 1; i < tasks; ++i) pvm_recv(tids[i], table_tag);
    for (int i = 1; i < tasks; ++i) {
      pvm_initsend(PvmDataRaw);
      pvm_send(tids[i], table_tag);
    }
  }
}

/* The first task waits for all, so that what it says holds for all. */
static void end(double since) {
  struct stat status;
  if (rank > 0) {
    pvm_initsend(PvmDataRaw);
    pvm_send(tids[0], done_tag);
  } else {
    for (int i = 1; i < tasks; ++i) pvm_recv(tids[i], done_tag);
    printf("took %.6f\nready\n", now() - since);
    fflush(stdout);
  }
  while (getenv("GO_ON") != NULL && stat(getenv("GO_ON"), &status) != 0) usleep(10000);
  pvm_exit();
}

int main(int argc, char** argv) {
  if (argc != 5 && argc != 6) {
    fprintf(stderr, "usage: pvm_app PATTERN TASKS ROUNDS BYTES [direct]\n");
    return 2;
  }
  if (argc == 6) pvm_setopt(PvmRoute, PvmRouteDirect);
  tasks = atoi(argv[2]);
  rounds = atoi(argv[3]);
  bytes = atoi(argv[4]);
  data = calloc((size_t)bytes + 1, max_tasks);
  begin(argv);
  const double since = now();
  for (size_t i = 0; i < sizeof patterns / sizeof *patterns; ++i)
    if (strcmp(patterns[i].name, argv[1]) == 0) patterns[i].play();
  end(since);
  return 0;
}
