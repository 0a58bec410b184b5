# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

# Included after each project() where ROS 2 comes from PyPI: compiles the hundreds of small files of type support that
# rosidl generates in few big ones, in two thirds of the time. The files of rosidl_generator_c are left alone: they
# define the same static names.
function(unite_type_support)
  get_property(targets DIRECTORY PROPERTY BUILDSYSTEM_TARGETS)
  list(FILTER targets INCLUDE REGEX "__rosidl_(typesupport|generator_py)")
  if(targets)
    set_target_properties(${targets} PROPERTIES UNITY_BUILD ON)
  endif()
endfunction()
cmake_language(DEFER CALL unite_type_support)
