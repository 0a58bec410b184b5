# SPDX-FileCopyrightText: The authors of amigobot_driver
# SPDX-License-Identifier: Apache-2.0

"""Every name in the doctor's table exists: some rows are shown only when a user needs them."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from fault_proxy import Fault, VirtualPort

from amigobot_driver.doctor import Case, History, computer, examination, parse_target
from amigobot_driver.doctor.graph import Graph
from amigobot_driver.doctor.table import HELPERS, Names, Part, Row, findings_of, table
from amigobot_driver.protocol import Sip
from amigobot_driver.robot import Report

#: Names that a part or row gives its expressions.
_OWN = {"it", "seen", "port"}


@pytest.fixture(scope="module")
def figures() -> dict[str, Any]:
    """Figures of a healthy robot, of a computer and of ROS, by the part of the table whose rows use them."""
    used: dict[str, Any] = {}

    def record(part: str, of: object) -> object:
        used[part] = of
        return findings_of(part, of)

    port = VirtualPort(Fault(robot="p3dx-sh"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(examination, "findings_of", record)
        patch.setattr(computer, "serial_ports", list)
        list(examination.examine(Case(target=parse_target("sim://"), opener=port.open, clock=port.clock)))
        used["ports"] = computer.ChosenPort()
    serial = computer.SerialSide(Case(target=parse_target("/dev/none")))
    used["line"].computer = network = computer.NetworkSide(Case(target=parse_target("127.0.0.1:1")))
    used |= dict.fromkeys(serial.parts, serial) | dict.fromkeys(network.parts, network)
    return {part: used.get(part, Graph() if part.startswith("ROS") else used["rest"]) for part in table()}


def expressions(of: Row | Part) -> Iterator[str]:
    if isinstance(of, Row):
        yield from (of.when, *([of.each] if of.each else []), *of.values.values())
        texts = [of.key, of.severity, of.seen, of.cause, of.remedy, of.command, *of.values]
        for series in of.series:
            yield from (series[key] for key in ("figure", "unit") if key in series)
    else:
        yield from (of.ok_when, of.each, *of.values.values(), *of.values_of_each.values())
        texts = [of.ok, of.detail, *of.values, *of.values_of_each]
    yield from (f'rf"""{text} """' for text in texts)


def unknown_names(expression: str, figures: object) -> list[str]:
    """Return the names that neither the table nor the figures have, and the attributes that their object does not."""
    nodes = [*ast.walk(ast.parse(expression, mode="eval"))]
    names = [node for node in nodes if isinstance(node, ast.Name)]
    known = _OWN | HELPERS.keys() | {*dir(builtins), *dir(figures)}
    known |= {name.id for name in names if isinstance(name.ctx, ast.Store)}
    unknown = [name.id for name in names if name.id not in known]
    for node in nodes:
        if isinstance(node, ast.Attribute):
            # An object that only an unhealthy robot has is not there.
            with suppress(NameError, AttributeError, LookupError, TypeError):
                owner = Names(figures).value(ast.unparse(node.value))
                unknown += [ast.unparse(node)] * (owner is not None and not hasattr(owner, node.attr))
    return unknown


@pytest.mark.parametrize("name", table())
def test_every_name_of_a_row_is_known(figures: dict[str, Any], name: str) -> None:
    part, of = table()[name], figures[name]
    wrong = {expression: unknown_names(expression, of) for expression in expressions(part)}
    for row in part.rows:
        history = History()
        history.snapshots.extend(getattr(of, "snapshots", ()))
        for objects in ([of] if row.live != "only" else []) + ([history] if row.live else []):
            wrong |= {f"{row.key}: {one}": unknown_names(one, objects) for one in expressions(row)}
        for series in row.series:
            kinds = (("report", Report), ("packet", Sip))
            wrong[str(series)] = [
                series[key] for key, kind in kinds if key in series and not hasattr(kind, series[key])
            ]
    assert {expression: names for expression, names in wrong.items() if names} == {}


@pytest.mark.parametrize("name", table("live"))
def test_every_value_of_diagnostics_is_known(figures: dict[str, Any], name: str) -> None:
    part, history = table("live")[name], History()
    history.snapshots.extend(figures["rest"].snapshots)
    assert [name for one in expressions(part) for name in unknown_names(one, history)] == []
    items = Names(history).value(part.each)
    assert items or part.each == "()"
    for item in items:
        assert Names(history, it=item).named(part.values_of_each)
