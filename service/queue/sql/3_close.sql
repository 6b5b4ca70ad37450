-- The queue, part 3: taking outcomes.
--
-- Results: the first good one of a sample wins, whoever brings it, also after its lease has run out.
-- Failures: they count only from the worker that holds the sample now.
-- A sample that was asked again on purpose has a higher generation; reports of a lower one are stale.
-- Each report holds the job's advisory lock in shared mode, so that none overlaps with a requeue.
-- The arrays of a call are parallel, one element an outcome, without two outcomes of one sample.

-- Closes the reported samples in their leases: the calls have ended, whatever becomes of the outcomes.
-- held[i]: the worker held that sample. foreign_lease[i]: the lease is live and another worker's.
create or replace function queue_close(
  p_worker int, p_lease bigint[], p_job bigint[], p_cell int[], p_index int[],
  out held boolean[], out foreign_lease boolean[], out models int[], out emptied bigint[])
language plpgsql as $$
declare
  v_rest int[];
  l record;
begin
  models := '{}'; emptied := '{}'; held := array_fill(false, array[cardinality(p_lease)]);
  perform pg_advisory_xact_lock_shared(queue_lock_key(x.job))
     from (select distinct job from unnest(p_job) job order by job) x;
  for l in select x.* from leases x where x.id = any(p_lease) and x.worker_id = p_worker order by x.id for update loop
    models := models || l.model_id;
    held := array(select held[d.o] or (d.l = l.id and d.j = l.job_id and d.c = l.cell and d.i = any(l.open))
                    from unnest(p_lease, p_job, p_cell, p_index) with ordinality d(l, j, c, i, o) order by d.o);
    v_rest := array(select unnest(l.open) except
                    select d.i from unnest(p_lease, p_job, p_cell, p_index) d(l, j, c, i)
                     where d.l = l.id and d.j = l.job_id and d.c = l.cell order by 1);
    if v_rest = '{}' then
      delete from leases where id = l.id;
      emptied := emptied || l.job_id;
    else
      update leases set open = v_rest, n = cardinality(v_rest) where id = l.id;
    end if;
  end loop;
  -- A join, not `exists` in the list of columns: that may become a hash of the whole table.
  foreign_lease := array(select x.id is not null from unnest(p_lease) with ordinality d(l, o)
                           left join leases x on x.id = d.l and x.worker_id <> p_worker order by d.o);
end $$;

-- Why an outcome cannot be taken at all; null if it can. Ids of leases that a crash took back may be ahead of the
-- sequence, by less than ten thousand.
create or replace function queue_refusal(p_lease bigint, p_foreign boolean, p_job bigint, p_cell int, p_index int)
returns text language sql stable as $$
  select case
    when p_foreign then format('lease %s belongs to another worker', p_lease)
    when p_lease > (select last_value + 10000 from leases_id_seq) or p_lease < 1
    then format('there is no lease %s', p_lease)
    when not exists(select 1 from cells c
                     where c.job_id = p_job and c.cell = p_cell and p_index >= 0 and p_index < c.size)
    then format('the job has no sample %s of cell %s', p_index, p_cell)
  end
$$;

-- Ends the jobs that have nothing left, or corrects the end of finished ones; called last, as it locks the jobs' rows.
-- Always true: in an expression a function costs less than in a statement of its own.
create or replace function queue_after(p_models int[], p_jobs bigint[], p_good boolean) returns boolean
language plpgsql as $$
declare
  v_job bigint;
begin
  if p_good and p_models <> '{}' then
    update models set circuit = 'closed', circuit_reason = null, circuit_until = null, circuit_trips = 0
     where id = any(p_models) and circuit = 'half-open';
  end if;
  if cardinality(p_jobs) > 1 then
    p_jobs := array(select distinct job from unnest(p_jobs) job order by job);
  end if;
  foreach v_job in array p_jobs loop
    if queue_exhausted(v_job) then
      perform queue_settle(v_job);
    end if;
  end loop;
  return true;
end $$;
