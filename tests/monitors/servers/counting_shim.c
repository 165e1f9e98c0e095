// A second count of the calls of MPI, for tests: knows no parameter of any function, except those of three whose
// bytes it counts. Preloaded behind or before the library under test. When the process exits, appends lines
// "FUNCTION CALLS BYTES" to the file $COUNTS.RANK.
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define FUNCTIONS(X)                                                                                        \
  X(Send) X(Recv) X(Isend) X(Irecv) X(Waitall) X(Comm_split) X(Comm_dup) X(Comm_free) X(Allreduce) X(Bcast) \
  X(Barrier) X(Allgather) X(Finalize)

enum {
#define NUMBER(name) number_of_##name,
  FUNCTIONS(NUMBER) functions
};
static const char* const names[] = {
#define NAME(name) "MPI_" #name,
    FUNCTIONS(NAME)};
static long calls[functions];
static long long bytes[functions];
static int rank;

// Ten words are as many as any of these functions takes.
typedef long word;
#define COUNTING(name)                                                                           \
  int counted_##name(word a, word b, word c, word d, word e, word f, word g, word h, word i) {   \
    static int (*next)(word, word, word, word, word, word, word, word, word);                    \
    if (next == NULL) next = dlsym(RTLD_NEXT, "PMPI_" #name);                                    \
    ++calls[number_of_##name];                                                                   \
    if (number_of_##name == number_of_Send || number_of_##name == number_of_Isend) {             \
      int size = 0;                                                                              \
      PMPI_Type_size((MPI_Datatype)c, &size);                                                    \
      bytes[number_of_##name] += (long long)(int)b * size;                                       \
    }                                                                                            \
    return next(a, b, c, d, e, f, g, h, i);                                                      \
  }                                                                                              \
  __asm__(".globl MPI_" #name "\n.set MPI_" #name ", counted_" #name);
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
