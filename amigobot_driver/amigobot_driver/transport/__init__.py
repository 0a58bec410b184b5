"""Ports: where a robot is connected. One small module each, one error, and no knowledge of what the bytes mean."""

from .port import Port, PortError

__all__ = ["Port", "PortError", "open_port"]


def open_port(url: str, baud: int) -> Port:
    """Open a port by its URL. Raises PortError.

    `/dev/ttyUSB0` and anything else pyserial knows, a pattern such as `/dev/ttyUSB*`, `socket://host:port`, and `sim://`
    for the simulated robot in this process (`sim://amigo-sh?world=office&seed=1`).
    """
    scheme = url.partition("://")[0] if "://" in url else ""
    if not url or not url.isprintable():
        raise PortError(f"the port is {url!r}; allowed: /dev/ttyUSB0, socket://host:port, rfc2217://host:port, sim://")
    if scheme == "sim":
        # Only whoever asks for the simulated robot loads it.
        from .simulated import SimulatedPort

        return SimulatedPort(url)
    if scheme == "socket":
        from .tcp import TcpPort

        return TcpPort(url)
    from .pattern import is_pattern, open_match
    from .serial import SerialPort

    return open_match(url, baud) if is_pattern(url) else SerialPort(url, baud)
