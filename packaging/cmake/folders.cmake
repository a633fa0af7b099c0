# azk_library(FOLDER USES …): the static library of firmware/FOLDER.  Others include its headers as
# "FOLDER/x.h", and only those that name it in USES: each library has an include directory that holds
# nothing but a link to its own folder, so a forbidden include does not compile.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)

function(azk_include_dir folder out)
    set(dir ${CMAKE_BINARY_DIR}/include/${folder})
    file(MAKE_DIRECTORY ${dir})
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/firmware/${folder} ${dir}/${folder} SYMBOLIC)
    set(${out} ${dir} PARENT_SCOPE)
endfunction()

function(azk_library folder)
    cmake_parse_arguments(ARG "" "" "USES;SYSTEM" ${ARGN})
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.c)
    list(FILTER sources EXCLUDE REGEX "/main\\.c$")
    azk_include_dir(${folder} include_dir)
    if(NOT sources)
        add_library(${folder} INTERFACE)
        target_include_directories(${folder} INTERFACE ${include_dir})
        target_link_libraries(${folder} INTERFACE azk_flags ${ARG_USES} ${ARG_SYSTEM})
        return()
    endif()
    add_library(${folder} STATIC ${sources})
    target_include_directories(${folder} PUBLIC ${include_dir})
    target_link_libraries(${folder} PUBLIC azk_flags ${ARG_USES} ${ARG_SYSTEM})
endfunction()

# azk_program(NAME FOLDER USES …): bin/NAME from firmware/FOLDER/main.c and the folder's library.
function(azk_program name folder)
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/main.c)
        add_executable(${name} ${CMAKE_CURRENT_SOURCE_DIR}/main.c)
        target_link_libraries(${name} PRIVATE ${folder} ${ARGN})
        install(TARGETS ${name} RUNTIME DESTINATION bin COMPONENT daemons)
    endif()
endfunction()
