// MPI programs that hang, one fault each, and healthy programs whose ranks wait long for each other: hang_app
// MODE. For tests, without EventSpace; built with each MPI; for 4 ranks. Rank 0 prints "ready" when all ranks
// have passed a barrier and the fault is next; healthy programs end when there is a file $GO_ON.
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { large = 1 << 22 };  // bytes: more than any MPI sends ahead of a receive
static char out[large], in[large];
static int rank, size;
static MPI_Comm a, b;

static void send(int to, int tag, int bytes) { MPI_Send(out, bytes, MPI_CHAR, to, tag, MPI_COMM_WORLD); }
static void receive(int from, int tag, int bytes) {
  MPI_Recv(in, bytes, MPI_CHAR, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static void barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }
static void sum(MPI_Comm comm) {
  int mine = rank, all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, comm);
}
static void compute(void) {
  for (volatile unsigned long i = 0;; ++i) {
  }
}
static void sleep_in_io(void) {
  int ends[2];
  char byte;
  if (pipe(ends) != 0 || read(ends[0], &byte, 1) != 1) exit(9);
}

// --- faults
// -------------------------------------------------------------------------------------------------

static void absent_computes(void) {
  if (rank == 2) compute();
  barrier();
}
static void absent_sleeps(void) {
  if (rank == 2) sleep_in_io();
  sum(a);
}
static void absent_from_split(void) {
  MPI_Comm part;
  if (rank == 1) sleep_in_io();
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &part);
}
static void absent_from_finalize(void) {
  if (rank == 3) compute();
  MPI_Finalize();
}
static void absent_from_started(void) {  // a non-blocking operation that one rank never starts
  MPI_Request request;
  if (rank == 1) compute();
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void other_collective(void) {
  if (rank == 2)
    barrier();
  else
    sum(MPI_COMM_WORLD);
}
static void other_root(void) {
  int mine = 1, all[64];
  MPI_Gather(&mine, 1, MPI_INT, all, 1, MPI_INT, rank == 2 ? 2 : 0, MPI_COMM_WORLD);
  barrier();
}
static void two_communicators(void) {
  sum(rank == 3 ? b : a);
  sum(rank == 3 ? a : b);
}
static void lost_receive(void) {
  if (rank == 0) send(1, 41, 8);
  if (rank == 1) receive(0, 42, 8);
  barrier();
}
static void lost_send(void) {
  if (rank == 1) MPI_Ssend(out, 8, MPI_CHAR, 2, 7, MPI_COMM_WORLD);
  barrier();
}
static void cycle_of_sends(void) {
  send((rank + 1) % size, 1, large);
  receive((rank + size - 1) % size, 1, large);
}
static void cycle_of_receives(void) {
  if (rank == 3) receive(0, 5, 8);
  if (rank < 2) receive(1 - rank, 1, 8);
  if (rank == 2) sleep_in_io();
}
static void cycle_of_waits(void) {  // in Waitall and in a receive from any rank
  MPI_Request requests[2];
  if (rank == 0) {
    for (int i = 0; i < 2; ++i) MPI_Irecv(in + i, 1, MPI_CHAR, i + 1, 3, MPI_COMM_WORLD, &requests[i]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  } else {
    receive(rank == 1 ? MPI_ANY_SOURCE : 0, 3, 1);
  }
}
static void partner_never_starts(void) {
  MPI_Request request;
  if (rank == 0) {
    MPI_Irecv(in, 8, MPI_CHAR, 1, 3, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (rank == 1) compute();
  if (rank >= 2) sleep_in_io();
}
static void stopped(void) {
  if (rank == 2) raise(SIGSTOP);
  barrier();
}
static void killed(void) {
  if (rank == 2) raise(SIGKILL);
  barrier();
}
static void slow_but_alive(void) {
  int mine = 0, all = 0;
  while (rank == 2) {
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
    usleep(1000);
  }
  barrier();
}

// --- polls for messages that are never sent

static void polls_in_a_circle(void) {
  MPI_Request request;
  int flag = 0;
  MPI_Irecv(in, 8, MPI_CHAR, (rank + 1) % size, 3, MPI_COMM_WORLD, &request);
  while (!flag) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
}
static void polls_from_any(void) {
  for (int flag = 0; !flag;) MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}
static void polls_by_turns(void) {  // each of three requests, and a probe
  MPI_Request requests[3];
  int flag = 0;
  for (int i = 0; i < 3; ++i) MPI_Irecv(in + i, 1, MPI_CHAR, (rank + i + 1) % size, 3, b, &requests[i]);
  while (!flag) {
    for (int i = 0; i < 3 && !flag; ++i) MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
    if (!flag) MPI_Iprobe(MPI_ANY_SOURCE, 99, a, &flag, MPI_STATUS_IGNORE);
  }
}
static void polls_and_sleeps(void) {
  int flag = 0;
  while (rank == 2 && !flag) {
    MPI_Iprobe(0, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    usleep(1000);
  }
  barrier();
}
static void polls_for_absent(void) {
  MPI_Request request;
  int flag = 0;
  if (rank == 1) sleep_in_io();
  MPI_Irecv(in, 8, MPI_CHAR, rank == 0 ? 1 : 0, 3, MPI_COMM_WORLD, &request);
  while (!flag) MPI_Testall(1, &request, &flag, MPI_STATUSES_IGNORE);
}

static void absent_from_init(void) {  // called before MPI begins
  const char* own = getenv("OMPI_COMM_WORLD_RANK") ? getenv("OMPI_COMM_WORLD_RANK") : getenv("PMI_RANK");
  if (strcmp(own, "0") == 0) {
    printf("ready\n");
    fflush(stdout);
  }
  if (strcmp(own, "2") == 0) sleep_in_io();
}

// --- one-sided communication

static MPI_Win windows[2];
static int exposed[2];
static void make_windows(void) {
  for (int i = 0; i < 2; ++i)
    MPI_Win_create(&exposed[i], sizeof exposed[i], sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &windows[i]);
}
static void free_windows(void) {
  for (int i = 0; i < 2; ++i)
    if (windows[i] != 0 && windows[i] != MPI_WIN_NULL) MPI_Win_free(&windows[i]);
}
static void lock_for_sure(int window, int target) {  // the lock may be taken only when it is needed
  int mine = rank, theirs = 0;
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, windows[window]);
  MPI_Get_accumulate(&mine, 1, MPI_INT, &theirs, 1, MPI_INT, target, 0, 1, MPI_INT, MPI_SUM, windows[window]);
  MPI_Win_flush(target, windows[window]);
}
static MPI_Group group_of(int member) {
  MPI_Group all, one;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &member, &one);
  MPI_Group_free(&all);
  return one;
}
static void post_to(int member, MPI_Win window) {
  MPI_Group group = group_of(member);
  MPI_Win_post(group, 0, window);
  MPI_Group_free(&group);
}
static void start_to(int member, MPI_Win window) {
  MPI_Group group = group_of(member);
  MPI_Win_start(group, 0, window);
  MPI_Group_free(&group);
}
static void absent_from_window(void) {
  if (rank == 3) sleep_in_io();
  make_windows();
}
static void absent_from_fence(void) {
  make_windows();
  MPI_Win_fence(0, windows[0]);
  if (rank == 2) sleep_in_io();
  MPI_Win_fence(0, windows[0]);
}
static void lock_is_kept(void) {
  make_windows();
  if (rank == 1) lock_for_sure(0, 0);
  barrier();
  if (rank == 1) sleep_in_io();
  if (rank == 2) {
    lock_for_sure(0, 0);
    MPI_Win_unlock(0, windows[0]);
  }
  barrier();
}
static void locks_in_a_circle(void) {
  make_windows();
  if (rank < 2) lock_for_sure(rank, 2);
  barrier();
  if (rank < 2) lock_for_sure(1 - rank, 2);
  barrier();
}
static void absent_from_post(void) {
  make_windows();
  if (rank == 1) sleep_in_io();
  if (rank == 0) {
    start_to(1, windows[0]);
    MPI_Win_complete(windows[0]);
  }
  barrier();
}
static void absent_from_complete(void) {
  make_windows();
  if (rank == 1) {
    post_to(0, windows[0]);
    MPI_Win_wait(windows[0]);
  }
  if (rank == 0) {
    start_to(1, windows[0]);
    sleep_in_io();
  }
  barrier();
}

// --- healthy programs: in each step one rank is late, by up to `worst`
// ------------------------------------------

static int worst_ms = 300;
static void pause_ms(int ms) { usleep((unsigned)ms * 1000); }
// The waits grow at first, as in a program with a warm-up.
static int late_ms(int step) { return step < 8 ? worst_ms * (step + 1) / 8 : worst_ms * (4 + step % 5) / 8; }
static int goes_on(int step) {  // all ranks decide the same
  int go_on = 1;
  if (rank == 0) {
    if (step == 8) {
      printf("ready\n");
      fflush(stdout);
    }
    go_on = step < 9 || access(getenv("GO_ON"), F_OK) != 0;
  }
  MPI_Bcast(&go_on, 1, MPI_INT, 0, a);
  return go_on;
}

static void late_in_turn(int step) {
  if (step % size == rank) pause_ms(late_ms(step));
  barrier();
}
// The others have come when rank 3 begins to pause, however busy the machine is.
static void one_is_late(int step) {
  for (int i = 0; rank == 3 && i < 3; ++i) receive(i, 1, 8);
  if (rank == 3) pause_ms(late_ms(step));
  if (rank != 3) send(3, 1, 8);
  sum(MPI_COMM_WORLD);
}
// Rank 2 is late, and its neighbours wait for its messages.
static void late_neighbour(int step) {
  MPI_Request requests[2];
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  MPI_Irecv(in, 1000, MPI_CHAR, left, 1, b, &requests[0]);
  MPI_Irecv(in + 1000, 1000, MPI_CHAR, right, 2, b, &requests[1]);
  if (rank == 2) pause_ms(late_ms(step));
  MPI_Send(out, 1000, MPI_CHAR, right, 1, b);
  MPI_Send(out, 1000, MPI_CHAR, left, 2, b);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}
static void master_and_workers(int step) {
  if (rank == 0) {
    for (int i = 1; i < size; ++i) receive(MPI_ANY_SOURCE, MPI_ANY_TAG, 8);
  } else {
    if (rank == 1 + step % (size - 1)) pause_ms(late_ms(step));
    send(0, rank, 8);
  }
}
static void pipeline(int step) {
  if (rank > 0) receive(rank - 1, step, large);
  pause_ms(late_ms(step) / size);
  if (rank + 1 < size) send(rank + 1, step, large);
}
static void neighbours(int step) {
  MPI_Request requests[4];
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  MPI_Irecv(in, 1000, MPI_CHAR, left, 1, b, &requests[0]);
  MPI_Irecv(in + 1000, 1000, MPI_CHAR, right, 2, b, &requests[1]);
  if (step % size == rank) pause_ms(late_ms(step));
  MPI_Isend(out, 1000, MPI_CHAR, right, 1, b, &requests[2]);
  MPI_Isend(out, 1000, MPI_CHAR, left, 2, b, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}
static void two_paces(int step) {
  MPI_Request request;
  MPI_Ibarrier(b, &request);
  if (rank == step % size) pause_ms(late_ms(step));
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < 20; ++i) sum(a);
}

// The group of an exposure epoch is known even if another window is freed and an access epoch begins during
// it.
static void absent_from_late_complete(void) {
  make_windows();
  if (rank == 1) {
    post_to(0, windows[0]);
    MPI_Win_wait(windows[0]);
    post_to(0, windows[1]);
  }
  if (rank == 0) {
    start_to(1, windows[0]);
    MPI_Win_complete(windows[0]);
    start_to(1, windows[1]);
  }
  MPI_Win_free(&windows[0]);
  if (rank == 2) {
    post_to(1, windows[1]);
    MPI_Win_wait(windows[1]);
  }
  if (rank == 1) {
    start_to(2, windows[1]);
    MPI_Win_complete(windows[1]);
    MPI_Win_wait(windows[1]);
  }
  if (rank == 0) sleep_in_io();
  barrier();
}

// Epochs of all sorts; in each step one rank is late.
static void epochs(int step) {
  if (windows[0] == 0) make_windows();
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  if (step % size == rank) pause_ms(late_ms(step));
  MPI_Win_fence(0, windows[0]);
  MPI_Win_fence(0, windows[0]);
  if (step % size == rank) pause_ms(late_ms(step) / 2);
  post_to(left, windows[1]);
  start_to(right, windows[1]);
  MPI_Win_complete(windows[1]);
  MPI_Win_wait(windows[1]);
  barrier();
  lock_for_sure(0, 0);
  if (step % size == rank) pause_ms(late_ms(step) / 2);
  MPI_Win_unlock(0, windows[0]);
  barrier();
}

// Rank 0 polls for results of the others, which compute.
static void master_polls(int step) {
  for (int i = 1; rank == 0 && i < size; ++i) {
    MPI_Status status;
    for (int flag = 0; !flag;) MPI_Iprobe(MPI_ANY_SOURCE, 5, b, &flag, &status);
    MPI_Recv(in, 8, MPI_CHAR, status.MPI_SOURCE, 5, b, MPI_STATUS_IGNORE);
  }
  if (rank == 0) return;
  if (rank == 1 + step % (size - 1)) pause_ms(late_ms(step));
  MPI_Send(out, 8, MPI_CHAR, 0, 5, b);
}
static void neighbours_poll(int step) {
  MPI_Request request;
  MPI_Irecv(in, 8, MPI_CHAR, (rank + size - 1) % size, 1, b, &request);
  if (step % size == rank) pause_ms(late_ms(step));
  MPI_Send(out, 8, MPI_CHAR, (rank + 1) % size, 1, b);
  for (int flag = 0; !flag;) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
}
// Tests help messages along while all compute.
static void tests_while_computing(int step) {
  MPI_Request request;
  int flag = 0;
  MPI_Irecv(in, 8, MPI_CHAR, (rank + size - 1) % size, 1, b, &request);
  const double end = MPI_Wtime() + late_ms(step) * 1e-3;
  while (MPI_Wtime() < end) {
    for (volatile int i = 0; i < 200000; ++i) {
    }
    if (!flag) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  }
  MPI_Send(out, 8, MPI_CHAR, (rank + 1) % size, 1, b);
  if (!flag) MPI_Wait(&request, MPI_STATUS_IGNORE);
}
// A thread that always polls, beside one that computes or waits.
static void* poll_always(void* unused) {
  for (int flag = 0; !flag; sched_yield())
    MPI_Iprobe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  MPI_Recv(in, 8, MPI_CHAR, MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return unused;
}
static pthread_t poller;
static void progress_thread(int step) {
  if (step == 0) pthread_create(&poller, 0, poll_always, 0);
  pause_ms(late_ms(step));
  barrier();
}

struct mode {
  const char* name;
  void (*fault)(void);
  void (*step)(int);
};
static const struct mode modes[] = {
    {"absent_computes", absent_computes, 0},
    {"absent_sleeps", absent_sleeps, 0},
    {"absent_from_split", absent_from_split, 0},
    {"absent_from_finalize", absent_from_finalize, 0},
    {"absent_from_started", absent_from_started, 0},
    {"other_collective", other_collective, 0},
    {"other_root", other_root, 0},
    {"two_communicators", two_communicators, 0},
    {"lost_receive", lost_receive, 0},
    {"lost_send", lost_send, 0},
    {"cycle_of_sends", cycle_of_sends, 0},
    {"cycle_of_receives", cycle_of_receives, 0},
    {"cycle_of_waits", cycle_of_waits, 0},
    {"partner_never_starts", partner_never_starts, 0},
    {"stopped", stopped, 0},
    {"killed", killed, 0},
    {"slow_but_alive", slow_but_alive, 0},
    {"absent_from_init", barrier, 0},
    {"absent_from_window", absent_from_window, 0},
    {"absent_from_fence", absent_from_fence, 0},
    {"lock_is_kept", lock_is_kept, 0},
    {"locks_in_a_circle", locks_in_a_circle, 0},
    {"absent_from_post", absent_from_post, 0},
    {"absent_from_complete", absent_from_complete, 0},
    {"absent_from_late_complete", absent_from_late_complete, 0},
    {"late_in_turn", 0, late_in_turn},
    {"one_is_late", 0, one_is_late},
    {"late_neighbour", 0, late_neighbour},
    {"master_and_workers", 0, master_and_workers},
    {"pipeline", 0, pipeline},
    {"neighbours", 0, neighbours},
    {"two_paces", 0, two_paces},
    {"epochs", 0, epochs},
    {"polls_in_a_circle", polls_in_a_circle, 0},
    {"polls_from_any", polls_from_any, 0},
    {"polls_by_turns", polls_by_turns, 0},
    {"polls_and_sleeps", polls_and_sleeps, 0},
    {"polls_for_absent", polls_for_absent, 0},
    {"master_polls", 0, master_polls},
    {"neighbours_poll", 0, neighbours_poll},
    {"tests_while_computing", 0, tests_while_computing},
    {"progress_thread", 0, progress_thread},
};

int main(int argc, char** argv) {
  const struct mode* mode = modes;
  while (argc < 2 || strcmp(mode->name, argv[1]) != 0)
    if (++mode == modes + sizeof modes / sizeof *modes) return 2;
  if (getenv("WORST_MS")) worst_ms = atoi(getenv("WORST_MS"));
  if (strcmp(mode->name, "absent_from_init") == 0) absent_from_init();
  int level = 0;
  const int has_thread = strcmp(mode->name, "progress_thread") == 0;
  if (has_thread)
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  else
    MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_dup(MPI_COMM_WORLD, &a);
  MPI_Comm_dup(MPI_COMM_WORLD, &b);
  if (mode->step)
    for (int step = 0; goes_on(step); ++step) mode->step(step);
  if (has_thread) {
    send(rank, 77, 8);
    pthread_join(poller, 0);
  }
  if (mode->fault) {
    barrier();
    if (rank == 0) {
      printf("ready\n");
      fflush(stdout);
    }
    mode->fault();
  }
  free_windows();
  MPI_Finalize();
  return 0;
}
