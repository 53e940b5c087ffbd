"""Who draws what: each result type gets its sheet, and its representations in `memkit.display`.

Importing this module announces it, once. The types know nothing of this floor; types and sheets are named here rather
than imported, so that whoever shows one kind of answer loads what draws that one. All types of a module, and all that
makes their sheets, are loaded together with the first; charts and explorers by themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import Any

from memkit.display import drawn, explored, mimebundle, plain
from memkit.present.blocks import Sheet
from memkit.present.render import bundle, sheet_of, text

PRESENT = "memkit.present"
# By a type's full name, who makes its sheet (chart, bundle, explorer): a name below `memkit.present`.
SHEETS: dict[str, str] = {
    "memkit.analytics.recall_result.RecallResult": "recall.recall_sheet",
    "memkit.analytics.recall_result.RecallHit": "recall.hit_sheet",
    "memkit.model.entry.StoredEntry": "entries.entry_sheet",
    "memkit.store.listing.EntryList": "entries.list_sheet",
    "memkit.store.receipt.StoreReceipt": "entries.receipt_sheet",
    "memkit.importers.report.ImportReport": "reports.import_sheet",
    "memkit.importers.detect.Detection": "exchange.detection_sheet",
    "memkit.exporting.report.ExportReceipt": "exchange.export_sheet",
    "memkit.present.reports.Problems": "reports.problems_sheet",
    "memkit.store.repair.RepairReport": "reports.repair_sheet",
    "memkit.store.wipe.WipeReceipt": "reports.wipe_sheet",
    "memkit.retention.erase.EraseReceipt": "forgetting.erase_sheet",
    "memkit.model.scan.Scan": "forgetting.scan_sheet",
    "memkit.model.status.Status": "reports.status_sheet",
    "memkit.model.checkup.Checkup": "checkup.checkup_sheet",
    "memkit.analytics.tripwire_result.TripwireReport": "tripwires.tripwires_sheet",
    "memkit.analytics.tripwire_result.Backtest": "tripwires.backtest_sheet",
    "memkit.model.acknowledgement.Acknowledgement": "tripwires.acknowledgement_sheet",
    "memkit.analytics.decided.Decided": "decided.decided_sheet",
    "memkit.analytics.decided.DecidedRow": "decided.decided_row_sheet",
    "memkit.analytics.summary.ProjectSummary": "summary.summary_sheet",
    "memkit.analytics.chains.Chains": "history.chains_sheet",
    "memkit.analytics.timeline.Timeline": "history.timeline_sheet",
    "memkit.analytics.timeline.InForce": "history.in_force_sheet",
    "memkit.analytics.calibration.Calibration": "history.calibration_sheet",
    "memkit.model.candidate.Candidate": "staging.candidate_sheet",
    "memkit.consolidate.extract.ExtractionReport": "staging.extraction_sheet",
    "memkit.consolidate.recover.RecoverReport": "staging.recover_sheet",
    "memkit.consolidate.remind.Reminder": "staging.reminder_sheet",
    "memkit.consolidate.staged.StagedList": "staging.staged_sheet",
    "memkit.consolidate.staged.StagedCandidate": "staging.staged_candidate_sheet",
    "memkit.present.charts.chart.Chart": "charts.chart.chart_sheet",
    "memkit.consolidate.report.ConsolidationReport": "consolidation.report_sheet",
    "memkit.consolidate.balance.Balance": "consolidation.balance_sheet",
    "memkit.consolidate.review.Review": "review.review_sheet",
    "memkit.consolidate.review.ReviewItem": "review.item_sheet",
    "memkit.analytics.audit_result.AuditAnswer": "audit.answer_sheet",
    "memkit.analytics.audit_result.AuditRuns": "audit.runs_sheet",
    "memkit.analytics.audit_result.AuditEvents": "audit.events_sheet",
    "memkit.analytics.audit_result.RecordHistory": "audit.history_sheet",
    "memkit.analytics.audit_result.UsageReport": "audit.usage_sheet",
    "memkit.analytics.audit_result.Activity": "audit.activity_sheet",
    "memkit.analytics.audit_result.AuditHealth": "audit.health_sheet",
    "memkit.analytics.audit_result.ChainReport": "audit.chain_sheet",
    "memkit.snapshot.audit_days.CompactReceipt": "audit.compact_sheet",
    "memkit.present.monitor.Monitor": "monitor.monitor_sheet",
    "memkit.present.explorer.Explorer": "explorer.explorer_sheet",
    "memkit.present.explorer.Note": "explorer.note_sheet",
    "memkit.model.record.Record": "records.record_sheet",
    "memkit.consolidate.record_results.ShownRecord": "records.shown_sheet",
    "memkit.consolidate.record_results.RecordList": "records.list_sheet",
    "memkit.consolidate.record_results.DeletedRecords": "records.deleted_sheet",
    "memkit.consolidate.record_results.RecordHits": "records.hits_sheet",
    "memkit.consolidate.record_results.RecordReceipt": "records.receipt_sheet",
    "memkit.consolidate.lint.LintReport": "records.lint_sheet",
    "memkit.store.locks.LockList": "records.locks_sheet",
    "memkit.analytics.retention_review.RetentionReview": "retention.review_sheet",
    "memkit.analytics.retention_review.RetentionReceipt": "retention.applied_sheet",
    "memkit.retention.facade.TrashList": "retention.trash_sheet",
    "memkit.store.receipts.Receipt": "retention.plan_receipt_sheet",
    "memkit.model.mark.Mark": "retention.mark_sheet",
    "memkit.retention.what_if.PolicyComparison": "retention.comparison_sheet",
    "memkit.retention.what_if.RetentionCalendar": "retention.calendar_sheet",
    "memkit.retention.what_if.RecallImpact": "retention.impact_sheet",
    "memkit.present.retention_explorer.RetentionExplorer": "retention_explorer.explorer_sheet",
    "memkit.present.timeline_explorer.TimelineExplorer": "timeline_explorer.explorer_sheet",
    "memkit.analytics.decisions.Decisions": "decisions.decisions_sheet",
    "memkit.analytics.decisions.DecisionRow": "decisions.row_sheet",
    "memkit.catalog.table.Table": "table.table_sheet",
    "memkit.store.consent.ConsentReceipt": "reports.consent_sheet",
}
CHARTS: dict[str, str] = {
    "memkit.analytics.audit_result.AuditRuns": "charts.series.runs_chart",
    "memkit.analytics.audit_result.Activity": "charts.bars.activity_chart",
    "memkit.analytics.recall_result.RecallResult": "charts.bars.scores_chart",
    "memkit.analytics.retention_review.RetentionReview": "charts.bars.ages_chart",
    "memkit.retention.what_if.RetentionCalendar": "charts.bars.calendar_chart",
    "memkit.analytics.chains.Chains": "charts.series.chains_chart",
    "memkit.analytics.timeline.Timeline": "charts.series.timeline_chart",
    "memkit.analytics.calibration.Calibration": "charts.series.calibration_chart",
}
BUNDLES: dict[str, str] = {
    "memkit.consolidate.review.Review": "review.review_bundle",
    "memkit.present.explorer.Explorer": "live.live_bundle",
    "memkit.present.monitor.Monitor": "monitor.monitor_bundle",
    "memkit.present.retention_explorer.RetentionExplorer": "live.live_bundle",
    "memkit.present.timeline_explorer.TimelineExplorer": "live.live_bundle",
}
EXPLORERS: dict[str, str] = {"memkit.retention.facade.Retention": "retention_explorer.RetentionExplorer"}


def register(kind: type, sheet: Callable[..., Sheet]) -> None:
    """Show values of `kind` as `sheet(value, rows)` says."""
    sheet_of.register(kind, sheet)
    mimebundle.register(kind, bundle)
    plain.register(kind, text)


def named(name: str) -> Any:
    """What stands under a full name."""
    module, _, member = name.rpartition(".")
    return getattr(import_module(module), member)


def _modules(table: Mapping[str, str]) -> set[str]:
    return {kind.rpartition(".")[0] for kind in table}


def _register_of(module: str, *tables: tuple[Mapping[str, str], Callable[[Any, Any], object]]) -> None:
    """Load and register who draws the types of one module; a name that is not there is an error."""
    for table, take in tables:
        for kind, drawer in table.items():
            if kind.rpartition(".")[0] == module:
                take(named(kind), named(f"{PRESENT}.{drawer}"))


for _module in _modules(SHEETS):
    for _shown in (sheet_of, plain, mimebundle):
        _shown.announce(_module, partial(_register_of, _module, (SHEETS, register), (BUNDLES, mimebundle.register)))
for _module in _modules(CHARTS):
    drawn.announce(_module, partial(_register_of, _module, (CHARTS, drawn.register)))
for _module in _modules(EXPLORERS):
    explored.announce(_module, partial(_register_of, _module, (EXPLORERS, explored.register)))
