C     An unmodified program of PVM in Fortran: sends to itself, and waits for the file $GO_ON.
      program pvmapp
      include 'fpvm3.h'
      integer mytid, info, bufid, values(4)
      character*255 go
      logical there
      data values /1, 2, 3, 4/
      call pvmfmytid(mytid)
      call pvmfinitsend(PVMRAW, bufid)
      call pvmfpack(INTEGER4, values, 4, 1, info)
      call pvmfsend(mytid, 5, info)
      call pvmfrecv(mytid, 5, bufid)
      call pvmfunpack(INTEGER4, values, 4, 1, info)
      print *, 'ready'
      flush(6)
      call get_environment_variable('GO_ON', go)
 10   inquire(file=go, exist=there)
      if (.not. there .and. go .ne. ' ') then
        call sleep(1)
        goto 10
      endif
      call pvmfexit(info)
      end
