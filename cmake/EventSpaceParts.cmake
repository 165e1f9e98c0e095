# Parts that need packages which not each machine has. The value of each option is AUTO, the default: built if its packages
# are found; ON: without them, configuring fails; or OFF: left out. What is left out is said when configuring.
set(EVENTSPACE_MPI AUTO CACHE STRING "Recording of MPI programs: libeventspace-openmpi.so and libeventspace-mpich.so (AUTO, ON, OFF)")
set(EVENTSPACE_PVM AUTO CACHE STRING "Recording of PVM programs: libeventspace-pvm.so (AUTO, ON, OFF)")
set(EVENTSPACE_SIMGRID AUTO CACHE STRING "Switched networks in `eventspace whatif` (AUTO, ON, OFF)")
set(EVENTSPACE_PAGE AUTO CACHE STRING "The page in a browser: `eventspace web` and `report` (AUTO, ON, OFF)")
foreach(part MPI PVM SIMGRID PAGE)
  set_property(CACHE EVENTSPACE_${part} PROPERTY STRINGS AUTO ON OFF)
endforeach()

# eventspace_decide(RESULT PART IS_FOUND WHAT NEEDS) sets RESULT to whether WHAT is built, by the option of the part and by
# whether its packages are found. NEEDS is a clause, such as "it needs pvm3.h (Debian: pvm-dev)".
function(eventspace_decide result part is_found what needs)
  set(${result} OFF PARENT_SCOPE)
  if(EVENTSPACE_${part} STREQUAL "AUTO")
    if(is_found)
      set(${result} ON PARENT_SCOPE)
    else()
      message(STATUS "Without ${what}: ${needs}")
    endif()
  elseif(NOT EVENTSPACE_${part})
    message(STATUS "Without ${what}: EVENTSPACE_${part} is ${EVENTSPACE_${part}}")
  elseif(is_found)
    set(${result} ON PARENT_SCOPE)
  else()
    message(FATAL_ERROR "EVENTSPACE_${part} is ${EVENTSPACE_${part}}, but without ${what}: ${needs}")
  endif()
endfunction()
