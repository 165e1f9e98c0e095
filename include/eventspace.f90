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

  interface es_number
    module procedure number_of_int32, number_of_int64, number_of_real32, number_of_real64
  end interface
  interface es_add
    module procedure add_int32, add_int64, add_real64, add_logical, add_text
  end interface
  interface es_get
    module procedure get_int32, get_int64, get_real64, get_logical, get_text
  end interface
  interface es_free
    module procedure free_session, free_tuple, free_values
  end interface

  public :: es_session_join, es_session_open, es_session_from_environment, es_session_close, es_session_thread
  public :: es_thread_path, es_thread_set_virtual_time
  public :: es_path_write, es_path_read, es_path_take, es_path_exchange
  public :: es_add, es_get, es_free, es_tuple_size
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
    function c_builder_add_text(builder, text) bind(c, name="es_builder_add_text") result(status)
      import
      type(c_ptr), value :: builder
      character(kind=c_char), intent(in) :: text(*)
      integer(c_int) :: status
    end function
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

  !> Joins as a process of a pathmap. Without `process`, as EVENTSPACE_PROCESS says, or the only process.
  integer function es_session_join(pathmap, session, process) result(status)
    character(len=*), intent(in) :: pathmap
    type(es_session), intent(out) :: session
    character(len=*), intent(in), optional :: process
    character(kind=c_char, len=:), allocatable, target :: name
    name = ""
    if (present(process)) name = trim(process)
    name = name // c_null_char
    status = c_session_join(trim(pathmap) // c_null_char, c_loc(name), c_null_ptr, 0_c_int32_t, session%handle)
  end function

  !> Joins a session without a pathmap.
  integer function es_session_open(name, session) result(status)
    character(len=*), intent(in) :: name
    type(es_session), intent(out) :: session
    status = c_session_open(trim(name) // c_null_char, c_null_ptr, 0_c_int32_t, session%handle)
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
    status = c_session_thread(session%handle, trim(name) // c_null_char, thread%handle)
  end function

  !> The path of this name. Look it up once, before the loop.
  integer function es_thread_path(thread, name, path) result(status)
    type(es_thread), intent(in) :: thread
    character(len=*), intent(in) :: name
    type(es_path), intent(out) :: path
    status = c_thread_path(thread%handle, trim(name) // c_null_char, path%handle)
  end function

  !> The progress of the program, such as its time step.
  integer function es_thread_set_virtual_time(thread, time) result(status)
    type(es_thread), intent(in) :: thread
    integer, intent(in) :: time
    status = c_thread_set_virtual_time(thread%handle, int(time, c_int64_t))
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

  !> Returns the oldest tuple, which stays in the element. Free it with es_free, as those of the next two.
  integer function es_path_read(path, tuple, wait) result(status)
    type(es_path), intent(in) :: path
    type(es_tuple), intent(out) :: tuple
    integer(c_int64_t), intent(in), optional :: wait
    status = c_path_read(path%handle, 0_c_int, c_null_ptr, wait_of(wait), tuple%handle)
  end function

  !> Returns the oldest tuple and removes it.
  integer function es_path_take(path, tuple, wait) result(status)
    type(es_path), intent(in) :: path
    type(es_tuple), intent(out) :: tuple
    integer(c_int64_t), intent(in), optional :: wait
    status = c_path_take(path%handle, 0_c_int, c_null_ptr, wait_of(wait), tuple%handle)
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
    if (status == es_ok) status = c_builder_add_text(values%handle, value // c_null_char)
  end function

  subroutine free_values(values)
    type(es_values), intent(inout) :: values
    call c_builder_free(values%handle)
    values%handle = c_null_ptr
  end subroutine

  integer function es_tuple_size(tuple)
    type(es_tuple), intent(in) :: tuple
    es_tuple_size = int(c_tuple_size(tuple%handle))
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
    if (present(values)) then
      site%handle = c_site_of(trim(name) // c_null_char, trim(values) // c_null_char)
    else
      site%handle = c_site_of(trim(name) // c_null_char, c_null_char)
    end if
  end function

  !> A moment, with up to 8 values.
  subroutine es_probe(site, values)
    type(es_site), intent(in) :: site
    type(es_number), intent(in), optional :: values(:)
    type(es_number) :: none(1)
    if (present(values)) then
      call c_probe(site%handle, values, size(values, kind=c_size_t))
    else
      none(1) = es_number(0)
      call c_probe(site%handle, none, 0_c_size_t)
    end if
  end subroutine

  subroutine es_region_begin(site)
    type(es_site), intent(in) :: site
    call c_region_begin(site%handle)
  end subroutine

  !> Ends the innermost open region of the place's name, with up to 8 values.
  subroutine es_region_end(site, values)
    type(es_site), intent(in) :: site
    type(es_number), intent(in), optional :: values(:)
    type(es_number) :: none(1)
    if (present(values)) then
      call c_region_end(site%handle, values, size(values, kind=c_size_t))
    else
      none(1) = es_number(0)
      call c_region_end(site%handle, none, 0_c_size_t)
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
