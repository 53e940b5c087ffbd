"""memkit keeps the decisions that people and their AI panels reach, and lets them question that memory."""

from __future__ import annotations

__version__ = "0.1.0"
