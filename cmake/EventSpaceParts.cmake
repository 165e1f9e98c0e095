# Parts of EventSpace that need software which not every machine has. The option EVENTSPACE_<PART> of each is one of
#
#   AUTO  the part is built if its software is found, and else left out with a message
#   ON    the configuration fails if its software is not found
#   OFF   the part is left out
foreach(part OPENMPI MPICH PVM SIMGRID PAGE PYTHON)
  set(EVENTSPACE_${part} AUTO CACHE STRING "Build this part: AUTO (if its software is found), ON or OFF")
  set_property(CACHE EVENTSPACE_${part} PROPERTY STRINGS AUTO ON OFF)
  string(TOUPPER "${EVENTSPACE_${part}}" choice)
  if(NOT choice MATCHES "^(AUTO|ON|OFF)$")
    message(FATAL_ERROR "EVENTSPACE_${part} is '${EVENTSPACE_${part}}'; choose AUTO, ON or OFF")
  endif()
endforeach()

# eventspace_part(RESULT PART NAME NEEDS FOUND) sets RESULT to whether a part is built. NAME and NEEDS are for messages:
# what the user gets, and the software with its Debian packages. FOUND says whether all of that was found.
function(eventspace_part result part name needs found)
  string(TOUPPER "${EVENTSPACE_${part}}" choice)
  set(built OFF)
  if(choice STREQUAL OFF)
    message(STATUS "Without ${name}: EVENTSPACE_${part} is OFF")
  elseif(found)
    set(built ON)
  elseif(choice STREQUAL ON)
    message(FATAL_ERROR "EVENTSPACE_${part} is ON, but ${name} cannot be built: it needs ${needs}. "
                        "Install that, or choose EVENTSPACE_${part}=OFF")
  else()
    message(STATUS "Without ${name}: it needs ${needs}")
  endif()
  set(${result} ${built} PARENT_SCOPE)
endfunction()
