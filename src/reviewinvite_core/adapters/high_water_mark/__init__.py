"""The high-water mark, kept in a file (ADR-20, ADR-42)."""

from reviewinvite_core.adapters.high_water_mark.file import HighWaterMarkFile as HighWaterMarkFile
