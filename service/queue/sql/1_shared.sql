-- The queue, part 1: what the other parts share.
--
-- A sample is in exactly one of these places:
--   ranges    nobody has taken it yet (next <= index < stop)
--   leases    a worker holds it (index in open); it may have a row in retries too, which then names the lease
--   retries   it waits for another try (lease_id is null)
--   results   it has ended
--
-- Lock order, the same everywhere, so that no two calls wait for each other:
--   advisory lock of the job -> leases (by id) -> retries, results (by job, cell, index) -> models (by id)
--   -> jobs (by id) -> workers
-- A claim takes models -> jobs -> ranges, waits for no lease (it only inserts them) and for no retry (skip locked).
--
-- Every function runs with nested loops over indexes only: plans must not depend on statistics that were
-- gathered when a table was empty, nor turn into a scan of a table when a plan becomes generic.
-- Only the server's clock is ever read.

create or replace function queue_lock_key(p_job bigint) returns bigint language sql immutable as $$
  select (1785358947::bigint << 30) + p_job
$$;

-- Writes an event. The caller holds the lock of the job's row: ids rise in commit order within a job.
create or replace function queue_event(p_job bigint, p_kind text, p_data jsonb) returns void language sql as $$
  insert into events(job_id, kind, data) values (p_job, p_kind, p_data)
$$;

-- Whether there is nothing left to do, hold or wait for. One question at a time: the first mostly answers it.
create or replace function queue_exhausted(p_job bigint) returns boolean language plpgsql volatile as $$
begin
  if exists(select 1 from jobs j join ranges r on r.job_id = j.id and (r.cell, r.start) >= (j.at_cell, j.at_start)
             where j.id = p_job and r.next < r.stop) then
    return false;
  end if;
  return not exists(select 1 from leases l where l.job_id = p_job)
     and not exists(select 1 from retries r where r.job_id = p_job);
end $$;

-- Ends a job that has nothing left, and corrects the end of one whose last error has just been replaced.
-- Samples only move in single transactions, so the emptiness seen under the job's lock is true.
create or replace function queue_settle(p_job bigint) returns text language plpgsql as $$
declare
  v_state text;
  v_new text;
begin
  if not queue_exhausted(p_job) then
    return null;
  end if;
  select state into v_state from jobs where id = p_job for update;
  if v_state = 'cancelled' or not queue_exhausted(p_job) then
    return null;
  end if;
  v_new := case when exists(select 1 from results where job_id = p_job and status <> 'ok' and status = 'error')
                then 'completed_with_errors' else 'completed' end;
  if v_new = v_state then
    return null;
  end if;
  update jobs set state = v_new, stalled = null, finished_at = clock_timestamp() where id = p_job;
  perform queue_event(p_job, 'state', jsonb_build_object('state', v_new));
  return v_new;
end $$;

-- Opens a model's circuit: 5 s, doubled with each opening in a row, at most 2 minutes. Reports that come while it is
-- open already change nothing, or a hundred calls that fail together would count as a hundred openings.
create or replace function queue_trip(p_model int, p_reason text) returns void language sql as $$
  update models
     set circuit = 'open', circuit_reason = left(p_reason, 500), circuit_trips = circuit_trips + 1,
         circuit_until = clock_timestamp() + least(120, 5 * 2 ^ least(circuit_trips, 10)) * interval '1 second'
   where id = p_model and (circuit <> 'open' or circuit_until <= clock_timestamp())
$$;
