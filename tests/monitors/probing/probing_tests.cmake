# Probes in programs that run: symbols and machine code, and `eventspace functions`.
eventspace_test(
  probing_test
  SOURCES probing/elf_image_test.cpp probing/entry_check_test.cpp probing/functions_command_test.cpp
          probing/process_modules_test.cpp
  LINK eventspace::monitors fmt::fmt
  LABELS monitors)
if(LIBLZMA_FOUND)
  target_link_libraries(probing_test PRIVATE ${LIBLZMA_LIBRARIES})
endif()
