"""Who draws what: each result type gets its sheet, and its representations in `memkit.display`.

Importing this module does it, once. The types themselves know nothing of this floor. They are named rather than
imported where a floor is not there in every build; a name that is there and cannot be imported is an error as usual.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec

from memkit.analytics.audit_result import (
    Activity,
    AuditAnswer,
    AuditEvents,
    AuditHealth,
    AuditRuns,
    ChainReport,
    RecordHistory,
    UsageReport,
)
from memkit.analytics.calibration import Calibration
from memkit.analytics.chains import Chains
from memkit.analytics.decided import Decided, DecidedRow
from memkit.analytics.recall_result import RecallHit, RecallResult
from memkit.analytics.retention_review import RetentionReceipt, RetentionReview
from memkit.analytics.summary import ProjectSummary
from memkit.analytics.timeline import InForce, Timeline
from memkit.analytics.tripwire_result import Backtest, TripwireReport
from memkit.consolidate.balance import Balance
from memkit.consolidate.extract import ExtractionReport
from memkit.consolidate.lint import LintReport
from memkit.consolidate.record_results import RecordHits, RecordList, RecordReceipt, ShownRecord
from memkit.consolidate.recover import RecoverReport
from memkit.consolidate.remind import Reminder
from memkit.consolidate.report import ConsolidationReport
from memkit.consolidate.review import Review, ReviewItem
from memkit.consolidate.staged import StagedCandidate, StagedList
from memkit.display import drawn, explored, mimebundle, plain
from memkit.exporting.report import ExportReceipt
from memkit.importers.detect import Detection
from memkit.importers.report import ImportReport
from memkit.model.acknowledgement import Acknowledgement
from memkit.model.candidate import Candidate
from memkit.model.checkup import Checkup
from memkit.model.entry import StoredEntry
from memkit.model.mark import Mark
from memkit.model.record import Record
from memkit.model.scan import Scan
from memkit.model.status import Status
from memkit.present import (
    audit,
    checkup,
    consolidation,
    decided,
    decisions,
    entries,
    exchange,
    forgetting,
    history,
    recall,
    records,
    reports,
    retention,
    retention_explorer,
    staging,
    summary,
    table,
    timeline_explorer,
    tripwires,
)
from memkit.present.blocks import Sheet
from memkit.present.charts import bars, series
from memkit.present.charts.chart import Chart, chart_sheet
from memkit.present.explorer import Explorer, Note, explorer_sheet, note_sheet
from memkit.present.live import live_bundle
from memkit.present.monitor import Monitor, monitor_bundle, monitor_sheet
from memkit.present.render import bundle, sheet_of, text
from memkit.present.review import item_sheet, review_bundle, review_sheet
from memkit.retention.erase import EraseReceipt
from memkit.retention.facade import Retention, TrashList
from memkit.retention.what_if import PolicyComparison, RecallImpact, RetentionCalendar
from memkit.snapshot.audit_days import CompactReceipt
from memkit.store.listing import EntryList
from memkit.store.locks import LockList
from memkit.store.receipt import StoreReceipt
from memkit.store.receipts import Receipt
from memkit.store.repair import RepairReport
from memkit.store.wipe import WipeReceipt

SHEETS: dict[type, Callable[..., Sheet]] = {
    RecallResult: recall.recall_sheet,
    RecallHit: recall.hit_sheet,
    StoredEntry: entries.entry_sheet,
    EntryList: entries.list_sheet,
    StoreReceipt: entries.receipt_sheet,
    ImportReport: reports.import_sheet,
    Detection: exchange.detection_sheet,
    ExportReceipt: exchange.export_sheet,
    reports.Problems: reports.problems_sheet,
    RepairReport: reports.repair_sheet,
    WipeReceipt: reports.wipe_sheet,
    EraseReceipt: forgetting.erase_sheet,
    Scan: forgetting.scan_sheet,
    Status: reports.status_sheet,
    Checkup: checkup.checkup_sheet,
    TripwireReport: tripwires.tripwires_sheet,
    Backtest: tripwires.backtest_sheet,
    Acknowledgement: tripwires.acknowledgement_sheet,
    Decided: decided.decided_sheet,
    DecidedRow: decided.decided_row_sheet,
    ProjectSummary: summary.summary_sheet,
    Chains: history.chains_sheet,
    Timeline: history.timeline_sheet,
    InForce: history.in_force_sheet,
    Calibration: history.calibration_sheet,
    Candidate: staging.candidate_sheet,
    ExtractionReport: staging.extraction_sheet,
    RecoverReport: staging.recover_sheet,
    Reminder: staging.reminder_sheet,
    StagedList: staging.staged_sheet,
    StagedCandidate: staging.staged_candidate_sheet,
    Chart: chart_sheet,
    ConsolidationReport: consolidation.report_sheet,
    Balance: consolidation.balance_sheet,
    Review: review_sheet,
    ReviewItem: item_sheet,
    AuditAnswer: audit.answer_sheet,
    AuditRuns: audit.runs_sheet,
    AuditEvents: audit.events_sheet,
    RecordHistory: audit.history_sheet,
    UsageReport: audit.usage_sheet,
    Activity: audit.activity_sheet,
    AuditHealth: audit.health_sheet,
    ChainReport: audit.chain_sheet,
    CompactReceipt: audit.compact_sheet,
    Monitor: monitor_sheet,
    Explorer: explorer_sheet,
    Note: note_sheet,
    Record: records.record_sheet,
    ShownRecord: records.shown_sheet,
    RecordList: records.list_sheet,
    RecordHits: records.hits_sheet,
    RecordReceipt: records.receipt_sheet,
    LintReport: records.lint_sheet,
    LockList: records.locks_sheet,
    RetentionReview: retention.review_sheet,
    RetentionReceipt: retention.applied_sheet,
    TrashList: retention.trash_sheet,
    Receipt: retention.plan_receipt_sheet,
    Mark: retention.mark_sheet,
    PolicyComparison: retention.comparison_sheet,
    RetentionCalendar: retention.calendar_sheet,
    RecallImpact: retention.impact_sheet,
    retention_explorer.RetentionExplorer: retention_explorer.explorer_sheet,
    timeline_explorer.TimelineExplorer: timeline_explorer.explorer_sheet,
}
CHARTS: dict[type, Callable[..., Chart]] = {
    AuditRuns: series.runs_chart,
    Activity: bars.activity_chart,
    RecallResult: bars.scores_chart,
    RetentionReview: bars.ages_chart,
    RetentionCalendar: bars.calendar_chart,
    Chains: series.chains_chart,
    Timeline: series.timeline_chart,
    Calibration: series.calibration_chart,
}
NAMED: tuple[tuple[str, str, Callable[..., Sheet]], ...] = (
    ("memkit.analytics.decisions", "Decisions", decisions.decisions_sheet),
    ("memkit.analytics.decisions", "DecisionRow", decisions.row_sheet),
    ("memkit.catalog.table", "Table", table.table_sheet),
    ("memkit.store.consent", "ConsentReceipt", reports.consent_sheet),
)


def register(kind: type, sheet: Callable[..., Sheet]) -> None:
    """Show values of `kind` as `sheet(value, rows)` says."""
    sheet_of.register(kind, sheet)
    mimebundle.register(kind, bundle)
    plain.register(kind, text)


for _kind, _sheet in SHEETS.items():
    register(_kind, _sheet)
for _kind, _chart in CHARTS.items():
    drawn.register(_kind, _chart)
for _module, _name, _sheet in NAMED:
    if find_spec(_module) is not None:
        register(getattr(import_module(_module), _name), _sheet)
mimebundle.register(Monitor, monitor_bundle)
mimebundle.register(Explorer, live_bundle)
mimebundle.register(Review, review_bundle)
mimebundle.register(retention_explorer.RetentionExplorer, live_bundle)
mimebundle.register(timeline_explorer.TimelineExplorer, live_bundle)
explored.register(Retention, retention_explorer.RetentionExplorer)
