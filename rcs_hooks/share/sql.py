"""All the SQL of sharing: the schema `rcs` with its migrations, its roles and policies, and what is asked of it.

Rules of this file:
- A migration that was released never changes; what is new is a migration of its own, whose columns have defaults.
- Column lists are explicit, so that a program works with a schema that is newer than itself.
- Values are parameters, never parts of a statement; those of what ends a transaction at once the driver quotes.
- Moments are texts as the machines write them (`2023-11-14T22:13:20.000Z`), compared in the collation "C".
"""

from __future__ import annotations

from typing import NamedTuple

SCHEMA = "rcs"
MARK = "rcs-hooks: what runs on the machines of a team"
"""The comment on the schema, by which ours is told from another one of that name."""
WRITER, READER = "rcs_writer", "rcs_reader"
OLDEST_SERVER = 130000
LOCK = 0x7263735F696E6974
"""The key of the advisory lock that migrations hold."""


class Migration(NamedTuple):
    """The statements that lead to the next version, and the oldest programs that may use it then."""

    statements: tuple[str, ...]
    min_writer: int
    min_reader: int


# --- version 1

_ADMINISTRATION = (
    """CREATE TABLE rcs.schema (
        version int NOT NULL, min_writer int NOT NULL, min_reader int NOT NULL,
        pruned_before text COLLATE "C", made_at timestamptz NOT NULL DEFAULT now()
    )""",
    "CREATE UNIQUE INDEX ON rcs.schema ((true))",
    "INSERT INTO rcs.schema (version, min_writer, min_reader) VALUES (0, 0, 0)",
    "CREATE TABLE rcs.clock (batch bigint NOT NULL)",
    "CREATE UNIQUE INDEX ON rcs.clock ((true))",
    "INSERT INTO rcs.clock (batch) VALUES (0)",
    # The lock of the row, held until the commit, makes batches visible in their order: "after N" misses none.
    """CREATE FUNCTION rcs.next_batch() RETURNS bigint LANGUAGE sql VOLATILE SECURITY DEFINER
       SET search_path = pg_catalog, pg_temp
       AS $$ UPDATE rcs.clock SET batch = batch + 1 RETURNING batch $$""",
    "REVOKE ALL ON FUNCTION rcs.next_batch() FROM PUBLIC",
)
_MACHINES = (
    """CREATE TABLE rcs.machines (
        id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, uuid uuid NOT NULL UNIQUE,
        role name NOT NULL DEFAULT current_user, name text NOT NULL UNIQUE, person text NOT NULL, program text NOT NULL,
        seen_at timestamptz, clock_ms bigint CHECK (clock_ms BETWEEN -10000000000000 AND 10000000000000),
        CHECK (length(name) BETWEEN 1 AND 80 AND name !~ '[/@[:cntrl:]]'),
        CHECK (length(person) BETWEEN 1 AND 60), CHECK (length(program) <= 60)
    )""",
    # Each policy asks for the machines of a role, once for each statement.
    "CREATE INDEX machines_by_role ON rcs.machines (role)",
    # The lock is one that readers cannot take: an advisory lock anybody may hold who may connect.
    # session_user: inside, current_user is the owner. A name that is taken gets a number; one that this machine has
    # got that way before stays.
    """CREATE FUNCTION rcs.register(
           p_uuid uuid, p_name text, p_person text, p_program text, OUT id int, OUT name text
       ) LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
       DECLARE
           owner name;
           wanted text := left(p_name, 60);
           number int := 1;
       BEGIN
           LOCK TABLE rcs.schema IN SHARE ROW EXCLUSIVE MODE;
           SELECT m.id, m.name, m.role INTO id, name, owner FROM rcs.machines m WHERE m.uuid = p_uuid;
           IF owner <> session_user THEN
               RAISE EXCEPTION 'another role has registered this machine' USING ERRCODE = 'RC001';
           END IF;
           IF name IS NULL OR NOT (
               name = wanted
               OR left(name, length(wanted) + 1) = wanted || '-' AND substr(name, length(wanted) + 2) ~ '^[0-9]+$'
           ) THEN
               name := wanted;
               WHILE EXISTS (SELECT 1 FROM rcs.machines m WHERE m.name = register.name AND m.uuid <> p_uuid) LOOP
                   number := number + 1;
                   name := wanted || '-' || number;
               END LOOP;
           END IF;
           IF id IS NULL THEN
               INSERT INTO rcs.machines AS m (uuid, role, name, person, program, seen_at)
               VALUES (p_uuid, session_user, register.name, left(p_person, 60), left(p_program, 60), now())
               RETURNING m.id INTO id;
           ELSE
               UPDATE rcs.machines m SET name = register.name, person = left(p_person, 60),
                   program = left(p_program, 60), seen_at = now() WHERE m.uuid = p_uuid;
           END IF;
       END $$""",
    "REVOKE ALL ON FUNCTION rcs.register(uuid, text, text, text) FROM PUBLIC",
)
_SOURCES = (
    """CREATE TABLE rcs.projects (
        id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, machine int NOT NULL REFERENCES rcs.machines,
        key uuid NOT NULL, name text NOT NULL, path text, texts bool NOT NULL, changed bigint NOT NULL DEFAULT 0,
        UNIQUE (machine, key), UNIQUE (id, machine),
        CHECK (length(name) BETWEEN 1 AND 80 AND name !~ '[/[:cntrl:]]')
    )""",
    """CREATE TABLE rcs.sources (
        id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, machine int NOT NULL, project int NOT NULL, kind text NOT NULL,
        key text NOT NULL, name text NOT NULL, position bigint NOT NULL DEFAULT 0,
        is_replaced bool NOT NULL DEFAULT false, UNIQUE (id, machine),
        FOREIGN KEY (project, machine) REFERENCES rcs.projects (id, machine)
    )""",
    "CREATE UNIQUE INDEX ON rcs.sources (machine, project, kind, key) WHERE NOT is_replaced",
    """CREATE TABLE rcs.batches (
        id bigint PRIMARY KEY, machine int NOT NULL REFERENCES rcs.machines, source int NOT NULL, after bigint NOT NULL,
        upto bigint NOT NULL, at timestamptz NOT NULL DEFAULT now()
    )""",
    "CREATE INDEX batches_by_source ON rcs.batches (source, after)",
)
# A foreign key that has the machine in it holds that nobody writes below a source or project of another machine.
_RUNS = (
    """CREATE TABLE rcs.runs (
        machine int NOT NULL, source int NOT NULL, id bigint NOT NULL, project int NOT NULL, run_id text NOT NULL,
        workflow text NOT NULL, feature text, file text, status text NOT NULL, current text, events int NOT NULL,
        artifacts int NOT NULL, started_at text COLLATE "C" NOT NULL, last_at text COLLATE "C" NOT NULL,
        last_ms bigint NOT NULL, last_event bigint NOT NULL, local_last_event bigint NOT NULL, ended text, reason text,
        session text, client text, open_steps text, PRIMARY KEY (source, id),
        CHECK (last_ms BETWEEN -100000000000000 AND 100000000000000),
        FOREIGN KEY (source, machine) REFERENCES rcs.sources (id, machine),
        FOREIGN KEY (project, machine) REFERENCES rcs.projects (id, machine)
    )""",
    "CREATE INDEX runs_by_last_event ON rcs.runs (last_event)",
    "CREATE INDEX runs_by_name ON rcs.runs (machine, run_id)",
    """CREATE TABLE rcs.run_events (
        machine int NOT NULL, source int NOT NULL, position bigint NOT NULL, run bigint NOT NULL, seq int NOT NULL,
        at text COLLATE "C" NOT NULL, type text NOT NULL, step text, unit text, status text, data text NOT NULL,
        automatic bool NOT NULL, PRIMARY KEY (source, position),
        FOREIGN KEY (source, machine) REFERENCES rcs.sources (id, machine)
    )""",
    "CREATE INDEX run_events_by_run ON rcs.run_events (source, run, seq)",
    """CREATE TABLE rcs.run_steps (
        machine int NOT NULL, source int NOT NULL, run bigint NOT NULL, step text NOT NULL, unit text NOT NULL,
        agent text NOT NULL, parent text NOT NULL, status text NOT NULL, entered int NOT NULL, last int NOT NULL,
        visits int NOT NULL, started_at text, ended_at text, open_ms bigint, spent_ms bigint NOT NULL,
        PRIMARY KEY (source, run, step, unit), FOREIGN KEY (source, machine) REFERENCES rcs.sources (id, machine)
    )""",
    """CREATE TABLE rcs.run_artifacts (
        machine int NOT NULL, source int NOT NULL, run bigint NOT NULL, path text NOT NULL, type text, feature text,
        step text, subflow bool NOT NULL, at text NOT NULL, seq int NOT NULL, PRIMARY KEY (source, run, path),
        FOREIGN KEY (source, machine) REFERENCES rcs.sources (id, machine)
    )""",
)
_HISTORIES = (
    """CREATE TABLE rcs.mode_events (
        machine int NOT NULL, source int NOT NULL, position bigint NOT NULL, at text COLLATE "C", mode text, event text,
        before text, after text, iteration int, title text, data text, PRIMARY KEY (source, position),
        FOREIGN KEY (source, machine) REFERENCES rcs.sources (id, machine)
    )""",
    """CREATE TABLE rcs.task_moves (
        machine int NOT NULL, source int NOT NULL, position bigint NOT NULL, at text COLLATE "C", kind text,
        before text, after text, data text, PRIMARY KEY (source, position),
        FOREIGN KEY (source, machine) REFERENCES rcs.sources (id, machine)
    )""",
    """CREATE TABLE rcs.present (
        machine int NOT NULL, project int NOT NULL, kind text NOT NULL, key text NOT NULL, at text COLLATE "C",
        record jsonb NOT NULL CHECK (octet_length(record::text) <= 65536), PRIMARY KEY (project, kind, key),
        FOREIGN KEY (project, machine) REFERENCES rcs.projects (id, machine)
    )""",
    # Not compressed, so that its size says how large it is.
    "ALTER TABLE rcs.present ALTER COLUMN record SET STORAGE EXTERNAL",
    "CREATE INDEX present_by_time ON rcs.present (project, kind, at DESC NULLS LAST)",
    # A passage that was pruned here is still on its machine, which would send it again.
    """CREATE FUNCTION rcs.without_pruned() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
       BEGIN
           RETURN CASE WHEN EXISTS (SELECT 1 FROM rcs.schema WHERE new.at < pruned_before) THEN NULL ELSE new END;
       END $$""",
    """CREATE TRIGGER without_pruned BEFORE INSERT ON rcs.present
       FOR EACH ROW WHEN (new.kind = 'passage') EXECUTE FUNCTION rcs.without_pruned()""",
)
MIGRATIONS = (Migration((*_ADMINISTRATION, *_MACHINES, *_SOURCES, *_RUNS, *_HISTORIES), min_writer=1, min_reader=1),)
WRITES = READS = len(MIGRATIONS)
"""The version of the schema that this program writes and reads."""

# --- init

STATE_OF_SCHEMA = """SELECT obj_description(oid, 'pg_namespace') FROM pg_namespace WHERE nspname = 'rcs'"""
ENCODING = "SELECT current_setting('server_encoding')"
CREATE_SCHEMA = "CREATE SCHEMA rcs"
MARK_SCHEMA = f"COMMENT ON SCHEMA rcs IS '{MARK}'"
TAKE_LOCK = "SELECT pg_advisory_xact_lock(%s)"
WAIT_FOR_LOCKS = "SELECT set_config('lock_timeout', %s, true)"
SET_VERSION = "UPDATE rcs.schema SET version = %s, min_writer = %s, min_reader = %s"
VERSIONS = "SELECT version, min_writer, min_reader FROM rcs.schema"
TABLES = """SELECT c.relname, c.relrowsecurity FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE c.relnamespace = 'rcs'::regnamespace AND c.relkind = 'r' AND a.attname = 'machine' AND NOT a.attisdropped
    ORDER BY c.relname"""
"""The tables with rows of a machine."""
COLUMNS = """SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped
    AND attidentity = '' ORDER BY attnum"""
"""The columns that a writer fills: not those that count by themselves, so that nobody takes the next id of others."""

# --- roles

HAS_ROLES = """SELECT EXISTS (SELECT 1 FROM pg_policies WHERE schemaname = 'rcs')"""
ROLE_EXISTS = "SELECT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = %s)"
ROLES = (WRITER, READER)
OWN_MACHINES = "ARRAY(SELECT id FROM rcs.machines WHERE role = current_user)"
"""What is evaluated once a statement, not once a row."""
OWN_ROWS = f"machine = ANY ({OWN_MACHINES})"
RIGHTS = (
    "GRANT USAGE ON SCHEMA rcs TO rcs_writer, rcs_reader",
    "GRANT SELECT ON rcs.schema, rcs.clock TO rcs_writer, rcs_reader",
    "GRANT EXECUTE ON FUNCTION rcs.next_batch(), rcs.register(uuid, text, text, text) TO rcs_writer",
    "ALTER TABLE rcs.machines ENABLE ROW LEVEL SECURITY",
    "GRANT SELECT ON rcs.machines TO rcs_writer, rcs_reader",
    "GRANT UPDATE (program, seen_at, clock_ms) ON rcs.machines TO rcs_writer",
    "DROP POLICY IF EXISTS reads ON rcs.machines",
    "CREATE POLICY reads ON rcs.machines FOR SELECT TO rcs_reader USING (true)",
    "DROP POLICY IF EXISTS own ON rcs.machines",
    "CREATE POLICY own ON rcs.machines TO rcs_writer USING (role = current_user) WITH CHECK (role = current_user)",
)
ONLY_ADDED = frozenset({"batches", "mode_events", "run_events", "task_moves"})
"""The tables whose rows no writer changes."""
DELETED_FROM = frozenset({"present", "run_steps"})
"""The tables from which a writer deletes rows."""
FURTHER_CHECKS = {
    "batches": "id = (SELECT batch FROM rcs.clock) AND (source = 0 OR EXISTS ("
    "SELECT 1 FROM rcs.sources s WHERE s.id = batches.source AND s.machine = batches.machine))",
    "runs": "last_event <= (SELECT batch FROM rcs.clock) * 10000 + 9999",
}
"""What else must hold for a row of a writer: a batch from the future would hide those of others from the readers, and
one of another's source would show its events twice."""

# --- prune

MAY_PRUNE = """SELECT pg_has_role(current_user, relowner, 'USAGE'), pg_get_userbyid(relowner)
    FROM pg_class WHERE oid = 'rcs.runs'::regclass"""
NOW = "SELECT extract(epoch FROM now())::float8"
REMEMBER_PRUNED = "UPDATE rcs.schema SET pruned_before = greatest(pruned_before, %(before)s)"
COUNT_PRUNABLE = """SELECT (SELECT count(*) FROM rcs.runs WHERE last_at < %(before)s),
    (SELECT count(*) FROM rcs.runs r JOIN rcs.run_events e ON e.source = r.source AND e.run = r.id
        WHERE r.last_at < %(before)s)
    + (SELECT count(*) FROM rcs.mode_events WHERE at < %(before)s),
    (SELECT count(*) FROM rcs.task_moves WHERE at < %(before)s),
    (SELECT count(*) FROM rcs.present WHERE at < %(before)s AND (kind = 'passage'
        OR machine IN (SELECT id FROM rcs.machines WHERE seen_at < %(before)s::timestamptz)))"""
PRUNE_RUNS = """WITH
    r AS (DELETE FROM rcs.runs WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM rcs.runs WHERE last_at < %(before)s LIMIT %(most)s FOR UPDATE SKIP LOCKED))
        RETURNING source, id),
    e AS (DELETE FROM rcs.run_events e USING r WHERE e.source = r.source AND e.run = r.id RETURNING 1),
    s AS (DELETE FROM rcs.run_steps s USING r WHERE s.source = r.source AND s.run = r.id),
    a AS (DELETE FROM rcs.run_artifacts a USING r WHERE a.source = r.source AND a.run = r.id)
    SELECT (SELECT count(*) FROM r), (SELECT count(*) FROM e)"""
LAST_SOURCE = "SELECT coalesce(max(id), 0) FROM rcs.sources"
PRUNE_MODE_EVENTS = """DELETE FROM rcs.mode_events
    WHERE source > %(after)s AND source <= %(upto)s AND at < %(before)s"""
PRUNE_TASK_MOVES = """DELETE FROM rcs.task_moves
    WHERE source > %(after)s AND source <= %(upto)s AND at < %(before)s"""
# What still waits on a machine that is there is no matter of age; of one that has gone, nothing else would delete it.
PRUNE_DOCUMENTS = """DELETE FROM rcs.present WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM rcs.present WHERE at < %(before)s AND (kind = 'passage'
        OR machine IN (SELECT id FROM rcs.machines WHERE seen_at < %(before)s::timestamptz))
    LIMIT %(most)s FOR UPDATE SKIP LOCKED))"""
BATCHES = "SELECT coalesce(min(id), 0), coalesce(max(id), 0) FROM rcs.batches"
# The number of an event that is still there is made of its batch, and a reader asks for what came after the last one.
PRUNE_BATCHES = """DELETE FROM rcs.batches b
    WHERE id > %(after)s AND id <= %(upto)s AND at < %(before)s::timestamptz
    AND NOT EXISTS (SELECT 1 FROM rcs.run_events e
        WHERE e.source = b.source AND e.position > b.after AND e.position <= b.upto)
    AND NOT EXISTS (SELECT 1 FROM rcs.mode_events e
        WHERE e.source = b.source AND e.position > b.after AND e.position <= b.upto)
    AND NOT EXISTS (SELECT 1 FROM rcs.task_moves e
        WHERE e.source = b.source AND e.position > b.after AND e.position <= b.upto)"""

# --- the writer

REGISTER = "SELECT rcs.register(%s, %s, %s, %s)"
REGISTERED = """SELECT id, name FROM rcs.machines
    WHERE uuid = %s AND (role = current_user OR NOT row_security_active('rcs.machines'))"""
"""No row where this session may write none: the policies ask for the role that is set, not for the user who logged in.
"""
SEEN = "UPDATE rcs.machines SET seen_at = now() WHERE id = %s"
PUT_PROJECT = """INSERT INTO rcs.projects (machine, key, name, path, texts) VALUES (%s, %s, %s, %s, %s)
    ON CONFLICT (machine, key) DO UPDATE SET name = excluded.name, path = excluded.path, texts = excluded.texts
    RETURNING id"""
_LAST_AT = """FROM rcs.sources s
    LEFT JOIN rcs.run_events r ON s.kind = 'runs' AND r.source = s.id AND r.position = s.position
    LEFT JOIN rcs.mode_events m ON s.kind = 'history' AND m.source = s.id AND m.position = s.position
    LEFT JOIN rcs.task_moves t ON s.kind = 'task' AND t.source = s.id AND t.position = s.position"""
KNOWN_SOURCES = f"""SELECT s.id, s.project, s.kind, s.key, s.position, coalesce(r.at, m.at, t.at) {_LAST_AT}
    WHERE s.machine = %s AND NOT s.is_replaced"""
SOURCE_NOW = f"SELECT s.position, coalesce(r.at, m.at, t.at) {_LAST_AT} WHERE s.id = %s AND NOT s.is_replaced"
LEAVE_WHO_IS_GONE = """SELECT set_config('tcp_keepalives_idle', '20', false),
    set_config('tcp_keepalives_interval', '5', false), set_config('tcp_keepalives_count', '3', false)"""
"""So the server leaves a machine that was cut off after 35 seconds, and not after hours. In the middle of a batch it
holds a source of its own, for which it would wait once it is back: in a pipeline, no limit of PostgreSQL before 17 ends
that. A pooler may keep the settings on its own connection, where they do nobody harm."""
BEGIN, COMMIT = "BEGIN ISOLATION LEVEL READ COMMITTED", "COMMIT"
BE_QUICK = """SELECT set_config('lock_timeout', %(lock)s, true),
    set_config('idle_in_transaction_session_timeout', %(idle)s, true)"""
BE_QUICK_AS_A_WHOLE = f"{BE_QUICK}, set_config('transaction_timeout', %(idle)s, true)"
"""From PostgreSQL 17 on."""
ADD_SOURCE = """INSERT INTO rcs.sources (machine, project, kind, key, name) VALUES (%s, %s, %s, %s, %s)
    ON CONFLICT (machine, project, kind, key) WHERE NOT is_replaced DO UPDATE SET name = excluded.name
    RETURNING id, position"""
REPLACE_SOURCE = "UPDATE rcs.sources SET is_replaced = true WHERE id = %s"
RENAME_SOURCE = "UPDATE rcs.sources SET key = %s WHERE id = %s"
SAY_PRUNED = "SELECT pg_notify('rcs', 'pruned')"
# Only a store that is read once more can bring back what was pruned: of any other, nothing is judged by its clock.
TAKE_SOURCE = """SELECT position, coalesce((SELECT pruned_before FROM rcs.schema WHERE EXISTS (
        SELECT 1 FROM rcs.sources o
        WHERE o.machine = s.machine AND o.kind = s.kind AND o.name = s.name AND o.is_replaced)), '')
    FROM rcs.sources s WHERE id = %s AND NOT is_replaced FOR UPDATE OF s"""
ADD_RUN_EVENTS = """INSERT INTO rcs.run_events
    (machine, source, position, run, seq, at, type, step, unit, status, data, automatic)
    SELECT %s, %s, * FROM unnest(%s::bigint[], %s::bigint[], %s::int[], %s::text[], %s::text[], %s::text[], %s::text[],
    %s::text[], %s::text[], %s::bool[])"""
PUT_STEPS = """INSERT INTO rcs.run_steps
    (machine, source, run, step, unit, agent, parent, status, entered, last, visits, started_at, ended_at, open_ms,
    spent_ms)
    SELECT %s, %s, * FROM unnest(%s::bigint[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[], %s::int[],
    %s::int[], %s::int[], %s::text[], %s::text[], %s::bigint[], %s::bigint[])
    ON CONFLICT (source, run, step, unit) DO UPDATE SET agent = excluded.agent, parent = excluded.parent,
    status = excluded.status, entered = excluded.entered, last = excluded.last, visits = excluded.visits,
    started_at = excluded.started_at, ended_at = excluded.ended_at, open_ms = excluded.open_ms,
    spent_ms = excluded.spent_ms"""
PUT_ARTIFACTS = """INSERT INTO rcs.run_artifacts (machine, source, run, path, type, feature, step, subflow, at, seq)
    SELECT %s, %s, * FROM unnest(%s::bigint[], %s::text[], %s::text[], %s::text[], %s::text[], %s::bool[], %s::text[],
    %s::int[])
    ON CONFLICT (source, run, path) DO UPDATE SET type = excluded.type, feature = excluded.feature,
    step = excluded.step, subflow = excluded.subflow, at = excluded.at, seq = excluded.seq"""
ADD_MODE_EVENTS = """INSERT INTO rcs.mode_events
    (machine, source, position, at, mode, event, before, after, iteration, title, data)
    SELECT %s, %s, * FROM unnest(%s::bigint[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[], %s::int[],
    %s::text[], %s::text[])"""
ADD_TASK_MOVES = """INSERT INTO rcs.task_moves (machine, source, position, at, kind, before, after, data)
    SELECT %s, %s, * FROM unnest(%s::bigint[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[])"""
NEXT_BATCH = "SELECT rcs.next_batch()"
"""From here to the commit nobody else commits a batch, so it comes as late as possible. The statements after it read
the number from the clock. An event is known to readers as 10,000 times that number and its place in the batch."""
PUT_RUNS = """INSERT INTO rcs.runs (machine, source, project, id, run_id, workflow, feature, file, status, current,
    events, artifacts, started_at, last_at, last_ms, ended, reason, session, client, open_steps, local_last_event,
    last_event)
    SELECT %s, %s, %s, id, run_id, workflow, feature, file, status, current, events, artifacts, started_at, last_at,
    last_ms, ended, reason, session, client, open_steps, local_last_event,
    (SELECT batch FROM rcs.clock) * 10000 + place
    FROM unnest(%s::bigint[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[], %s::int[],
    %s::int[], %s::text[], %s::text[], %s::bigint[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[],
    %s::bigint[], %s::int[])
    AS given (id, run_id, workflow, feature, file, status, current, events, artifacts, started_at, last_at, last_ms,
    ended, reason, session, client, open_steps, local_last_event, place)
    ON CONFLICT (source, id) DO UPDATE SET run_id = excluded.run_id, workflow = excluded.workflow,
    feature = excluded.feature, file = excluded.file, status = excluded.status, current = excluded.current,
    events = excluded.events, artifacts = excluded.artifacts, started_at = excluded.started_at,
    last_at = excluded.last_at, last_ms = excluded.last_ms, ended = excluded.ended, reason = excluded.reason,
    session = excluded.session, client = excluded.client, open_steps = excluded.open_steps,
    local_last_event = excluded.local_last_event, last_event = excluded.last_event"""
ADD_BATCH = """INSERT INTO rcs.batches (id, machine, source, after, upto)
    SELECT batch, %s, %s, %s, %s FROM rcs.clock RETURNING id"""
MOVE_POSITION = "UPDATE rcs.sources SET position = %s WHERE id = %s"
PROJECT_CHANGED = "UPDATE rcs.projects SET changed = (SELECT batch FROM rcs.clock) WHERE id = %s"
SAY_NEWS = "SELECT pg_notify('rcs', '')"
DOCUMENTS = "SELECT kind, key FROM rcs.present WHERE project = %s"
PUT_DOCUMENTS = """INSERT INTO rcs.present (machine, project, kind, key, at, record)
    SELECT %s, %s, * FROM unnest(%s::text[], %s::text[], %s::text[], %s::jsonb[])
    ON CONFLICT (project, kind, key) DO UPDATE SET at = excluded.at, record = excluded.record"""
DELETE_DOCUMENTS = """DELETE FROM rcs.present WHERE project = %s
    AND (kind, key) IN (SELECT * FROM unnest(%s::text[], %s::text[]))"""
# --- the reader: what the shared pages and lists ask

LISTEN = "LISTEN rcs"
ALIVE = "SELECT 1"
ONE_MOMENT = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"
NEWEST_BATCH = "SELECT max(id) FROM rcs.batches"
MACHINES = """
SELECT id, left(name, 80), left(person, 60), left(program, 60), extract(epoch FROM seen_at)::float8
  FROM rcs.machines ORDER BY id LIMIT 10000
"""
PROJECTS = """
SELECT p.id, p.machine, left(p.name, 80), p.changed, p.texts
  FROM rcs.machines m JOIN LATERAL (
    SELECT * FROM rcs.projects WHERE machine = m.id ORDER BY key LIMIT 200
  ) p ON TRUE ORDER BY p.id LIMIT 20000
"""
_OF_RUN = """
  FROM rcs.runs r JOIN rcs.sources s ON s.id = r.source AND NOT s.is_replaced
  JOIN rcs.machines m ON m.id = r.machine
"""
# A text of any size is cut in the server, one sign above what is shown, so that it is seen to be cut.
_RUN = f"""
SELECT r.source, r.id, r.project, left(r.run_id, 401), left(r.workflow, 401), left(r.feature, 1001),
       left(r.file, 1001), left(r.status, 100), left(r.current, 401), r.events, r.artifacts, left(r.started_at, 40),
       left(r.last_at, 40), r.last_ms, r.last_event, left(r.ended, 100), left(r.reason, 1001), left(r.session, 200),
       left(r.client, 100), left(r.open_steps, 20000) {_OF_RUN}
"""
RUN = f"{_RUN} WHERE r.machine = %s AND r.run_id = %s ORDER BY r.last_event DESC LIMIT 1"
RUNS = f"{_RUN} WHERE {{where}} ORDER BY r.last_event DESC LIMIT %s"
COUNTS = f"""
SELECT CASE WHEN status = ANY(%s) AND heard_ms <= %s THEN %s
            WHEN status = %s AND heard_ms <= %s THEN %s ELSE left(status, 100) END, count(*)
  FROM (SELECT r.status, r.last_ms AS heard_ms {_OF_RUN}
         WHERE r.file <> '' AND {{where}} ORDER BY r.last_event DESC LIMIT %s) r GROUP BY 1
"""  # noqa: S608 - of this file
STEPS = """
SELECT left(step, 401), left(unit, 401), left(agent, 401), left(parent, 401), left(status, 100), entered, last, visits,
       left(started_at, 40), left(ended_at, 40), open_ms, spent_ms
  FROM rcs.run_steps WHERE source = %s AND run = %s ORDER BY last DESC LIMIT 5000
"""
ARTIFACTS = """
SELECT * FROM (
  SELECT left(path, 401), left(type, 401), left(feature, 401), left(step, 401), subflow, left(at, 40), seq
    FROM rcs.run_artifacts WHERE source = %s AND run = %s ORDER BY seq DESC LIMIT 5000
) last ORDER BY seq
"""
BATCHES_FROM = """
SELECT b.id FROM rcs.batches b JOIN rcs.sources s ON s.id = b.source AND s.kind = %s AND NOT s.is_replaced
 WHERE b.id >= %s ORDER BY b.id LIMIT %s
"""
BATCHES_BEFORE = """
SELECT b.id FROM rcs.batches b JOIN rcs.sources s ON s.id = b.source AND s.kind = %s AND NOT s.is_replaced
 WHERE b.id > %s AND (%s::bigint IS NULL OR b.id < %s) ORDER BY b.id DESC LIMIT %s
"""
_EVENT = (
    "e.seq, left(e.at, 40), left(e.type, 401), left(e.step, 401), left(e.unit, 401), left(e.status, 100),"
    " CASE WHEN octet_length(e.data) <= 65536 THEN e.data ELSE left(e.data, 200) END, e.automatic,"
    " left(r.run_id, 401), left(r.workflow, 401), r.project"
)
EVENTS_OF_RUN = f"""
WITH page AS MATERIALIZED (
  SELECT * FROM rcs.run_events WHERE source = %s AND run = %s AND seq > %s ORDER BY seq LIMIT %s
), parts AS MATERIALIZED (
  SELECT DISTINCT b.id, b.source, b.after, b.upto
    FROM page JOIN LATERAL (
      SELECT * FROM rcs.batches WHERE source = page.source AND after < page.position ORDER BY after DESC LIMIT 1
    ) b ON page.position <= b.upto
), numbers AS MATERIALIZED (
  SELECT b.source, e.position, b.id * 10000 + row_number() OVER (PARTITION BY b.id ORDER BY e.position) AS number
    FROM parts b JOIN rcs.run_events e ON e.source = b.source AND e.position > b.after AND e.position <= b.upto
)
SELECT coalesce(n.number, 0), {_EVENT}
  FROM page e JOIN rcs.runs r ON r.source = e.source AND r.id = e.run
  LEFT JOIN numbers n ON n.source = e.source AND n.position = e.position
 ORDER BY e.seq
"""  # noqa: S608 - of this file
EVENTS_OF_BATCHES = f"""
SELECT e.number, {_EVENT}
  FROM rcs.batches b
  JOIN LATERAL (
    SELECT *, b.id * 10000 + row_number() OVER (ORDER BY position) AS number
      FROM rcs.run_events WHERE source = b.source AND position > b.after AND position <= b.upto
     ORDER BY position LIMIT 9999
  ) e ON TRUE
  JOIN rcs.runs r ON r.source = e.source AND r.id = e.run
 WHERE b.id = ANY(%s) AND e.number > %s AND (%s::text IS NULL OR r.workflow = %s)
   AND (%s::int[] IS NULL OR r.project = ANY(%s)) AND r.project <> ALL(%s::int[]) ORDER BY e.number LIMIT %s
"""  # noqa: S608 - of this file
_MODE_EVENT = (
    "e.position, left(e.at, 40), left(e.mode, 401), left(e.event, 100), left(e.before, 401), left(e.after, 401),"
    " e.iteration, left(e.title, 1001), CASE WHEN octet_length(e.data) <= 32768 THEN e.data END"
)
MODE_EVENTS_OF_SESSION = f"""
SELECT s.project, {_MODE_EVENT}
  FROM rcs.sources s JOIN rcs.mode_events e ON e.source = s.id
 WHERE s.project = ANY(%s) AND s.kind = 'history' AND NOT s.is_replaced AND s.name = %s AND e.mode = %s
 ORDER BY e.source DESC, e.position DESC LIMIT %s
"""  # noqa: S608 - of this file
MODE_EVENTS_OF_BATCHES = f"""
SELECT b.id, s.project, left(s.name, 401), {_MODE_EVENT}
  FROM rcs.batches b JOIN rcs.sources s ON s.id = b.source
  JOIN LATERAL (
    SELECT * FROM rcs.mode_events WHERE source = b.source AND position > b.after AND position <= b.upto
       AND event = ANY(%s) AND (%s = '' OR mode = %s) ORDER BY position DESC LIMIT %s
  ) e ON TRUE
 WHERE b.id = ANY(%s) AND s.project = ANY(%s) AND (%s::text IS NULL OR s.name = %s)
 ORDER BY b.id DESC, e.position DESC LIMIT %s
"""  # noqa: S608 - of this file
RUNS_OF_SESSIONS = """
SELECT project, session, count(*) FROM rcs.runs
 WHERE session IS NOT NULL AND file IS NOT NULL GROUP BY project, session LIMIT 100000
"""
HEARD = """
SELECT d.project, d.key, d.at
  FROM unnest(%s::int[]) AS p (id) JOIN LATERAL (
    SELECT project, left(key, 401) AS key, left(at, 40) AS at FROM rcs.present
     WHERE project = p.id AND kind = 'session' AND at IS NOT NULL ORDER BY rcs.present.at DESC LIMIT 300
  ) d ON TRUE ORDER BY d.at DESC LIMIT %s
"""
WORKFLOWS = """
SELECT max(last_event), left(workflow, 400) FROM rcs.runs WHERE last_event > %s AND file <> '' GROUP BY 2 LIMIT %s
"""
# The newest of each project come first, so that no project hides those of the others.
SHOWN_DOCUMENTS = """
SELECT d.project, d.key, d.at, d.record::text
  FROM unnest(%s::int[]) AS p (id) JOIN LATERAL (
    SELECT project, left(key, 401) AS key, left(at, 40) AS at, record,
           row_number() OVER (ORDER BY rcs.present.at DESC NULLS LAST) AS place FROM rcs.present
     WHERE project = p.id AND kind = %s AND pg_column_size(record) <= %s
     ORDER BY rcs.present.at DESC NULLS LAST LIMIT %s
  ) d ON TRUE ORDER BY d.place, d.at DESC NULLS LAST LIMIT %s
"""
SHOWN_DOCUMENT = """
SELECT project, left(at, 40), record::text FROM rcs.present
 WHERE kind = %s AND project = ANY(%s) AND key = %s AND pg_column_size(record) <= %s LIMIT 20
"""
