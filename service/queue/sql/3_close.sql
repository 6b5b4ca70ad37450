-- The queue, part 3: taking outcomes.
--
-- Results: the first good one of a sample wins, whoever brings it, also after its lease has run out.
-- Failures: they count only from the worker that holds the sample now.
-- A sample that was asked again on purpose has a higher generation; reports of a lower one are stale.
-- Each report holds the job's advisory lock in shared mode, so that none overlaps with a requeue.
-- The arrays of a call are parallel, one element an outcome, without two outcomes of one sample.

-- Closes the reported samples in their leases: the calls have ended, whatever becomes of the outcomes.
-- held[i]: the worker held that sample. foreign[i]: the lease is live and another worker's.
-- plain: all were held, in one lease of first attempts; then the arrays are left null.
create or replace function queue_close(
  p_worker int, p_lease bigint[], p_job bigint[], p_cell int[], p_index int[],
  out plain boolean, out held boolean[], out fresh boolean[], out foreign_lease boolean[], out models int[], out emptied bigint[])
language plpgsql as $$
declare
  v_job bigint;
  v_rest int[];
  v_reported int[];
  v_count int := cardinality(p_lease);
  l record;
begin
  models := '{}'; emptied := '{}'; plain := false;
  for v_job in select distinct x from unnest(p_job) x order by 1 loop
    perform pg_advisory_xact_lock_shared(queue_lock_key(v_job));
  end loop;
  for l in select x.* from leases x where x.id = any(p_lease) and x.worker_id = p_worker order by x.id for update loop
    v_reported := array(select d.i from unnest(p_lease, p_job, p_cell, p_index) d(l, j, c, i)
                         where d.l = l.id and d.j = l.job_id and d.c = l.cell order by d.i);
    models := models || l.model_id;
    if cardinality(v_reported) = v_count then
      plain := l.fresh;
    end if;
    if v_reported = l.open then
      v_rest := '{}';
    else
      v_rest := array(select unnest(l.open) except select unnest(v_reported) order by 1);
      plain := plain and cardinality(v_rest) = l.n - v_count;
    end if;
    if not plain then
      held := array(select coalesce(held[d.o], false) or (d.l = l.id and d.j = l.job_id and d.c = l.cell and d.i = any(l.open))
                      from unnest(p_lease, p_job, p_cell, p_index) with ordinality d(l, j, c, i, o) order by d.o);
      fresh := array(select coalesce(fresh[d.o], false) or (held[d.o] and d.l = l.id and l.fresh)
                       from unnest(p_lease) with ordinality d(l, o) order by d.o);
    end if;
    if v_rest = '{}' then
      delete from leases where id = l.id;
      emptied := emptied || l.job_id;
    else
      update leases set open = v_rest, n = cardinality(v_rest) where id = l.id;
    end if;
  end loop;
  if not plain then
    held := coalesce(held, array_fill(false, array[v_count]));
    fresh := coalesce(fresh, array_fill(false, array[v_count]));
    -- Joins, not `exists` in the list of columns: that may become a hash of the whole table.
    foreign_lease := array(select x.id is not null from unnest(p_lease) with ordinality d(l, o)
                             left join leases x on x.id = d.l and x.worker_id <> p_worker order by d.o);
  end if;
end $$;

-- Why an outcome cannot be taken at all; null if it can. Ids of leases that a crash took back may be ahead of the
-- sequence, by less than ten thousand.
create or replace function queue_refusal(p_lease bigint, p_foreign boolean, p_job bigint, p_cell int, p_index int)
returns text language sql stable as $$
  select case
    when p_foreign then format('lease %s belongs to another worker', p_lease)
    when p_lease > (select last_value + 10000 from leases_id_seq) or p_lease < 1 then format('there is no lease %s', p_lease)
    when not exists(select 1 from cells c where c.job_id = p_job and c.cell = p_cell and p_index >= 0 and p_index < c.size)
    then format('the job has no sample %s of cell %s', p_index, p_cell)
  end
$$;

-- Ends the samples for good, or corrects the end of finished jobs; called last, as it locks the jobs' rows.
create or replace function queue_after(p_models int[], p_jobs bigint[], p_good boolean) returns void language plpgsql as $$
declare
  v_job bigint;
begin
  if p_good then
    update models set circuit = 'closed', circuit_reason = null, circuit_until = null, circuit_trips = 0
     where id = any(p_models) and circuit = 'half-open';
  end if;
  for v_job in select distinct x from unnest(p_jobs) x order by 1 loop
    perform queue_settle(v_job);
  end loop;
end $$;
