# The .deb: `cmake --build BUILD --target stepscope_extras && cpack --config BUILD/CPackConfig.cmake`. From the preset
# `wheel` its programs need glibc alone, so one file serves every Debian and Ubuntu since 2014 (scripts/release).
# Manual page and completions are made by the built binary.
include(GNUInstallDirs)
find_package(Python3 QUIET COMPONENTS Interpreter)
set(extras ${CMAKE_CURRENT_BINARY_DIR}/extras)
add_custom_command(OUTPUT ${extras}/stepscope.1.gz ${extras}/stepscope ${extras}/_stepscope
  COMMAND ${CMAKE_COMMAND} -E make_directory ${extras}
  COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/packaging/make_man.py $<TARGET_FILE:stepscope> > ${extras}/stepscope.1
  COMMAND gzip -9nf ${extras}/stepscope.1
  COMMAND $<TARGET_FILE:stepscope> completion bash > ${extras}/stepscope
  COMMAND $<TARGET_FILE:stepscope> completion zsh > ${extras}/_stepscope
  DEPENDS stepscope ${PROJECT_SOURCE_DIR}/scripts/packaging/make_man.py VERBATIM)
add_custom_target(stepscope_extras DEPENDS ${extras}/stepscope.1.gz stepscope_inject $<TARGET_NAME_IF_EXISTS:stepscope_viewer>)

install(TARGETS stepscope RUNTIME DESTINATION bin COMPONENT deb EXCLUDE_FROM_ALL)
install(TARGETS stepscope_inject LIBRARY DESTINATION lib/stepscope COMPONENT deb EXCLUDE_FROM_ALL)
if(STEPSCOPE_WITH_VIEWER)
  install(TARGETS stepscope_viewer LIBRARY DESTINATION lib/stepscope COMPONENT deb EXCLUDE_FROM_ALL)
  install(FILES ${STEPSCOPE_VIEWER_FONT} DESTINATION lib/stepscope COMPONENT deb EXCLUDE_FROM_ALL)
endif()
install(FILES collectors/annotate/stepscope/annotate.hpp DESTINATION include/stepscope COMPONENT deb EXCLUDE_FROM_ALL)
install(FILES python/stepscope/__init__.py python/stepscope/__main__.py ${CMAKE_CURRENT_BINARY_DIR}/python/_version.py
  DESTINATION lib/python3/dist-packages/stepscope COMPONENT deb EXCLUDE_FROM_ALL)
install(FILES LICENSE RENAME copyright DESTINATION share/doc/stepscope COMPONENT deb EXCLUDE_FROM_ALL)
foreach(package libfmt-dev libsimdjson-dev libzstd-dev zlib1g-dev libsqlite3-dev libcli11-dev nlohmann-json3-dev
    libimgui-dev libglfw3-dev libpng-dev fonts-dejavu-core gcc-12-base)
  install(FILES /usr/share/doc/${package}/copyright RENAME ${package}.copyright DESTINATION share/doc/stepscope
    COMPONENT deb EXCLUDE_FROM_ALL OPTIONAL)  # what is linked in keeps its licence
endforeach()
install(FILES ${extras}/stepscope.1.gz DESTINATION share/man/man1 COMPONENT deb EXCLUDE_FROM_ALL)
install(FILES ${extras}/stepscope DESTINATION share/bash-completion/completions COMPONENT deb EXCLUDE_FROM_ALL)
install(FILES ${extras}/_stepscope DESTINATION share/zsh/vendor-completions COMPONENT deb EXCLUDE_FROM_ALL)

set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_ALL deb)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_OUTPUT_FILE_PREFIX ${PROJECT_SOURCE_DIR}/build/dist)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_NAME stepscope)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "The stepscope developers")
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= 2.17)")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3, libegl1, libgl1, libgl1-mesa-dri")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/scripts/packaging/prerm)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
