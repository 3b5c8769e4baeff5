"""Work that DBOS has claimed for this process and then lost: nobody else would look after it.

DBOS claims work in one transaction and begins it after. A connection that breaks between the two
leaves work that is stored as running here and is not, for as long as this process lives.
"""

from collections import Counter
from collections.abc import Callable

from dbos import DBOSClient, WorkflowStatusString

from yudai.engine.adapters.dbos.contract import VERSION

LOOKS = 3
"""So often it was stored as running and was not: claiming and beginning take their time, too."""


class Orphans:
    def __init__(
        self, client: DBOSClient, executor_id: str, active: Callable[[], set[str]]
    ) -> None:
        self._client = client
        self._executor_id = executor_id
        self._active = active
        self._seen: Counter[str] = Counter()

    def look(self) -> list[str]:
        """Queue again what was lost, and say what that was; blocking."""
        stored = self._client.list_workflows(
            status=WorkflowStatusString.PENDING.value,
            executor_id=self._executor_id,
            app_version=VERSION,
            load_input=False,
            load_output=False,
        )
        # Asked after the database: what begins meanwhile is no orphan.
        active = self._active()
        idle = {row.workflow_id: row.queue_name for row in stored if row.workflow_id not in active}
        self._seen = Counter({key: self._seen[key] + 1 for key in idle})
        lost = [key for key in idle if self._seen[key] >= LOOKS]
        for key in lost:
            self._client.resume_workflow(key, queue_name=idle[key])
            del self._seen[key]
        return lost
