"""Report the orders of a CSV file and send the invitations that are due: `python plain_script.py orders.csv`.

The file has the columns `number` and `email`. Run it again with the same file after any failure: an order that was
reported before gets the invitation that it has. Settings are read from `reviewinvite.toml` and the environment.
"""

from __future__ import annotations

import csv
import logging
import os
import sys
from pathlib import Path

from reviewinvite_core import Invalid, NewShop, OrderReport, Settings, accepted, build

SHOP = NewShop(site_id="bakery", name="Bakery De Molen", language="en")


def main(orders: Path) -> int:
    """Return the exit code: 1 if an order was refused."""
    refused = 0
    with build(Settings.load(environment=os.environ)) as app:
        app.shops.add(SHOP)  # `ShopExists` from the second run on
        actor = accepted(app.shops.act_for("bakery"))
        with orders.open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                try:
                    order = OrderReport(email=row["email"], order_number=row["number"], delay_days=0)
                except Invalid as invalid:
                    print(f"order {row['number']}: {invalid}", file=sys.stderr)
                    refused += 1
                    continue
                reported = accepted(app.orders.report(actor, order))
                again = ", reported before" if reported.duplicate else ""
                print(f"order {row['number']}: invitation {reported.invite_id}{again}")
        for invitation in app.delivery.once():
            print(f"order {invitation.order_number}: {invitation.state}")
    return 1 if refused else 0


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING)
    sys.exit(main(Path(sys.argv[1])))
