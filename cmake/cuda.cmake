# Sets GRADLAB_WITH_CUDA and, when it is true, enables the language CUDA.

set(GRADLAB_WITH_CUDA OFF)
# One PTX for all: code for 75, 80 (runs on 86 and 89 too) and 90, and itself for what comes after. An architecture's own PTX
# gives the same code and doubles the time to compile.
set(CMAKE_CUDA_ARCHITECTURES OFF)
set(GRADLAB_CUDA_CODE --generate-code=arch=compute_75,code=[compute_75,sm_75,sm_80,sm_90])
set(CMAKE_CUDA_RUNTIME_LIBRARY Static)

# gradlab_cuda_works(RESULT NVCC): does nvcc compile a C++20 file (12.0 and later, with a host compiler it accepts)?
# check_language(CUDA) does not ask for C++20 and takes four times as long.
function(gradlab_cuda_works result nvcc)
  set(folder "${CMAKE_BINARY_DIR}/CMakeFiles/gradlab_cuda_works")
  file(WRITE "${folder}/probe.cu" "__global__ void probe_kernel(int* p) { *p = 1; }\n")
  execute_process(COMMAND "${nvcc}" -std=c++20 -arch=sm_75 -c probe.cu -o probe.o WORKING_DIRECTORY "${folder}"
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(status EQUAL 0)
    set(${result} ON PARENT_SCOPE)
  else()
    set(${result} OFF PARENT_SCOPE)
    message(WARNING "gradlab: ${nvcc} cannot compile a C++20 file, so without CUDA:\n${output}")
  endif()
endfunction()

if(NOT GRADLAB_CUDA STREQUAL "OFF")
  if(DEFINED ENV{CUDACXX})
    set(GRADLAB_NVCC "$ENV{CUDACXX}" CACHE FILEPATH "nvcc")
  endif()
  find_program(GRADLAB_NVCC nvcc PATHS /usr/local/cuda/bin)
  if(GRADLAB_CUDA STREQUAL "ON")
    set(GRADLAB_WITH_CUDA ON)
  elseif(CMAKE_CUDA_COMPILER)
    set(GRADLAB_WITH_CUDA ON)
  elseif(GRADLAB_NVCC)
    gradlab_cuda_works(GRADLAB_WITH_CUDA "${GRADLAB_NVCC}")
  else()
    message(STATUS "gradlab: no nvcc, so without CUDA")
  endif()
endif()
if(GRADLAB_WITH_CUDA)
  if(GRADLAB_NVCC)
    set(ENV{CUDACXX} "${GRADLAB_NVCC}")
  endif()
  enable_language(CUDA)
  # CMake 3.25 does not know how to ask nvcc for C++20, and drops CUDA_STANDARD 20; a -std among the compile options is
  # overridden by the older one that it adds by itself. So it is told.
  if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
  endif()
endif()
