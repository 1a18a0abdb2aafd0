# The font that packages carry beside stepscope_viewer.so.
set(STEPSCOPE_VIEWER_FONT /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf CACHE FILEPATH "DejaVu Sans, which packages carry")

# STEPSCOPE_WITH_VIEWER=AUTO, which the preset `release` says: on where the packages are.
function(stepscope_choose_viewer)
  string(TOUPPER "${STEPSCOPE_WITH_VIEWER}" wanted)
  if(NOT wanted STREQUAL "AUTO")
    return()
  endif()
  find_package(PkgConfig QUIET)
  pkg_check_modules(STEPSCOPE_VIEWER_NEEDS QUIET imgui glfw3 egl gl libpng)
  if(STEPSCOPE_VIEWER_NEEDS_FOUND)
    set(STEPSCOPE_WITH_VIEWER ON PARENT_SCOPE)
  else()
    message(STATUS "The viewer is left out (apt-get install libimgui-dev libglfw3-dev libegl-dev libgl-dev libpng-dev)")
    set(STEPSCOPE_WITH_VIEWER OFF PARENT_SCOPE)
  endif()
endfunction()
