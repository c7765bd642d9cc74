"""What a request reads does not grow with the study, even where the database has gathered no statistics yet."""

import trueward as tw
from trueward.serve.guards import Asker, Once, Rater, both
from trueward.study.database import connected

PEOPLE = 150
FEW = 20 * PEOPLE  # rows; reading all that there are for each person would be twice to four times as many


def test_a_request_reads_a_few_rows_however_many_there_are(postgresql):
    with tw.Study.create(postgresql, "explanations", ["video", "text"], policy=tw.UCB(sigma=1.0)) as study:
        for i in range(PEOPLE):
            once = Once(f"request-number-{i}", b"ask", 86_400)
            asker = Asker("browser", f"p{i}", "1", vouched=False, per_minute=0, per_hour=10)
            shown = study.acting_as("key", both(once, asker)).ask(participant=f"p{i}")
            study.acting_as("key", Rater(shown.number)).tell(shown, 1 + i % 5)
    read = rows_read(postgresql)
    assert {table: rows for table, rows in read.items() if rows > FEW} == {}  # old answers are looked for now and then
    assert read["decision"] >= PEOPLE  # it was counted: each reward looks for its decision


def rows_read(url):
    """Return how many rows of each table were read; a connection says so when it is closed."""
    query = (
        "SELECT relname, seq_tup_read + coalesce(idx_tup_fetch, 0) FROM pg_stat_user_tables "
        "WHERE schemaname = current_schema() AND relname IN ('answered', 'decision', 'event', 'participant', 'reward')"
    )
    with connected(url) as database, database.read() as connection:
        return dict(connection.exec_driver_sql(query).all())
