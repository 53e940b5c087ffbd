"""Who draws what: each result type gets its sheet, and its two representations in `memkit.display.mimebundle`.

Importing this module does it, once. The types themselves know nothing of this floor, and importing them here costs
little: results are plain data.
"""

from __future__ import annotations

from collections.abc import Callable

from memkit.analytics.recall_result import RecallHit, RecallResult
from memkit.display import mimebundle
from memkit.importers.report import ImportReport
from memkit.model.entry import StoredEntry
from memkit.model.status import Status
from memkit.present import entries, recall, reports
from memkit.present.blocks import Sheet
from memkit.present.render import bundle, sheet_of
from memkit.store.listing import EntryList
from memkit.store.receipt import StoreReceipt
from memkit.store.repair import RepairReport
from memkit.store.wipe import WipeReceipt

SHEETS: dict[type, Callable[..., Sheet]] = {
    RecallResult: recall.recall_sheet,
    RecallHit: recall.hit_sheet,
    StoredEntry: entries.entry_sheet,
    EntryList: entries.list_sheet,
    StoreReceipt: entries.receipt_sheet,
    ImportReport: reports.import_sheet,
    reports.Problems: reports.problems_sheet,
    RepairReport: reports.repair_sheet,
    WipeReceipt: reports.wipe_sheet,
    Status: reports.status_sheet,
}

for _kind, _sheet in SHEETS.items():
    sheet_of.register(_kind, _sheet)
    mimebundle.register(_kind, bundle)
