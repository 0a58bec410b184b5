# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The driver, a simulated robot and the dashboard in a web page: Python in a web worker, by Pyodide.

    static/index.html   the page: the dashboard in a frame, an editor for a first program
    static/try.js       the worker, the editor, the dashboard's connection
    static/serial.js    a real robot, by Web Serial
    static/worker.js    loads Python, and passes messages between the page and `page`
    page                the dashboard and the program of the person
    task                the one piece of Python that may wait
    serial              the robot at a serial port of the browser
    shared_driver       the robot of the dashboard for a program

`python -m tools.try_page` writes the page. The modules run nowhere but in Pyodide. One asyncio loop steps driver,
simulator and dashboard; none of these waits. Python crashes when several suspended stacks are resumed in any order, so
only one stack may be suspended: that of `task`.
"""
