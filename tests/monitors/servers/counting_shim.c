// A second count of the calls of MPI, for tests: knows no parameter of any function, except those of some whose bytes
// it counts. Preloaded behind or before the library under test. Calls that MPI makes of itself are not counted. When
// the process exits, appends lines "FUNCTION CALLS BYTES" to the file $COUNTS.RANK.
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

// The function, and the places of a count and a datatype among its parameters, from 1; 0: its bytes are not counted.
#define FUNCTIONS(X)                                                                                            \
  X(Send, 2, 3) X(Ssend, 2, 3) X(Recv, 0, 0) X(Isend, 2, 3) X(Irecv, 0, 0) X(Sendrecv, 2, 3) X(Wait, 0, 0)      \
  X(Waitall, 0, 0) X(Waitany, 0, 0) X(Test, 0, 0) X(Send_init, 2, 3) X(Recv_init, 0, 0) X(Start, 0, 0)          \
  X(Startall, 0, 0) X(Request_free, 0, 0) X(Probe, 0, 0) X(Comm_split, 0, 0) X(Comm_dup, 0, 0)                  \
  X(Comm_free, 0, 0) X(Allreduce, 3, 4) X(Reduce, 3, 4) X(Bcast, 2, 3) X(Barrier, 0, 0) X(Ibarrier, 0, 0)       \
  X(Allgather, 0, 0) X(Gather, 2, 3) X(Alltoall, 2, 3) X(Finalize, 0, 0)

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

// Twelve words are as many as any of these functions takes.
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
    ++depth;                                                                                                  \
    const int error = next(a, b, c, d, e, f, g, h, i, j, k, l);                                               \
    --depth;                                                                                                  \
    return error;                                                                                             \
  }                                                                                                           \
  __asm__(".globl MPI_" #name "\n.set MPI_" #name ", counted_" #name "\n.globl PMPI_" #name "\n.set PMPI_" #name \
          ", counted_" #name);
FUNCTIONS(COUNTING)

__attribute__((destructor)) static void write_counts(void) {
  const char* const file = getenv("COUNTS");
  const char* const of_openmpi = getenv("OMPI_COMM_WORLD_RANK");
  const char* const of_mpich = getenv("PMI_RANK");
  char path[4096];
  rank = atoi(of_openmpi != NULL ? of_openmpi : of_mpich != NULL ? of_mpich : "-1");
  if (file == NULL || rank < 0) return;
  snprintf(path, sizeof path, "%s.%d", file, rank);
  FILE* const out = fopen(path, "a");
  if (out == NULL) return;
  for (int i = 0; i < functions; ++i)
    if (calls[i] > 0) fprintf(out, "%s %ld %lld\n", names[i], calls[i], bytes[i]);
  fclose(out);
}
