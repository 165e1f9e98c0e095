! EventSpace for Fortran (2008): sessions, paths, tuples, probes and regions, over <eventspace.h>, whose comments hold here
! too. docs/c.md is a how-to. Compile this file with the program, because the form of .mod files differs from compiler
! to compiler:
!
!     gfortran $(pkg-config --variable=includedir eventspace-shared)/eventspace.f90 solver.f90 -leventspace
!
! Functions return a status, es_ok if all went well; es_error_text() then has a sentence. `wait` is in nanoseconds, es_try
! or es_forever; without it a call waits as long as it takes. Trailing blanks of names do not count; those of texts in
! tuples do. Fields are numbered from 1.
module eventspace
  use, intrinsic :: iso_c_binding
  implicit none
  private

  integer, parameter, public :: es_ok = 0, es_empty = 2, es_full = 3, es_timed_out = 4, es_gone = 5, es_closed = 6, &
    es_refused = 7, es_configuration = 16, es_environment = 17, es_misuse = 18, es_no_memory = 19, es_fault = 20
  integer(c_int64_t), parameter, public :: es_try = 0_c_int64_t, es_forever = -1_c_int64_t
  !> Where es_path_read and es_path_take begin.
  integer, parameter, public :: es_oldest = 0, es_newest = 1
  !> The types of fields, for es_add_any.
  integer, parameter, public :: es_bool = 0, es_int = 1, es_float = 2, es_text = 3, es_bytes = 4
  !> For es_session_join and es_session_open; add them up.
  integer, parameter, public :: es_no_events = 1, es_end_when_lost = 2

  type, public :: es_session
    private
    type(c_ptr) :: handle = c_null_ptr
  end type
  type, public :: es_thread
    private
    type(c_ptr) :: handle = c_null_ptr
  end type
  type, public :: es_path
    private
    type(c_ptr) :: handle = c_null_ptr
  end type
  !> A tuple that a path has returned.
  type, public :: es_tuple
    private
    type(c_ptr) :: handle = c_null_ptr
  end type
  !> Selects tuples: es_template_of makes one. Free it with es_free.
  type, public :: es_template
    private
    type(c_ptr) :: handle = c_null_ptr
  end type
  !> The values for the next tuple: es_add adds one. A write or an exchange that returns es_ok empties it; otherwise it
  !> keeps them for another attempt. Free it with es_free.
  type, public :: es_values
    private
    type(c_ptr) :: handle = c_null_ptr
  end type
  !> The place of a probe or region: look it up once, with es_site_of.
  type, public :: es_site
    private
    type(c_ptr) :: handle = c_null_ptr
  end type
  !> A value of a probe, such as es_number(iteration).
  type, bind(c), public :: es_number
    integer(c_int64_t) :: bits
    integer(c_int32_t) :: form
  end type

  type(es_number), parameter :: no_values(0) = [es_number ::]

  interface es_number
    module procedure number_of_int32, number_of_int64, number_of_real32, number_of_real64
  end interface
  interface es_add
    module procedure add_int32, add_int64, add_real32, add_real64, add_logical, add_text, add_bytes
  end interface
  interface es_get
    module procedure get_int32, get_int64, get_real32, get_real64, get_logical, get_text, get_bytes
  end interface
  interface es_free
    module procedure free_session, free_template, free_tuple, free_values
  end interface
  interface es_thread_set_virtual_time
    module procedure set_virtual_time_int32, set_virtual_time_int64
  end interface

  public :: es_session_join, es_session_open, es_session_from_environment, es_session_close, es_session_thread
  public :: es_thread_path, es_thread_path_with, es_thread_set_virtual_time
  public :: es_path_write, es_path_read, es_path_take, es_path_next, es_path_read_at, es_path_discard, es_path_exchange
  public :: es_add, es_add_any, es_template_of, es_get, es_free, es_tuple_size, es_tuple_sequence
  public :: es_site_of, es_probe, es_region_begin, es_region_end
  public :: es_error_text, es_status_name

  interface
    function c_session_join(pathmap, process, session, flags, joined) bind(c, name="es_session_join") result(status)
      import
      character(kind=c_char), intent(in) :: pathmap(*)
      type(c_ptr), value :: process, session
      integer(c_int32_t), value :: flags
      type(c_ptr), intent(out) :: joined
      integer(c_int) :: status
    end function
    function c_session_open(name, process, flags, opened) bind(c, name="es_session_open") result(status)
      import
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), value :: process
      integer(c_int32_t), value :: flags
      type(c_ptr), intent(out) :: opened
      integer(c_int) :: status
    end function
    function c_session_from_environment(joined) bind(c, name="es_session_from_environment") result(status)
      import
      type(c_ptr), intent(out) :: joined
      integer(c_int) :: status
    end function
    function c_session_close(session) bind(c, name="es_session_close") result(status)
      import
      type(c_ptr), value :: session
      integer(c_int) :: status
    end function
    subroutine c_session_free(session) bind(c, name="es_session_free")
      import
      type(c_ptr), value :: session
    end subroutine
    function c_session_thread(session, name, thread) bind(c, name="es_session_thread") result(status)
      import
      type(c_ptr), value :: session
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), intent(out) :: thread
      integer(c_int) :: status
    end function
    function c_thread_path(thread, name, path) bind(c, name="es_thread_path") result(status)
      import
      type(c_ptr), value :: thread
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), intent(out) :: path
      integer(c_int) :: status
    end function
    function c_thread_path_with(thread, name, format, threshold, discards, path) bind(c, name="es_thread_path_with") &
      result(status)
      import
      type(c_ptr), value :: thread
      character(kind=c_char), intent(in) :: name(*), format(*)
      integer(c_size_t), value :: threshold
      logical(c_bool), value :: discards
      type(c_ptr), intent(out) :: path
      integer(c_int) :: status
    end function
    function c_thread_set_virtual_time(thread, time) bind(c, name="es_thread_set_virtual_time") result(status)
      import
      type(c_ptr), value :: thread
      integer(c_int64_t), value :: time
      integer(c_int) :: status
    end function
    function c_path_write(path, tuple, wait) bind(c, name="es_path_write") result(status)
      import
      type(c_ptr), value :: path, tuple
      integer(c_int64_t), value :: wait
      integer(c_int) :: status
    end function
    function c_path_read(path, from, match, wait, tuple) bind(c, name="es_path_read") result(status)
      import
      type(c_ptr), value :: path, match
      integer(c_int), value :: from
      integer(c_int64_t), value :: wait
      type(c_ptr), intent(out) :: tuple
      integer(c_int) :: status
    end function
    function c_path_take(path, from, match, wait, tuple) bind(c, name="es_path_take") result(status)
      import
      type(c_ptr), value :: path, match
      integer(c_int), value :: from
      integer(c_int64_t), value :: wait
      type(c_ptr), intent(out) :: tuple
      integer(c_int) :: status
    end function
    function c_path_next(path, match, wait, tuple, missed) bind(c, name="es_path_next") result(status)
      import
      type(c_ptr), value :: path, match
      integer(c_int64_t), value :: wait
      type(c_ptr), intent(out) :: tuple
      integer(c_int64_t), intent(out) :: missed
      integer(c_int) :: status
    end function
    function c_path_read_at(path, sequence, wait, tuple) bind(c, name="es_path_read_at") result(status)
      import
      type(c_ptr), value :: path
      integer(c_int64_t), value :: sequence, wait
      type(c_ptr), intent(out) :: tuple
      integer(c_int) :: status
    end function
    function c_path_discard(path, sequence) bind(c, name="es_path_discard") result(status)
      import
      type(c_ptr), value :: path
      integer(c_int64_t), value :: sequence
      integer(c_int) :: status
    end function
    function c_path_exchange(path, contribution, wait, tuple) bind(c, name="es_path_exchange") result(status)
      import
      type(c_ptr), value :: path, contribution
      integer(c_int64_t), value :: wait
      type(c_ptr), intent(out) :: tuple
      integer(c_int) :: status
    end function
    subroutine c_tuple_free(tuple) bind(c, name="es_tuple_free")
      import
      type(c_ptr), value :: tuple
    end subroutine
    function c_tuple_size(tuple) bind(c, name="es_tuple_size") result(count)
      import
      type(c_ptr), value :: tuple
      integer(c_size_t) :: count
    end function
    function c_tuple_sequence(tuple) bind(c, name="es_tuple_sequence") result(sequence)
      import
      type(c_ptr), value :: tuple
      integer(c_int64_t) :: sequence
    end function
    function c_tuple_int(tuple, field, number) bind(c, name="es_tuple_int") result(status)
      import
      type(c_ptr), value :: tuple
      integer(c_size_t), value :: field
      integer(c_int64_t), intent(inout) :: number
      integer(c_int) :: status
    end function
    function c_tuple_int32(tuple, field, number) bind(c, name="es_tuple_int32") result(status)
      import
      type(c_ptr), value :: tuple
      integer(c_size_t), value :: field
      integer(c_int32_t), intent(inout) :: number
      integer(c_int) :: status
    end function
    function c_tuple_float(tuple, field, number) bind(c, name="es_tuple_float") result(status)
      import
      type(c_ptr), value :: tuple
      integer(c_size_t), value :: field
      real(c_double), intent(inout) :: number
      integer(c_int) :: status
    end function
    function c_tuple_bool(tuple, field, truth) bind(c, name="es_tuple_bool") result(status)
      import
      type(c_ptr), value :: tuple
      integer(c_size_t), value :: field
      logical(c_bool), intent(inout) :: truth
      integer(c_int) :: status
    end function
    function c_tuple_text(tuple, field, text, length) bind(c, name="es_tuple_text") result(status)
      import
      type(c_ptr), value :: tuple
      integer(c_size_t), value :: field
      type(c_ptr), intent(out) :: text
      integer(c_size_t), intent(out) :: length
      integer(c_int) :: status
    end function
    function c_tuple_bytes(tuple, field, bytes, length) bind(c, name="es_tuple_bytes") result(status)
      import
      type(c_ptr), value :: tuple
      integer(c_size_t), value :: field
      type(c_ptr), intent(out) :: bytes
      integer(c_size_t), intent(out) :: length
      integer(c_int) :: status
    end function
    function c_builder_new(builder) bind(c, name="es_builder_new") result(status)
      import
      type(c_ptr), intent(out) :: builder
      integer(c_int) :: status
    end function
    subroutine c_builder_free(builder) bind(c, name="es_builder_free")
      import
      type(c_ptr), value :: builder
    end subroutine
    function c_builder_add_int(builder, number) bind(c, name="es_builder_add_int") result(status)
      import
      type(c_ptr), value :: builder
      integer(c_int64_t), value :: number
      integer(c_int) :: status
    end function
    function c_builder_add_float(builder, number) bind(c, name="es_builder_add_float") result(status)
      import
      type(c_ptr), value :: builder
      real(c_double), value :: number
      integer(c_int) :: status
    end function
    function c_builder_add_bool(builder, truth) bind(c, name="es_builder_add_bool") result(status)
      import
      type(c_ptr), value :: builder
      logical(c_bool), value :: truth
      integer(c_int) :: status
    end function
    function c_builder_add_text(builder, text, length) bind(c, name="es_builder_add_text_of_length") result(status)
      import
      type(c_ptr), value :: builder
      character(kind=c_char), intent(in) :: text(*)
      integer(c_size_t), value :: length
      integer(c_int) :: status
    end function
    function c_builder_add_bytes(builder, bytes, length) bind(c, name="es_builder_add_bytes") result(status)
      import
      type(c_ptr), value :: builder
      integer(c_int8_t), intent(in) :: bytes(*)
      integer(c_size_t), value :: length
      integer(c_int) :: status
    end function
    function c_builder_add_any(builder, type) bind(c, name="es_builder_add_any") result(status)
      import
      type(c_ptr), value :: builder
      integer(c_int), value :: type
      integer(c_int) :: status
    end function
    function c_builder_template(builder, made) bind(c, name="es_builder_template") result(status)
      import
      type(c_ptr), value :: builder
      type(c_ptr), intent(out) :: made
      integer(c_int) :: status
    end function
    subroutine c_template_free(freed) bind(c, name="es_template_free")
      import
      type(c_ptr), value :: freed
    end subroutine
    function c_builder_copy(builder, tuple) bind(c, name="es_builder_copy") result(status)
      import
      type(c_ptr), value :: builder
      type(c_ptr), intent(out) :: tuple
      integer(c_int) :: status
    end function
    subroutine c_builder_clear(builder) bind(c, name="es_builder_clear")
      import
      type(c_ptr), value :: builder
    end subroutine
    function c_integer(number) bind(c, name="es_integer") result(made)
      import
      integer(c_int64_t), value :: number
      type(es_number) :: made
    end function
    function c_real(number) bind(c, name="es_real") result(made)
      import
      real(c_double), value :: number
      type(es_number) :: made
    end function
    function c_site_of(name, values) bind(c, name="es_site_of") result(site)
      import
      character(kind=c_char), intent(in) :: name(*), values(*)
      type(c_ptr) :: site
    end function
    subroutine c_probe(site, values, count) bind(c, name="es_probe")
      import
      type(c_ptr), value :: site
      type(es_number), intent(in) :: values(*)
      integer(c_size_t), value :: count
    end subroutine
    subroutine c_probe_at(site, virtual_time, values, count) bind(c, name="es_probe_at")
      import
      type(c_ptr), value :: site
      integer(c_int64_t), value :: virtual_time
      type(es_number), intent(in) :: values(*)
      integer(c_size_t), value :: count
    end subroutine
    subroutine c_region_end_at(site, virtual_time, values, count) bind(c, name="es_region_end_at")
      import
      type(c_ptr), value :: site
      integer(c_int64_t), value :: virtual_time
      type(es_number), intent(in) :: values(*)
      integer(c_size_t), value :: count
    end subroutine
    subroutine c_region_begin(site) bind(c, name="es_region_begin")
      import
      type(c_ptr), value :: site
    end subroutine
    subroutine c_region_end(site, values, count) bind(c, name="es_region_end")
      import
      type(c_ptr), value :: site
      type(es_number), intent(in) :: values(*)
      integer(c_size_t), value :: count
    end subroutine
    function c_error_text() bind(c, name="es_error_text") result(text)
      import
      type(c_ptr) :: text
    end function
    function c_status_name(status) bind(c, name="es_status_name") result(text)
      import
      integer(c_int), value :: status
      type(c_ptr) :: text
    end function
    function c_strlen(text) bind(c, name="strlen") result(length)
      import
      type(c_ptr), value :: text
      integer(c_size_t) :: length
    end function
  end interface

contains

  ! --- sessions

  !> Joins as a process of a pathmap. Without `process`, as EVENTSPACE_PROCESS says, or the only process; without `name`,
  !> of the session, as EVENTSPACE_SESSION or the pathmap says. `flags`: es_no_events, es_end_when_lost or their sum.
  integer function es_session_join(pathmap, session, process, name, flags) result(status)
    character(len=*), intent(in) :: pathmap
    type(es_session), intent(out) :: session
    character(len=*), intent(in), optional :: process, name
    integer, intent(in), optional :: flags
    character(kind=c_char, len=:), allocatable, target :: c_process, c_name
    c_process = c_text(process)
    c_name = c_text(name)
    status = c_session_join(c_text(pathmap), c_loc(c_process), c_loc(c_name), flags_of(flags), session%handle)
  end function

  !> Joins a session without a pathmap. `process`: a name for this process. `flags`: es_no_events.
  integer function es_session_open(name, session, process, flags) result(status)
    character(len=*), intent(in) :: name
    type(es_session), intent(out) :: session
    character(len=*), intent(in), optional :: process
    integer, intent(in), optional :: flags
    character(kind=c_char, len=:), allocatable, target :: c_process
    c_process = c_text(process)
    status = c_session_open(c_text(name), c_loc(c_process), flags_of(flags), session%handle)
  end function

  !> A name for C: without trailing blanks, and with a NUL at the end; empty without one.
  function c_text(name) result(text)
    character(len=*), intent(in), optional :: name
    character(kind=c_char, len=:), allocatable :: text
    text = c_null_char
    if (present(name)) text = trim(name) // c_null_char
  end function

  integer(c_int32_t) function flags_of(flags)
    integer, intent(in), optional :: flags
    flags_of = 0
    if (present(flags)) flags_of = int(flags, c_int32_t)
  end function

  !> Joins as `eventspace run` says.
  integer function es_session_from_environment(session) result(status)
    type(es_session), intent(out) :: session
    status = c_session_from_environment(session%handle)
  end function

  !> Ends the waiting operations of this process, and all later ones, with es_closed.
  integer function es_session_close(session) result(status)
    type(es_session), intent(in) :: session
    status = c_session_close(session%handle)
  end function

  !> Makes the calling thread the session's thread of this name.
  integer function es_session_thread(session, name, thread) result(status)
    type(es_session), intent(in) :: session
    character(len=*), intent(in) :: name
    type(es_thread), intent(out) :: thread
    status = c_session_thread(session%handle, c_text(name), thread%handle)
  end function

  !> The path of this name. Look it up once, before the loop.
  integer function es_thread_path(thread, name, path) result(status)
    type(es_thread), intent(in) :: thread
    character(len=*), intent(in) :: name
    type(es_path), intent(out) :: path
    status = c_thread_path(thread%handle, c_text(name), path%handle)
  end function

  !> Only without a pathmap: a path to an element with fields of these types, a letter each (b, i, f, t, y), that keeps
  !> `threshold` tuples. A write to a full one waits or, if `discards`, drops the oldest.
  integer function es_thread_path_with(thread, name, format, threshold, discards, path) result(status)
    type(es_thread), intent(in) :: thread
    character(len=*), intent(in) :: name, format
    integer, intent(in) :: threshold
    logical, intent(in) :: discards
    type(es_path), intent(out) :: path
    status = c_thread_path_with(thread%handle, c_text(name), c_text(format), int(max(threshold, 0), c_size_t), &
      logical(discards, c_bool), path%handle)
  end function

  !> The progress of the program, such as its time step.
  integer function set_virtual_time_int64(thread, time) result(status)
    type(es_thread), intent(in) :: thread
    integer(c_int64_t), intent(in) :: time
    status = c_thread_set_virtual_time(thread%handle, time)
  end function

  integer function set_virtual_time_int32(thread, time) result(status)
    type(es_thread), intent(in) :: thread
    integer(c_int32_t), intent(in) :: time
    status = set_virtual_time_int64(thread, int(time, c_int64_t))
  end function

  subroutine free_session(session)
    type(es_session), intent(inout) :: session
    call c_session_free(session%handle)
    session%handle = c_null_ptr
  end subroutine

  ! --- operations

  !> Appends a tuple of the values, and empties them if it returns es_ok.
  integer function es_path_write(path, values, wait) result(status)
    type(es_path), intent(in) :: path
    type(es_values), intent(in) :: values
    integer(c_int64_t), intent(in), optional :: wait
    type(c_ptr) :: tuple
    status = c_builder_copy(values%handle, tuple)
    if (status /= es_ok) return
    status = c_path_write(path%handle, tuple, wait_of(wait))
    call c_tuple_free(tuple)
    if (status == es_ok) call c_builder_clear(values%handle)
  end function

  !> Returns a tuple, which stays in the element: the oldest or, with es_newest as `from`, the newest that is kept; with
  !> `match`, of those that it selects. Free it with es_free, as those of the next functions.
  integer function es_path_read(path, tuple, wait, from, match) result(status)
    type(es_path), intent(in) :: path
    type(es_tuple), intent(out) :: tuple
    integer(c_int64_t), intent(in), optional :: wait
    integer, intent(in), optional :: from
    type(es_template), intent(in), optional :: match
    status = c_path_read(path%handle, from_of(from), template_of(match), wait_of(wait), tuple%handle)
  end function

  !> Returns a tuple and removes it.
  integer function es_path_take(path, tuple, wait, from, match) result(status)
    type(es_path), intent(in) :: path
    type(es_tuple), intent(out) :: tuple
    integer(c_int64_t), intent(in), optional :: wait
    integer, intent(in), optional :: from
    type(es_template), intent(in), optional :: match
    status = c_path_take(path%handle, from_of(from), template_of(match), wait_of(wait), tuple%handle)
  end function

  !> Reads the tuple after the one that the last call of this function returned. `missed`: how many were discarded
  !> between the two; unchanged unless it returns es_ok.
  integer function es_path_next(path, tuple, wait, match, missed) result(status)
    type(es_path), intent(in) :: path
    type(es_tuple), intent(out) :: tuple
    integer(c_int64_t), intent(in), optional :: wait
    type(es_template), intent(in), optional :: match
    integer(c_int64_t), intent(inout), optional :: missed
    integer(c_int64_t) :: found
    status = c_path_next(path%handle, template_of(match), wait_of(wait), tuple%handle, found)
    if (status == es_ok .and. present(missed)) missed = found
  end function

  !> Reads the tuple with this number, from 1 on; es_gone if it is no longer kept.
  integer function es_path_read_at(path, sequence, tuple, wait) result(status)
    type(es_path), intent(in) :: path
    integer(c_int64_t), intent(in) :: sequence
    type(es_tuple), intent(out) :: tuple
    integer(c_int64_t), intent(in), optional :: wait
    status = c_path_read_at(path%handle, sequence, wait_of(wait), tuple%handle)
  end function

  !> Drops all tuples up to this number.
  integer function es_path_discard(path, sequence) result(status)
    type(es_path), intent(in) :: path
    integer(c_int64_t), intent(in) :: sequence
    status = c_path_discard(path%handle, sequence)
  end function

  !> Takes part in a collective operation, with a tuple of the values if there are any, and gets the result.
  integer function es_path_exchange(path, tuple, values, wait) result(status)
    type(es_path), intent(in) :: path
    type(es_tuple), intent(out) :: tuple
    type(es_values), intent(in), optional :: values
    integer(c_int64_t), intent(in), optional :: wait
    type(c_ptr) :: contribution
    contribution = c_null_ptr
    status = es_ok
    if (present(values)) status = c_builder_copy(values%handle, contribution)
    if (status /= es_ok) return
    status = c_path_exchange(path%handle, contribution, wait_of(wait), tuple%handle)
    call c_tuple_free(contribution)
    if (status == es_ok .and. present(values)) call c_builder_clear(values%handle)
  end function

  integer(c_int64_t) function wait_of(wait)
    integer(c_int64_t), intent(in), optional :: wait
    wait_of = es_forever
    if (present(wait)) wait_of = wait
  end function

  integer(c_int) function from_of(from)
    integer, intent(in), optional :: from
    from_of = es_oldest
    if (present(from)) from_of = int(from, c_int)
  end function

  type(c_ptr) function template_of(match)
    type(es_template), intent(in), optional :: match
    template_of = c_null_ptr
    if (present(match)) template_of = match%handle
  end function

  ! --- values of a tuple

  integer function builder_of(values) result(status)
    type(es_values), intent(inout) :: values
    status = es_ok
    if (.not. c_associated(values%handle)) status = c_builder_new(values%handle)
  end function

  integer function add_int64(values, value) result(status)
    type(es_values), intent(inout) :: values
    integer(c_int64_t), intent(in) :: value
    status = builder_of(values)
    if (status == es_ok) status = c_builder_add_int(values%handle, value)
  end function

  integer function add_int32(values, value) result(status)
    type(es_values), intent(inout) :: values
    integer(c_int32_t), intent(in) :: value
    status = add_int64(values, int(value, c_int64_t))
  end function

  integer function add_real64(values, value) result(status)
    type(es_values), intent(inout) :: values
    real(c_double), intent(in) :: value
    status = builder_of(values)
    if (status == es_ok) status = c_builder_add_float(values%handle, value)
  end function

  integer function add_real32(values, value) result(status)
    type(es_values), intent(inout) :: values
    real(c_float), intent(in) :: value
    status = add_real64(values, real(value, c_double))
  end function

  integer function add_logical(values, value) result(status)
    type(es_values), intent(inout) :: values
    logical, intent(in) :: value
    status = builder_of(values)
    if (status == es_ok) status = c_builder_add_bool(values%handle, logical(value, c_bool))
  end function

  integer function add_text(values, value) result(status)
    type(es_values), intent(inout) :: values
    character(len=*), intent(in) :: value
    status = builder_of(values)
    if (status == es_ok) status = c_builder_add_text(values%handle, value, len(value, kind=c_size_t))
  end function

  integer function add_bytes(values, value) result(status)
    type(es_values), intent(inout) :: values
    integer(c_int8_t), intent(in) :: value(:)
    status = builder_of(values)
    if (status == es_ok) status = c_builder_add_bytes(values%handle, value, size(value, kind=c_size_t))
  end function

  !> For a template: any value of the type es_bool, es_int, es_float, es_text or es_bytes.
  integer function es_add_any(values, type) result(status)
    type(es_values), intent(inout) :: values
    integer, intent(in) :: type
    status = builder_of(values)
    if (status == es_ok) status = c_builder_add_any(values%handle, int(type, c_int))
  end function

  !> Makes a template of the values, and empties them if it returns es_ok.
  integer function es_template_of(values, made) result(status)
    type(es_values), intent(inout) :: values
    type(es_template), intent(out) :: made
    status = builder_of(values)
    if (status == es_ok) status = c_builder_template(values%handle, made%handle)
  end function

  subroutine free_template(template)
    type(es_template), intent(inout) :: template
    call c_template_free(template%handle)
    template%handle = c_null_ptr
  end subroutine

  subroutine free_values(values)
    type(es_values), intent(inout) :: values
    call c_builder_free(values%handle)
    values%handle = c_null_ptr
  end subroutine

  integer function es_tuple_size(tuple)
    type(es_tuple), intent(in) :: tuple
    es_tuple_size = int(c_tuple_size(tuple%handle))
  end function

  !> Its number in the element, or of the exchange.
  integer(c_int64_t) function es_tuple_sequence(tuple)
    type(es_tuple), intent(in) :: tuple
    es_tuple_sequence = c_tuple_sequence(tuple%handle)
  end function

  integer function get_int64(tuple, field, value) result(status)
    type(es_tuple), intent(in) :: tuple
    integer, intent(in) :: field
    integer(c_int64_t), intent(inout) :: value
    status = c_tuple_int(tuple%handle, int(field - 1, c_size_t), value)
  end function

  !> A number that is too large for `value` is es_configuration, and leaves it alone.
  integer function get_int32(tuple, field, value) result(status)
    type(es_tuple), intent(in) :: tuple
    integer, intent(in) :: field
    integer(c_int32_t), intent(inout) :: value
    status = c_tuple_int32(tuple%handle, int(field - 1, c_size_t), value)
  end function

  integer function get_real64(tuple, field, value) result(status)
    type(es_tuple), intent(in) :: tuple
    integer, intent(in) :: field
    real(c_double), intent(inout) :: value
    status = c_tuple_float(tuple%handle, int(field - 1, c_size_t), value)
  end function

  !> Rounds the number.
  integer function get_real32(tuple, field, value) result(status)
    type(es_tuple), intent(in) :: tuple
    integer, intent(in) :: field
    real(c_float), intent(inout) :: value
    real(c_double) :: found
    found = 0
    status = get_real64(tuple, field, found)
    if (status == es_ok) value = real(found, c_float)
  end function

  integer function get_logical(tuple, field, value) result(status)
    type(es_tuple), intent(in) :: tuple
    integer, intent(in) :: field
    logical, intent(inout) :: value
    logical(c_bool) :: found
    found = .false.
    status = c_tuple_bool(tuple%handle, int(field - 1, c_size_t), found)
    if (status == es_ok) value = found
  end function

  integer function get_text(tuple, field, value) result(status)
    type(es_tuple), intent(in) :: tuple
    integer, intent(in) :: field
    character(len=:), allocatable, intent(inout) :: value
    type(c_ptr) :: text
    integer(c_size_t) :: length
    status = c_tuple_text(tuple%handle, int(field - 1, c_size_t), text, length)
    if (status == es_ok) value = copy_of(text, length)
  end function

  integer function get_bytes(tuple, field, value) result(status)
    type(es_tuple), intent(in) :: tuple
    integer, intent(in) :: field
    integer(c_int8_t), allocatable, intent(inout) :: value(:)
    type(c_ptr) :: bytes
    integer(c_size_t) :: length
    integer(c_int8_t), pointer :: found(:)
    status = c_tuple_bytes(tuple%handle, int(field - 1, c_size_t), bytes, length)
    if (status /= es_ok) return
    call c_f_pointer(bytes, found, [length])
    value = found
  end function

  subroutine free_tuple(tuple)
    type(es_tuple), intent(inout) :: tuple
    call c_tuple_free(tuple%handle)
    tuple%handle = c_null_ptr
  end subroutine

  ! --- probes and regions

  !> The place for a name. `values`: the names of its values, with commas between them.
  function es_site_of(name, values) result(site)
    character(len=*), intent(in) :: name
    character(len=*), intent(in), optional :: values
    type(es_site) :: site
    site%handle = c_site_of(c_text(name), c_text(values))
  end function

  !> A moment, with up to 8 values.
  subroutine es_probe(site, values, virtual_time)
    type(es_site), intent(in) :: site
    type(es_number), intent(in), optional :: values(:)
    integer(c_int64_t), intent(in), optional :: virtual_time
    if (present(values)) then
      call probe_with(site, values, virtual_time)
    else
      call probe_with(site, no_values, virtual_time)
    end if
  end subroutine

  subroutine probe_with(site, values, virtual_time)
    type(es_site), intent(in) :: site
    type(es_number), intent(in) :: values(:)
    integer(c_int64_t), intent(in), optional :: virtual_time
    if (present(virtual_time)) then
      call c_probe_at(site%handle, virtual_time, values, size(values, kind=c_size_t))
    else
      call c_probe(site%handle, values, size(values, kind=c_size_t))
    end if
  end subroutine

  subroutine es_region_begin(site)
    type(es_site), intent(in) :: site
    call c_region_begin(site%handle)
  end subroutine

  !> Ends the innermost open region of the place's name, with up to 8 values.
  subroutine es_region_end(site, values, virtual_time)
    type(es_site), intent(in) :: site
    type(es_number), intent(in), optional :: values(:)
    integer(c_int64_t), intent(in), optional :: virtual_time
    if (present(values)) then
      call region_end_with(site, values, virtual_time)
    else
      call region_end_with(site, no_values, virtual_time)
    end if
  end subroutine

  subroutine region_end_with(site, values, virtual_time)
    type(es_site), intent(in) :: site
    type(es_number), intent(in) :: values(:)
    integer(c_int64_t), intent(in), optional :: virtual_time
    if (present(virtual_time)) then
      call c_region_end_at(site%handle, virtual_time, values, size(values, kind=c_size_t))
    else
      call c_region_end(site%handle, values, size(values, kind=c_size_t))
    end if
  end subroutine

  type(es_number) function number_of_int64(value) result(made)
    integer(c_int64_t), intent(in) :: value
    made = c_integer(value)
  end function
  type(es_number) function number_of_int32(value) result(made)
    integer(c_int32_t), intent(in) :: value
    made = c_integer(int(value, c_int64_t))
  end function
  type(es_number) function number_of_real64(value) result(made)
    real(c_double), intent(in) :: value
    made = c_real(value)
  end function
  type(es_number) function number_of_real32(value) result(made)
    real(c_float), intent(in) :: value
    made = c_real(real(value, c_double))
  end function

  ! --- errors

  function es_error_text() result(text)
    character(len=:), allocatable :: text
    type(c_ptr) :: found
    found = c_error_text()
    text = copy_of(found, c_strlen(found))
  end function

  function es_status_name(status) result(text)
    integer, intent(in) :: status
    character(len=:), allocatable :: text
    type(c_ptr) :: found
    found = c_status_name(int(status, c_int))
    text = copy_of(found, c_strlen(found))
  end function

  function copy_of(text, length) result(copy)
    type(c_ptr), intent(in) :: text
    integer(c_size_t), intent(in) :: length
    character(len=:), allocatable :: copy
    character(kind=c_char), pointer :: letters(:)
    integer(c_size_t) :: i
    call c_f_pointer(text, letters, [length])
    allocate (character(len=length) :: copy)
    do i = 1, length
      copy(i:i) = letters(i)
    end do
  end function

end module eventspace
