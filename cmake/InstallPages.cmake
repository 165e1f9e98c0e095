# Installs the documentation: install_pages(SOURCE DESTINATION FILES...) copies pages, given relative to SOURCE, to
# the same places below DESTINATION. Pages link to each other and to files of the source tree. A link to a file that is
# not at DESTINATION becomes plain text in the copy, so that the links of an installed page work. Run by
# `cmake --install`, after everything else that the pages link to.

# Sets `result` to `text` without those links that lead from `folder` to files that do not exist.
function(without_dead_links result folder text)
  set(done "")
  while(text MATCHES "\\]\\(([^)\n]*)\\)")
    set(link "${CMAKE_MATCH_0}")
    set(target "${CMAKE_MATCH_1}")
    string(FIND "${text}" "${link}" at)
    string(SUBSTRING "${text}" 0 ${at} before)
    string(LENGTH "${link}" length)
    math(EXPR behind "${at} + ${length}")
    string(SUBSTRING "${text}" ${behind} -1 text)
    string(REGEX REPLACE "#.*" "" file "${target}")
    # In code, "[](int a)" and "f[i](...)" look like links.
    if(NOT file MATCHES "^[A-Za-z0-9_./-]*[A-Za-z0-9][A-Za-z0-9_./-]*$" OR EXISTS "${folder}/${file}")
      string(APPEND done "${before}${link}")
    else()
      string(FIND "${before}" "[" bracket REVERSE)
      string(SUBSTRING "${before}" 0 ${bracket} words)
      math(EXPR bracket "${bracket} + 1")
      string(SUBSTRING "${before}" ${bracket} -1 name)
      string(APPEND done "${words}${name}")
    endif()
  endwhile()
  set(${result} "${done}${text}" PARENT_SCOPE)
endfunction()

function(install_pages source destination)
  set(installed "$ENV{DESTDIR}${destination}")  # file(INSTALL) adds DESTDIR by itself
  # All first, since they link to each other.
  foreach(page IN LISTS ARGN)
    get_filename_component(folder ${page} DIRECTORY)
    file(INSTALL DESTINATION "${destination}/${folder}" TYPE FILE FILES "${source}/${page}")
  endforeach()
  foreach(page IN LISTS ARGN)
    get_filename_component(folder "${installed}/${page}" DIRECTORY)
    file(READ "${source}/${page}" text)
    without_dead_links(linked "${folder}" "${text}")
    if(NOT "${linked}" STREQUAL "${text}")
      file(WRITE "${installed}/${page}" "${linked}")
    endif()
  endforeach()
endfunction()
