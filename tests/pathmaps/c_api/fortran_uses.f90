! fortran_uses PATHMAP: uses the module for Fortran as thread a of the pathmap, whose element `queue` has two ints and room for
! one tuple, and whose element `log` keeps the last three of an int, a text, bytes and a float. Stops at the first condition
! that does not hold.
program fortran_uses
  use, intrinsic :: iso_fortran_env, only: int8, int32, int64, real32, real64
  use eventspace
  implicit none

  type(es_session) :: session
  type(es_thread) :: me
  character(len=1024) :: pathmap

  call get_command_argument(1, pathmap)
  call use_wrong_sessions()
  call check(es_session_join(pathmap, session, name="of_fortran", flags=es_no_events + es_end_when_lost) == es_ok, "join")
  call check(es_session_thread(session, "a", me) == es_ok, "thread")
  call check(es_thread_set_virtual_time(me, 1) == es_ok, "virtual time")
  call check(es_thread_set_virtual_time(me, huge(1_int64)) == es_ok, "virtual time of 64 bits")
  call use_queue()
  call use_log()
  call use_probes()
  call es_free(session)

contains

  subroutine use_wrong_sessions()
    call check(es_session_join(pathmap, session, process="nowhere") == es_configuration, "an unknown process")
    call check(index(es_error_text(), "nowhere") > 0, "its text")
    call check(es_session_join(pathmap, session, flags=8) == es_misuse, "unknown flags")
    call check(es_session_open("a/b", session, process="p", flags=es_no_events) == es_configuration, "a wrong name")
  end subroutine

  ! Values stay until they are written, and numbers have 32 or 64 bits.
  subroutine use_queue()
    type(es_path) :: queue, other
    type(es_values) :: values
    type(es_tuple) :: taken
    integer(int32) :: small
    integer(int64), parameter :: smallest = -huge(1_int64) - 1, smallest_int32 = -2147483648_int64

    call check(es_thread_path(me, "queue", queue) == es_ok, "path")
    call check(es_thread_path_with(me, "own", "i", 1, .true., other) == es_configuration, "an element beside the pathmap")
    call add(values, smallest_int32, 1_int64)
    call check(es_path_write(queue, values) == es_ok, "write")
    call add(values, smallest, 2_int64)
    call check(es_path_write(queue, values, es_try) == es_full, "the element is full")
    call check(es_path_take(queue, taken, es_try) == es_ok, "take")
    small = 0
    call check(es_get(taken, 1, small) == es_ok, "the first value")
    call check(small == smallest_int32, "the smallest number of 32 bits")
    call es_free(taken)
    call check(es_path_write(queue, values, es_try) == es_ok, "write again")

    call check(es_path_take(queue, taken, es_try) == es_ok, "take again")
    call check(es_tuple_size(taken) == 2, "the values of the second write")
    small = 3
    call check(es_get(taken, 1, small) == es_configuration, "a number of 64 bits")
    call check(small == 3, "the number of 32 bits stays")
    call check(index(es_error_text(), "too large") > 0, "its text")
    call check(es_get(taken, 2, small) == es_ok, "the second value")
    call check(small == 2, "its number")
    call es_free(taken)
    call es_free(values)
  end subroutine

  ! Four tuples are written, of which the element keeps three.
  subroutine use_log()
    type(es_path) :: log
    type(es_tuple) :: found
    integer(int64) :: missed
    integer :: i

    call check(es_thread_path(me, "log", log) == es_ok, "path of the log")
    do i = 1, 4
      call write_entry(log, i)
    end do
    missed = 7
    call check(es_path_next(log, found, es_try, missed=missed) == es_ok, "next")
    call check(missed == 1, "one was discarded")
    call check_entry(found, 2)
    call check(es_path_read(log, found, es_try, from=es_newest) == es_ok, "newest")
    call check_entry(found, 4)
    call check(es_path_read_at(log, 3_int64, found, es_try) == es_ok, "read at")
    call check_entry(found, 3)
    call check(es_path_read_at(log, 1_int64, found, es_try) == es_gone, "read at a number that is gone")
    call use_template(log)
    call check(es_path_discard(log, 3_int64) == es_ok, "discard")
    call check(es_path_take(log, found, es_try) == es_ok, "what is left")
    call check_entry(found, 4)
    missed = 7
    call check(es_path_next(log, found, es_try, missed=missed) == es_empty, "nothing is left")
    call check(missed == 7, "what a call has missed that found nothing")
  end subroutine

  subroutine use_template(log)
    type(es_path), intent(in) :: log
    type(es_values) :: values
    type(es_template) :: third
    type(es_tuple) :: found

    call check(es_add_any(values, 9) == es_configuration, "an unknown type")
    call check(es_add(values, 3) == es_ok .and. es_add_any(values, es_text) == es_ok, "fields of a template")
    call check(es_add_any(values, es_bytes) == es_ok .and. es_add_any(values, es_float) == es_ok, "more fields")
    call check(es_template_of(values, third) == es_ok, "template")
    call check(es_path_take(log, found, es_try, match=third) == es_ok, "take by template")
    call check_entry(found, 3)
    call check(es_path_read(log, found, es_try, match=third) == es_empty, "there was one")
    call es_free(third)
    call es_free(values)
  end subroutine

  ! Texts have blanks and NULs at their end too, bytes are signed.
  subroutine write_entry(log, number)
    type(es_path), intent(in) :: log
    integer, intent(in) :: number
    type(es_values) :: values

    call check(es_add(values, number) == es_ok .and. es_add(values, "t" // achar(0) // " ") == es_ok, "number and text")
    call check(es_add(values, [-1_int8, int(number, int8)]) == es_ok, "bytes")
    call check(es_add(values, 0.5_real32) == es_ok, "a real of 32 bits")
    call check(es_path_write(log, values, es_try) == es_ok, "write to the log")
    call es_free(values)
  end subroutine

  subroutine check_entry(found, number)
    type(es_tuple), intent(inout) :: found
    integer, intent(in) :: number
    integer(int64) :: first
    character(len=:), allocatable :: text
    integer(int8), allocatable :: bytes(:)
    real(real32) :: half
    real(real64) :: exact

    call check(es_tuple_sequence(found) == number, "the number in the element")
    call check(es_get(found, 1, first) == es_ok, "its first field")
    call check(first == number, "its number")
    call check(es_get(found, 2, text) == es_ok, "its second field")
    call check(text == "t" // achar(0) // " " .and. len(text) == 3, "its text")
    call check(es_get(found, 3, bytes) == es_ok, "its third field")
    call check(size(bytes) == 2, "the number of its bytes")
    call check(bytes(1) == -1 .and. bytes(2) == number, "its bytes")
    call check(es_get(found, 4, half) == es_ok .and. es_get(found, 4, exact) == es_ok, "its fourth field")
    call check(half == 0.5_real32 .and. exact == 0.5_real64, "its reals of 32 and 64 bits")
    call es_free(found)
  end subroutine

  ! Without events to record, they do nothing; that they are recorded is what the other tests show.
  subroutine use_probes()
    type(es_site) :: step

    step = es_site_of("step", "number")
    call es_probe(step)
    call es_probe(step, [es_number(1)])
    call es_probe(step, [es_number(1_int64)], virtual_time=7_int64)
    call es_region_begin(step)
    call es_region_end(step, virtual_time=7_int64)
  end subroutine

  subroutine add(values, first, second)
    type(es_values), intent(inout) :: values
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
