// SPDX-FileCopyrightText: The authors of amigobot_driver
// SPDX-License-Identifier: Apache-2.0

// The dashboard's connection, without a network: the page around the frame has the worker with the robot, for one person.
document.body.classList.add("alone");
export const openSocket = () => window.parent.robotSocket();
