! jacobi [STEPS]: a solver in Fortran, which `eventspace heartbeat jacobi` and the other monitors show without a pathmap.
! docs/c.md explains it.
program jacobi
  use, intrinsic :: iso_fortran_env, only: error_unit, real64
  use eventspace
  implicit none

  type(es_session) :: session
  type(es_thread) :: me
  type(es_path) :: results
  type(es_values) :: values
  type(es_template) :: in_degrees
  type(es_tuple) :: result
  type(es_site) :: sweep, swept
  real(real64) :: rod(0:101), change
  character(len=16) :: word
  integer :: step, steps, last

  steps = 1000
  if (command_argument_count() > 0) then
    call get_command_argument(1, word)
    read (word, *) steps
  end if

  call require(es_session_open("jacobi", session), "open")
  call require(es_session_thread(session, "main", me), "thread")
  sweep = es_site_of("sweep")
  swept = es_site_of("swept", "step, change")

  rod = 0
  rod(101) = 100 ! degrees, at one end
  do step = 1, steps
    call require(es_thread_set_virtual_time(me, step), "virtual time")
    call es_region_begin(sweep)
    call smooth(rod, change)
    call es_region_end(sweep)
    call es_probe(swept, [es_number(step), es_number(change)])
  end do

  ! Through a path, as a process that waits for the result would take it.
  call require(es_thread_path(me, "results", results), "path")
  call require(es_add(values, steps), "values")
  call require(es_add(values, rod(100)), "values")
  call require(es_add(values, "degrees"), "values")
  call require(es_path_write(results, values), "write")
  call require(es_add_any(values, es_int), "template")
  call require(es_add_any(values, es_float), "template")
  call require(es_add(values, "degrees"), "template")
  call require(es_template_of(values, in_degrees), "template")
  call require(es_path_take(results, result, match=in_degrees), "take")
  call require(es_get(result, 1, last), "get")
  call require(es_get(result, 2, rod(100)), "get")
  print "(i0, a, f0.2, a)", last, " steps: ", rod(100), " degrees beside the hot end"

  call es_free(in_degrees)
  call es_free(result)
  call es_free(values)
  call es_free(session)

contains

  subroutine smooth(rod, change)
    real(real64), intent(inout) :: rod(0:101)
    real(real64), intent(out) :: change
    real(real64) :: before(0:101)
    before = rod
    rod(1:100) = (before(0:99) + before(2:101)) / 2
    change = maxval(abs(rod - before))
  end subroutine

  ! This program cannot continue if a call fails.
  subroutine require(status, what)
    integer, intent(in) :: status
    character(len=*), intent(in) :: what
    if (status == es_ok) return
    write (error_unit, "(6a)") "jacobi: ", what, ": ", es_status_name(status), ": ", es_error_text()
    stop 1
  end subroutine

end program
