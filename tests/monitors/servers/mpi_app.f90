! The same calls through each of the three Fortran bindings (BINDING 1: mpif.h, 2: use mpi, 3: use mpi_f08), for tests,
! without EventSpace. As mpi_app talk of mpi_app.c, it waits for a file before it ends.
program mpi_app
#if BINDING == 2
  use mpi
#elif BINDING == 3
  use mpi_f08
#endif
  use iso_c_binding
  implicit none
#if BINDING == 1
  include 'mpif.h'
#endif
  interface
    function usleep(microseconds) bind(c)
      import :: c_int
      integer(c_int), value :: microseconds
      integer(c_int) :: usleep
    end function
  end interface
#if BINDING == 3
  type(MPI_Comm) :: half
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: status
#else
  integer :: half, requests(2), status(MPI_STATUS_SIZE)
#endif
  integer :: rank, size, error, other
  integer(c_int) :: ignored
  integer, asynchronous :: out(16), in(16)
  double precision :: mine, total
  character(4096) :: path
  logical :: goes_on

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, size, error)
  other = 1 - rank
  out = rank
  if (rank == 0) then
    call MPI_Send(out, 5, MPI_INTEGER, other, 7, MPI_COMM_WORLD, error)
  else
    call MPI_Recv(in, 16, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status, error)
  end if
  call MPI_Irecv(in, 16, MPI_INTEGER, other, 3, MPI_COMM_WORLD, requests(1), error)
  call MPI_Isend(out, 2, MPI_INTEGER, other, 3, MPI_COMM_WORLD, requests(2), error)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
  call MPI_Sendrecv(out, 3, MPI_INTEGER, other, 4, in, 16, MPI_INTEGER, other, 4, MPI_COMM_WORLD, status, error)
  call MPI_Comm_split(MPI_COMM_WORLD, rank, rank, half, error)
  mine = rank
  call MPI_Allreduce(mine, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  call MPI_Reduce(mine, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, error)
  call MPI_Bcast(out, 4, MPI_INTEGER, 0, half, error)
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call MPI_Comm_free(half, error)
  if (rank == 0) print '(a)', 'ready'
  flush (6)
  call get_environment_variable('GO_ON', path)
  goes_on = path == ''
  do while (.not. goes_on)
    ignored = usleep(10000_c_int)
    inquire (file=trim(path), exist=goes_on)
  end do
  call MPI_Finalize(error)
end program
