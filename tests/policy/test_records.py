"""What is written is read back, and small."""

from hypothesis import given
from hypothesis import strategies as st
from samecall import packing, records

counts = st.integers(0, 2**32 - 1)
times = st.floats(0, 1e12)
epochs = st.tuples(counts, counts)
views = st.sampled_from([b"", b"\x01" * 8])
masks = st.integers(0, 3)

goods = st.builds(records.Good, counts, epochs, views, times)
bads = st.builds(records.Bad, counts, epochs, times, counts)
flights = st.builds(records.Flight, counts, epochs, views, times, times, counts)
entries = st.builds(records.Entry, masks, st.none() | goods, st.none() | bads, st.lists(flights, max_size=3).map(tuple))
optional = st.none() | st.integers(0, 2**60)
verdicts = st.builds(
    records.Verdict, st.sampled_from(packing.VERDICTS), counts, st.sampled_from(packing.REASONS), optional, optional,
    optional, st.booleans(), st.booleans(), st.booleans(), optional,
)  # fmt: skip
proposals = st.builds(
    records.Proposal, st.sampled_from([b"", b"\x07" * 16]), views, st.sampled_from(packing.KINDS), masks, masks,
    st.just(()), st.booleans(),
)  # fmt: skip
reservations = st.builds(
    records.Reservation, verdicts, proposals, counts, counts, counts, times, st.sampled_from(packing.OUTCOMES)
)
counters = st.builds(records.Counters, counts, counts, counts, counts)
sessions = st.builds(
    records.Session, counts, st.text("0123456789abcdef", max_size=16), counts, counts, counts, counters, counters,
    st.lists(st.tuples(st.text(max_size=5), counts), max_size=3).map(tuple),
    st.builds(records.Run, st.text("0123456789abcdef", max_size=32), counts, counts, counts, st.just("")),
)  # fmt: skip


class TestRoundTrips:
    """Packing loses nothing."""

    @given(entries)
    def test_entry(self, entry: records.Entry) -> None:
        assert packing.unpack_entry(packing.pack_entry(entry)) == entry

    @given(reservations)
    def test_reservation(self, held: records.Reservation) -> None:
        assert packing.unpack_reservation(packing.pack_reservation(held)) == held

    @given(sessions)
    def test_session(self, session: records.Session) -> None:
        assert packing.unpack_session(packing.pack_session(session)) == session

    @given(epochs)
    def test_epochs(self, epochs: records.Epochs) -> None:
        assert packing.unpack_epochs(packing.pack_epochs(epochs)) == epochs


def test_a_remembered_success_takes_thirty_bytes() -> None:
    entry = records.Entry(3, records.Good(1, (2, 3), b"", 4.0))
    assert len(packing.pack_entry(entry)) == 30
