"""Import an order file in batches, with a report for each line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from reviewinvite_cli.order_lines import AcceptedLine, OrderLine, RefusedLine
from reviewinvite_core import Actor, Application, Reported
from reviewinvite_core.values import KeyRefused, ShopInactive

LINES_IN_A_BATCH = 500


class ImportReport:
    """Counts of the lines so far, and the refused lines; also the accepted lines if `keep_lines`."""

    def __init__(self, *, keep_lines: bool) -> None:
        self.new = 0
        self.duplicate = 0
        self.refused: list[RefusedLine] = []
        self.lines: list[AcceptedLine] = []
        self._keep_lines = keep_lines

    def enter(self, batch: list[OrderLine], results: list[Reported]) -> None:
        """Add a batch that was stored."""
        duplicate = sum(result.duplicate for result in results)
        self.duplicate += duplicate
        self.new += len(results) - duplicate
        if self._keep_lines:
            pairs = zip(batch, results, strict=True)
            self.lines += [AcceptedLine(one.line, result.invite_id, result.duplicate) for one, result in pairs]


def import_orders(
    application: Application,
    caller: Actor,
    lines: Iterable[OrderLine | RefusedLine],
    account: ImportReport,
    advance: Callable[[], None],
) -> KeyRefused | ShopInactive | None:
    """Report all orders in `lines`, one unit of work per batch; call `advance` after each batch.

    Everything entered in `account` is durable. The import ends early with the first refusal.

    Raises: `StorageUnavailable`.
    """
    for batch in _batches(lines, account.refused):
        results = application.orders.import_many(caller, [one.report for one in batch])
        reported = [result for result in results if isinstance(result, Reported)]
        for result in results:
            if not isinstance(result, Reported):
                return result
        account.enter(batch, reported)
        advance()
    return None


def _batches(lines: Iterable[OrderLine | RefusedLine], refused: list[RefusedLine]) -> Iterator[list[OrderLine]]:
    batch: list[OrderLine] = []
    for line in lines:
        if isinstance(line, RefusedLine):
            refused.append(line)
            continue
        batch.append(line)
        if len(batch) == LINES_IN_A_BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
