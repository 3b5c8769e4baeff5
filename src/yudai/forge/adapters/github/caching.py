"""What was answered before, for `If-None-Match`: an unchanged answer costs nothing."""

from collections import OrderedDict

from yudai.forge.adapters.github.messages import Answer

_MAX_ENTRIES = 256
_MAX_BYTES = 8 << 20
_MAX_ENTRY_BYTES = 1 << 20


class Memory:
    """The least recently used go first."""

    def __init__(self) -> None:
        self._answers: OrderedDict[str, Answer] = OrderedDict()
        self._bytes = 0

    def recall(self, key: str) -> Answer | None:
        if key in self._answers:
            self._answers.move_to_end(key)
        return self._answers.get(key)

    def keep(self, key: str, answer: Answer) -> None:
        self.forget(key)
        if "etag" not in answer.headers or len(answer.body) > _MAX_ENTRY_BYTES:
            return
        self._answers[key] = answer
        self._bytes += len(answer.body)
        while self._bytes > _MAX_BYTES or len(self._answers) > _MAX_ENTRIES:
            _, oldest = self._answers.popitem(last=False)
            self._bytes -= len(oldest.body)

    def forget(self, key: str) -> None:
        if key in self._answers:
            self._bytes -= len(self._answers.pop(key).body)
