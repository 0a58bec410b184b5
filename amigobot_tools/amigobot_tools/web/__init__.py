# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""The driver, a simulated robot and the dashboard in a web page: Python in a web worker, by Pyodide.

    static/index.html   the page: the dashboard in a frame, an editor for a first program
    static/worker.js    loads Python, and passes messages between the page and `page`
    page                the dashboard and the programs of the person
    threads             threads that take turns, as a web worker has only one
    shared_driver       the robot of the dashboard for a program

`python -m tools.try_page` writes the page. The modules run nowhere but in Pyodide.
"""
