/* Duplicates communicators without blocking, several at once, over copies and parts of MPI_COMM_WORLD, beside other
   non-blocking operations, and completes them with each function that can. Prints "N faults". With MPICH also over
   intercommunicators: Open MPI 4.1.4 deadlocks there by itself (docs/mpi.md).

   duplicates_app LEVEL: 0 to 3 are MPI_THREAD_SINGLE to MPI_THREAD_MULTIPLE. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { at_once = 3, most = 64 };

static int faults = 0;

static void check(MPI_Comm comm) {
  int is_inter = 0, rank = 0, size = 0, one = 1, sum = 0, from = -1;
  MPI_Comm_test_inter(comm, &is_inter);
  MPI_Comm_rank(comm, &rank);
  if (is_inter) {
    MPI_Comm_remote_size(comm, &size);
  } else {
    MPI_Comm_size(comm, &size);
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 7, &from, 1, MPI_INT, (rank + size - 1) % size, 7, comm,
                 MPI_STATUS_IGNORE);
    faults += from != (rank + size - 1) % size;
  }
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
  faults += sum != size;
}

static void test_each(int count, MPI_Request* requests) {
  for (int i = 0; i < count; ++i)
    for (int flag = 0; !flag;) MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
}

static void complete_some(int (*some)(int, MPI_Request*, int*, int*, MPI_Status*), int count,
                          MPI_Request* requests) {
  int indices[most], found = 0;
  for (int done = 0; done < count; done += found) some(count, requests, &found, indices, MPI_STATUSES_IGNORE);
}

static void complete(int way, int count, MPI_Request* requests) {
  int index = 0, flag = 0;
  switch (way) {
    case 0: MPI_Waitall(count, requests, MPI_STATUSES_IGNORE); break;
    case 1: for (int i = 0; i < count; ++i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE); break;
    case 2: for (int i = count; i-- > 0;) MPI_Wait(&requests[i], MPI_STATUS_IGNORE); break;
    case 3: while (!flag) MPI_Testall(count, requests, &flag, MPI_STATUSES_IGNORE); break;
    case 4: test_each(count, requests); break;
    case 5: for (int i = 0; i < count; ++i) MPI_Waitany(count, requests, &index, MPI_STATUS_IGNORE); break;
    case 6: complete_some(MPI_Waitsome, count, requests); break;
    case 7: complete_some(MPI_Testsome, count, requests); break;
    default:
      for (int i = 0; i < count; i += flag) MPI_Testany(count, requests, &index, &flag, MPI_STATUS_IGNORE);
  }
}
enum { ways = 9 };

/* What is under way beside the duplicates. */
enum beside { nothing, barriers, broadcasts, sums, messages, kinds_beside };

static int begin(MPI_Comm comm, enum beside beside, int* in, int* out, MPI_Comm* copy, MPI_Request* requests) {
  int rank = 0, size = 0, count = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  if (beside == barriers) MPI_Ibarrier(comm, &requests[count++]);
  if (beside == broadcasts) MPI_Ibcast(in, 1, MPI_INT, 0, comm, &requests[count++]);
  if (beside == sums) MPI_Iallreduce(in, out, 1, MPI_INT, MPI_SUM, comm, &requests[count++]);
  for (int to = 1; beside == messages && rank == 0 && to < size; ++to)
    MPI_Isend(in, 1, MPI_INT, to, 0, comm, &requests[count++]);
  MPI_Comm_idup(comm, copy, &requests[count++]);
  if (beside == messages && rank != 0) MPI_Irecv(out, 1, MPI_INT, 0, 0, comm, &requests[count++]);
  return count;
}

static void duplicate(MPI_Comm comm, int way) {
  int is_inter = 0;
  MPI_Comm_test_inter(comm, &is_inter);
  for (int beside = nothing; beside < kinds_beside; ++beside) {
    if (is_inter && (beside == broadcasts || beside == messages)) continue;
    MPI_Comm copies[at_once];
    MPI_Request requests[most];
    int in[at_once], out[at_once], count = 0;
    for (int i = 0; i < at_once; ++i) {
      in[i] = 1;
      count += begin(comm, beside, &in[i], &out[i], &copies[i], &requests[count]);
    }
    complete(way, count, requests);
    for (int i = 0; i < at_once; ++i) {
      check(copies[i]);
      MPI_Comm_free(&copies[i]);
    }
  }
}

static MPI_Comm between(int is_left, int first_of_others) {
  MPI_Comm part, both;
  MPI_Comm_split(MPI_COMM_WORLD, is_left, 0, &part);
  MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, first_of_others, 12, &both);
  MPI_Comm_free(&part);
  return both;
}

/* MPI_COMM_NULL where this process is in none of this kind, or this is no kind. */
static MPI_Comm parent_of(int kind, int rank, int size) {
  const int is_left = rank < size / 2;
  MPI_Comm comm = MPI_COMM_NULL, other;
  switch (kind) {
    case 0: MPI_Comm_dup(MPI_COMM_WORLD, &comm); break;
    case 1: MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm); break;
    case 2: MPI_Comm_split(MPI_COMM_WORLD, is_left, 0, &comm); break;
    case 3: MPI_Comm_split(MPI_COMM_WORLD, is_left ? 0 : MPI_UNDEFINED, 0, &comm); break;
    case 4: MPI_Comm_dup(MPI_COMM_SELF, &comm); break;
    case 5:
      MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &other);
      MPI_Comm_dup(other, &comm);
      MPI_Comm_free(&other);
      break;
    case 6:
      other = between(is_left, is_left ? size / 2 : 0);
      MPI_Intercomm_merge(other, is_left, &comm);
      MPI_Comm_free(&other);
      break;
#ifndef OPEN_MPI
    case 7: comm = between(is_left, is_left ? size / 2 : 0); break;
#endif
    default: break;
  }
  return comm;
}

int main(int argc, char** argv) {
  const int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE};
  int provided = 0, rank = 0, size = 0, all = 0;
  if (argc != 2) return 2;
  MPI_Init_thread(&argc, &argv, levels[atoi(argv[1]) & 3], &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int way = 0; way < ways; ++way) {
    for (int kind = 0; kind < 8; ++kind) {
      MPI_Comm comm = parent_of(kind, rank, size);
      if (comm == MPI_COMM_NULL) continue;
      duplicate(comm, way);
      MPI_Comm_free(&comm);
    }
  }
  MPI_Reduce(&faults, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d faults\n", all);
  return MPI_Finalize();
}
