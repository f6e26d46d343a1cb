# gradlab_tests (doctest) and gradlab-conformance, and what ctest runs of them.

if(NOT BUILD_TESTING)
  return()
endif()

file(GLOB test_sources CONFIGURE_DEPENDS RELATIVE "${CMAKE_SOURCE_DIR}"
  tests/*.cpp tests/tensor/*.cpp tests/autograd/*.cpp tests/ops/*.cpp tests/lab/*.cpp tests/cli/*.cpp)
file(GLOB kernel_test_sources CONFIGURE_DEPENDS tests/kernels/*.cpp)
file(GLOB conformance_sources CONFIGURE_DEPENDS RELATIVE "${CMAKE_SOURCE_DIR}" tests/conformance/*.cpp)
set(conformance_main tests/conformance/main.cpp)
set(conformance_tests ${conformance_sources})
list(FILTER conformance_tests INCLUDE REGEX "_test\\.cpp$")
list(FILTER conformance_sources EXCLUDE REGEX "_test\\.cpp$")
list(REMOVE_ITEM conformance_sources ${conformance_main})

# Compiled as a few large units, since most of a small file's time goes into its headers: the engine's tests are one, those
# of the program around it another, and two files of a unit may not define the same name. And without optimisation, but for
# what computes millions of reference values.
add_library(gradlab_replay OBJECT ${conformance_sources})
target_link_libraries(gradlab_replay PUBLIC gradlab::gradlab ZLIB::ZLIB)
target_compile_definitions(gradlab_replay PUBLIC "GRADLAB_SOURCE_DIR=\"${CMAKE_SOURCE_DIR}\"")
target_compile_options(gradlab_replay PRIVATE -O0)
set_target_properties(gradlab_replay PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)

add_executable(gradlab-conformance ${conformance_main})
target_compile_options(gradlab-conformance PRIVATE -O0)
set_target_properties(gradlab-conformance PROPERTIES LINKER_LANGUAGE CXX)
target_link_libraries(gradlab-conformance PRIVATE gradlab_replay)

add_library(gradlab_kernel_tests OBJECT ${kernel_test_sources})
set_target_properties(gradlab_kernel_tests PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
target_link_libraries(gradlab_kernel_tests PRIVATE gradlab::gradlab doctest::doctest)
target_compile_options(gradlab_kernel_tests PRIVATE -O1)

# main.cpp defines doctest's implementation.
list(REMOVE_ITEM test_sources tests/main.cpp)
add_library(gradlab_test_main OBJECT tests/main.cpp)
target_link_libraries(gradlab_test_main PRIVATE gradlab::gradlab doctest::doctest)
target_compile_options(gradlab_test_main PRIVATE -O0)

add_executable(gradlab_tests ${test_sources} ${conformance_tests}
  $<TARGET_OBJECTS:gradlab_test_main> $<TARGET_OBJECTS:gradlab_kernel_tests>)
set_target_properties(gradlab_tests PROPERTIES LINKER_LANGUAGE CXX)
target_link_libraries(gradlab_tests PRIVATE gradlab_replay doctest::doctest)
target_compile_definitions(gradlab_tests PRIVATE "GRADLAB_BINARY=\"$<TARGET_FILE:gradlab>\"")
target_compile_options(gradlab_tests PRIVATE -O0)
set_target_properties(gradlab_tests PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
foreach(source IN LISTS test_sources conformance_tests)
  if(source MATCHES "^tests/(tensor|autograd|ops)/")
    set_source_files_properties("${source}" PROPERTIES UNITY_GROUP engine)
  else()
    set_source_files_properties("${source}" PROPERTIES UNITY_GROUP program)
  endif()
endforeach()
add_dependencies(gradlab_tests gradlab)

# A test-case is slow when it stands in TEST_SUITE("slow") or carries doctest::test_suite("slow").
add_test(NAME unit COMMAND gradlab_tests --test-suite-exclude=slow)
add_test(NAME slow COMMAND gradlab_tests --test-suite=slow)
set_tests_properties(unit PROPERTIES TIMEOUT 600)
set_tests_properties(slow PROPERTIES LABELS slow TIMEOUT 1800)
if(GRADLAB_SANITIZE)
  set_tests_properties(unit slow PROPERTIES ENVIRONMENT
    "ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=1:halt_on_error=1;UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1")
endif()
