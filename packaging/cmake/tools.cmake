# The targets format, tidy and cppcheck, over all C of ours.
file(GLOB_RECURSE AZK_C CONFIGURE_DEPENDS
    ${PROJECT_SOURCE_DIR}/firmware/*.c ${PROJECT_SOURCE_DIR}/firmware/*.h ${PROJECT_SOURCE_DIR}/tests/*.c ${PROJECT_SOURCE_DIR}/tests/*.h)
set(AZK_FIRMWARE_C ${AZK_C})
list(FILTER AZK_FIRMWARE_C INCLUDE REGEX "/firmware/.*\\.c$")

add_custom_target(format COMMAND clang-format -i ${AZK_C} VERBATIM)
add_custom_target(format-check COMMAND clang-format --dry-run -Werror ${AZK_C} VERBATIM)
add_custom_target(tidy COMMAND clang-tidy --quiet -p ${CMAKE_BINARY_DIR} ${AZK_FIRMWARE_C} VERBATIM)
include(ProcessorCount)
ProcessorCount(azk_cores)
if(azk_cores EQUAL 0)
    set(azk_cores 1)
endif()
add_custom_target(cppcheck COMMAND cppcheck --quiet -j ${azk_cores} --error-exitcode=1 --inline-suppr --std=c11
    --enable=warning,portability --suppressions-list=${PROJECT_SOURCE_DIR}/packaging/cppcheck-suppressions.txt
    --project=${CMAKE_BINARY_DIR}/compile_commands.json VERBATIM)
