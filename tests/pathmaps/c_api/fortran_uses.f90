! fortran_uses PATHMAP: uses the module for Fortran as thread a of the pathmap, whose element `queue` has two ints and room for
! one tuple. Stops at the first condition that does not hold.
program fortran_uses
  use, intrinsic :: iso_fortran_env, only: int32, int64
  use eventspace
  implicit none

  type(es_session) :: session
  type(es_thread) :: me
  type(es_path) :: queue
  type(es_values) :: values
  type(es_tuple) :: taken
  character(len=1024) :: pathmap
  integer(int32) :: small
  integer(int64), parameter :: smallest = -huge(1_int64) - 1, smallest_int32 = -2147483648_int64

  call get_command_argument(1, pathmap)
  call check(es_session_join(pathmap, session) == es_ok, "join")
  call check(es_session_thread(session, "a", me) == es_ok, "thread")
  call check(es_thread_path(me, "queue", queue) == es_ok, "path")

  ! Values stay until they are written.
  call add(smallest_int32, 1_int64)
  call check(es_path_write(queue, values) == es_ok, "write")
  call add(smallest, 2_int64)
  call check(es_path_write(queue, values, es_try) == es_full, "the element is full")
  call check(es_path_take(queue, taken, es_try) == es_ok, "take")
  small = 0
  call check(es_get(taken, 1, small) == es_ok .and. small == smallest_int32, "the smallest number of 32 bits")
  call es_free(taken)
  call check(es_path_write(queue, values, es_try) == es_ok, "write again")

  call check(es_path_take(queue, taken, es_try) == es_ok, "take again")
  call check(es_tuple_size(taken) == 2, "the values of the second write")
  small = 3
  call check(es_get(taken, 1, small) == es_configuration .and. small == 3, "a number of 64 bits")
  call check(index(es_error_text(), "too large") > 0, "its text")
  call check(es_get(taken, 2, small) == es_ok .and. small == 2, "the second value")
  call es_free(taken)
  call es_free(values)
  call es_free(session)

contains

  subroutine add(first, second)
    integer(int64), intent(in) :: first, second
    call check(es_add(values, first) == es_ok .and. es_add(values, second) == es_ok, "values")
  end subroutine

  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    if (holds) return
    print "(4a)", "failed: ", what, "; last error: ", es_error_text()
    error stop 1
  end subroutine

end program
