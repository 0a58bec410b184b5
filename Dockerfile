# The driver on an official ROS image.
#
#   docker build --build-arg ROS_DISTRO=jazzy -t amigobot .
#   docker run --rm -it --network host --ipc host --device /dev/ttyUSB0 amigobot \
#     ros2 launch amigobot_driver amigobot.launch.py port:=/dev/ttyUSB0
#
# PACKAGES="amigobot_driver amigobot_tools amigobot_navigation" adds Nav2, which is ten times as much.

ARG ROS_DISTRO=jazzy
FROM ros:${ROS_DISTRO}-ros-base

ARG PACKAGES="amigobot_driver amigobot_tools"
SHELL ["/bin/bash", "-o", "pipefail", "-c"]
WORKDIR /ws

# First what the packages need: this layer lasts as long as their package.xml.
COPY amigobot_msgs/package.xml src/amigobot_msgs/
COPY amigobot_driver/package.xml src/amigobot_driver/
COPY amigobot_navigation/package.xml src/amigobot_navigation/
COPY amigobot_tools/package.xml src/amigobot_tools/
RUN apt-get update \
 && rosdep update --rosdistro "$ROS_DISTRO" \
 && mapfile -t wanted < <(colcon list --paths-only --packages-up-to $PACKAGES) \
 && rosdep install --rosdistro "$ROS_DISTRO" --from-paths "${wanted[@]}" --ignore-src -y \
      --dependency-types=buildtool --dependency-types=build --dependency-types=exec \
 && rm -rf /var/lib/apt/lists/*

COPY amigobot_msgs src/amigobot_msgs
COPY amigobot_driver src/amigobot_driver
COPY amigobot_navigation src/amigobot_navigation
COPY amigobot_tools src/amigobot_tools
RUN source "/opt/ros/$ROS_DISTRO/setup.bash" \
 && colcon build --merge-install --packages-up-to $PACKAGES --cmake-args -DBUILD_TESTING=OFF \
 && rm -rf build log src

# Driving a robot does not need root; the group dialout may open the port.
RUN useradd --create-home --groups dialout robot
USER robot
WORKDIR /home/robot

# As Ctrl-C does: the robot stops, and its session is closed.
STOPSIGNAL SIGINT
ENTRYPOINT ["/bin/bash", "-c", "source /ws/install/setup.bash && exec \"$@\"", "--"]
CMD ["ros2", "launch", "amigobot_driver", "amigobot.launch.py", "use_rviz:=false"]
