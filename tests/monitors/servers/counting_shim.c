// A second count of the calls of MPI, for tests: it ignores the parameters of functions, except of some whose
// bytes it counts. Preloaded before or after the library under test. Calls that MPI itself makes are not
// counted. When the process exits, appends lines "FUNCTION CALLS BYTES" to the file $COUNTS.RANK. With
// $COUNTS_WAIT, MPI_Finalize makes the file $COUNTS.ready.RANK and waits until the file $COUNTS_WAIT exists.
#include <dlfcn.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// The function, and the positions of a count and a datatype among its parameters, from 1; 0: its bytes are
// not counted.
#define FUNCTIONS(X)                                                                                            \
  X(Send, 2, 3) X(Ssend, 2, 3) X(Recv, 0, 0) X(Isend, 2, 3) X(Irecv, 0, 0) X(Sendrecv, 2, 3) X(Wait, 0, 0)      \
  X(Waitall, 0, 0) X(Waitany, 0, 0) X(Test, 0, 0) X(Send_init, 2, 3) X(Recv_init, 0, 0) X(Start, 0, 0)          \
  X(Startall, 0, 0) X(Request_free, 0, 0) X(Probe, 0, 0) X(Comm_split, 0, 0) X(Comm_dup, 0, 0)                  \
  X(Comm_free, 0, 0) X(Allreduce, 3, 4) X(Reduce, 3, 4) X(Bcast, 2, 3) X(Barrier, 0, 0) X(Ibarrier, 0, 0)       \
  X(Allgather, 0, 0) X(Gather, 2, 3) X(Alltoall, 2, 3) X(Finalize, 0, 0) X(Bsend, 2, 3) X(Rsend, 2, 3)          \
  X(Ibsend, 2, 3) X(Issend, 2, 3) X(Irsend, 2, 3) X(Mrecv, 0, 0) X(Imrecv, 0, 0) X(Sendrecv_replace, 0, 0)      \
  X(Bsend_init, 0, 0) X(Ssend_init, 0, 0) X(Rsend_init, 0, 0) X(Waitsome, 0, 0) X(Testany, 0, 0)                \
  X(Testsome, 0, 0) X(Testall, 0, 0) X(Cancel, 0, 0) X(Iprobe, 0, 0) X(Mprobe, 0, 0) X(Improbe, 0, 0)           \
  X(Gatherv, 0, 0) X(Scatter, 0, 0) X(Scatterv, 0, 0) X(Allgatherv, 0, 0) X(Alltoallv, 0, 0)                    \
  X(Alltoallw, 0, 0) X(Reduce_scatter, 0, 0) X(Reduce_scatter_block, 0, 0) X(Scan, 3, 4) X(Exscan, 0, 0)        \
  X(Ibcast, 2, 3) X(Igather, 0, 0) X(Igatherv, 0, 0) X(Iscatter, 0, 0) X(Iscatterv, 0, 0)                       \
  X(Iallgather, 0, 0) X(Iallgatherv, 0, 0) X(Ialltoall, 0, 0) X(Ialltoallv, 0, 0) X(Ialltoallw, 0, 0)           \
  X(Ireduce, 0, 0) X(Iallreduce, 3, 4) X(Ireduce_scatter, 0, 0) X(Ireduce_scatter_block, 0, 0)                  \
  X(Iscan, 0, 0) X(Iexscan, 0, 0) X(Neighbor_allgather, 0, 0) X(Neighbor_allgatherv, 0, 0)                      \
  X(Neighbor_alltoall, 0, 0) X(Neighbor_alltoallv, 0, 0) X(Neighbor_alltoallw, 0, 0)                            \
  X(Ineighbor_allgather, 0, 0) X(Ineighbor_allgatherv, 0, 0) X(Ineighbor_alltoall, 0, 0)                        \
  X(Ineighbor_alltoallv, 0, 0) X(Ineighbor_alltoallw, 0, 0) X(Comm_dup_with_info, 0, 0)                         \
  X(Comm_split_type, 0, 0) X(Comm_create, 0, 0) X(Comm_create_group, 0, 0) X(Cart_create, 0, 0)                 \
  X(Cart_sub, 0, 0) X(Graph_create, 0, 0) X(Dist_graph_create, 0, 0) X(Dist_graph_create_adjacent, 0, 0)        \
  X(Intercomm_create, 0, 0) X(Intercomm_merge, 0, 0) X(Comm_disconnect, 0, 0) X(Comm_idup, 0, 0)                \
  X(Comm_set_name, 0, 0)

enum {
#define NUMBER(name, count, type) number_of_##name,
  FUNCTIONS(NUMBER) functions
};
static const char* const names[] = {
#define NAME(name, count, type) "MPI_" #name,
    FUNCTIONS(NAME)};
static long calls[functions];
static long long bytes[functions];
static int rank;
static __thread int depth;

typedef long word;
static long long bytes_in(const word* parameters, int count, int type) {
  int size = 0;
  if (count == 0) return 0;
  PMPI_Type_size((MPI_Datatype)parameters[type - 1], &size);
  return (long long)(int)parameters[count - 1] * size;
}

static int find_rank(void) {
  const char* const of_openmpi = getenv("OMPI_COMM_WORLD_RANK");
  const char* const of_mpich = getenv("PMI_RANK");
  return atoi(of_openmpi != NULL ? of_openmpi : of_mpich != NULL ? of_mpich : "-1");
}

static void wait_for_file(void) {
  const char* const file = getenv("COUNTS");
  const char* const go_on = getenv("COUNTS_WAIT");
  char path[4096];
  if (file == NULL || go_on == NULL) return;
  snprintf(path, sizeof path, "%s.ready.%d", file, find_rank());
  FILE* const ready = fopen(path, "w");
  if (ready != NULL) fclose(ready);
  while (access(go_on, F_OK) != 0) usleep(10000);
}

// Twelve words are enough for any of these functions.
#define COUNTING(name, count, type)                                                                           \
  int counted_##name(word a, word b, word c, word d, word e, word f, word g, word h, word i, word j, word k,  \
                     word l) {                                                                                \
    static int (*next)(word, word, word, word, word, word, word, word, word, word, word, word);               \
    const word parameters[] = {a, b, c, d, e, f};                                                             \
    if (next == NULL) next = dlsym(RTLD_NEXT, "PMPI_" #name);                                                 \
    if (depth == 0) {                                                                                         \
      __atomic_fetch_add(&calls[number_of_##name], 1, __ATOMIC_RELAXED);                                      \
      __atomic_fetch_add(&bytes[number_of_##name], bytes_in(parameters, count, type), __ATOMIC_RELAXED);      \
    }                                                                                                         \
    if (number_of_##name == number_of_Finalize) wait_for_file();                                              \
    ++depth;                                                                                                  \
    const int error = next(a, b, c, d, e, f, g, h, i, j, k, l);                                               \
    --depth;                                                                                                  \
    return error;                                                                                             \
  }                                                                                                           \
  __asm__(".globl MPI_" #name "\n.set MPI_" #name ", counted_" #name "\n.globl PMPI_" #name "\n.set PMPI_" #name \
          ", counted_" #name);
FUNCTIONS(COUNTING)

// The further arguments that a profiler may get: for level 77 a text and two numbers, which are written to
// $COUNTS.pcontrol.RANK.
int MPI_Pcontrol(const int level, ...) {
  const char* const file = getenv("COUNTS");
  char path[4096];
  if (level != 77 || file == NULL) return MPI_SUCCESS;
  snprintf(path, sizeof path, "%s.pcontrol.%d", file, find_rank());
  FILE* const out = fopen(path, "w");
  if (out == NULL) return MPI_SUCCESS;
  va_list more;
  va_start(more, level);
  const char* const text = va_arg(more, const char*);
  const double number = va_arg(more, double);
  fprintf(out, "%s %g %ld", text, number, va_arg(more, long));
  va_end(more);
  fclose(out);
  return MPI_SUCCESS;
}

__attribute__((destructor)) static void write_counts(void) {
  const char* const file = getenv("COUNTS");
  char path[4096];
  rank = find_rank();
  if (file == NULL || rank < 0) return;
  snprintf(path, sizeof path, "%s.%d", file, rank);
  FILE* const out = fopen(path, "a");
  if (out == NULL) return;
  for (int i = 0; i < functions; ++i)
    if (calls[i] > 0) fprintf(out, "%s %ld %lld\n", names[i], calls[i], bytes[i]);
  fclose(out);
}
