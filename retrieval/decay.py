"""Recency: recent events score slightly higher."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

_SECONDS_A_DAY = 86_400.0


def recency(times: npt.NDArray[np.float64], now: float, *, half_life_days: float, boost: float) -> npt.NDArray[np.float64]:
    """Return the factor of each event: 1 + boost x 2^(-age / half-life). Future events count as of now.

    An event of now gains the share `boost`, one a half-life old half of it, and none ever loses anything.
    """
    ages = np.maximum(now - times, 0.0) / (_SECONDS_A_DAY * half_life_days)
    factors: npt.NDArray[np.float64] = 1.0 + boost * np.exp2(-ages)
    return factors
