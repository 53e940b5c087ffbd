-- timeline_log_begins
-- When the audit log begins; NULL where there is none.
-- reads:  audit_events
-- params: none
-- grain:  one row
select min(occurred_at) as begins_at
from audit_events
