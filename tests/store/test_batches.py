"""Many entries at once are flushed side by side, and promise what a single one promises."""

import errno
import threading

import pytest

from memkit.errors import StoreError
from memkit.store import durable
from tests.reliability.seam import Fault, installed
from tests.store.conftest import new

MANY = 20


def batch(n=MANY):
    return [new(question=f"What about {i}?", text=f"{i} " * (i + 1)) for i in range(n)]


class Order:
    """Notes which files were flushed before the first rename; flushes wait for one another, to overlap."""

    def __init__(self):
        self.lock = threading.Lock()
        self.names, self.flushed, self.opened, self.threads, self.renamed = {}, set(), set(), set(), False

    def __call__(self, name, real, args, kwargs):
        done = real(*args, **kwargs)
        with self.lock:
            if name == "open" and str(args[0]).endswith(".tmp"):
                self.names[done] = str(args[0])
                self.opened.add(str(args[0]))
            elif name == "fsync" and args[0] in self.names and not self.renamed:
                self.flushed.add(self.names[args[0]])
                self.threads.add(threading.get_ident())
            elif name == "rename":
                self.renamed = True
        return done


def test_every_file_of_a_batch_is_flushed_before_the_first_has_its_name(store):
    store.store_many(batch(1))
    order = Order()
    with installed(order):
        receipts = store.store_many(batch())
    assert len(receipts) == MANY
    assert order.renamed
    assert len(order.opened) == MANY
    assert order.flushed == order.opened
    assert threading.get_ident() not in order.threads, "they are flushed by threads of their own"


def test_a_batch_holds_what_single_stores_hold(store):
    receipts = store.store_many(batch(3 * durable._OPEN_AT_ONCE + 1))
    read = [store.read_entry(receipt.id) for receipt in receipts]
    assert [entry.question for entry in read] == [f"What about {i}?" for i in range(len(receipts))]
    assert [line.id for line in store.read_index().lines] == [receipt.id for receipt in receipts]


@pytest.mark.parametrize("k", [1, 2, MANY // 2, MANY])
@pytest.mark.parametrize("name", ["open", "write", "fstat", "fsync", "close"])
def test_a_fault_in_the_middle_of_a_batch_leaves_nothing(store, name, k):
    store.store_many(batch(1))
    before, threads = store.paths.index.read_bytes(), threading.active_count()
    with installed(Fault(k, errno.EIO, only=name)), pytest.raises(StoreError):
        store.store_many(batch())
    assert store.paths.index.read_bytes() == before
    assert [path.name for path in store.paths.results.iterdir()] == [f"{store.read_index().lines[0].id}.json"]
    assert threading.active_count() <= threads
    assert len(store.store_many(batch())) == MANY
