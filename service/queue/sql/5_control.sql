-- The queue, part 5: submitting jobs and changing them while they run.

-- Makes the ranges of samples p_from … p_to - 1 of a cell. They are cut to 1024 samples, so that no row is updated
-- more often than that: the versions of a row that an old snapshot keeps alive make every later claim slower.
create or replace function queue_add_range(p_job bigint, p_cell int, p_from int, p_to int) returns void
language sql as $$
  insert into ranges(job_id, cell, start, stop, next)
  select p_job, p_cell, s, least(s + 1024, p_to), s from generate_series(p_from, p_to - 1, 1024) s
$$;

-- Writes the cells of a new job and makes their samples available.
create or replace function queue_add_cells(
  p_job bigint, p_cell int[], p_task text[], p_length int[], p_variant jsonb[], p_size int[])
returns void language sql as $$
  insert into cells(job_id, cell, task, length, variant, size)
  select p_job, c, task, length, variant, size
    from unnest(p_cell, p_task, p_length, p_variant, p_size) d(c, task, length, variant, size);
  select queue_add_range(p_job, c, 0, size) from unnest(p_cell, p_size) d(c, size);
$$;

-- Opens a job again that had ended, because there is work for it.
create or replace function queue_reopen(p_job bigint) returns void language plpgsql as $$
begin
  update jobs set state = 'running', finished_at = null, stalled = null, active_at = clock_timestamp()
   where id = p_job and state not in ('running', 'paused');
  if found then
    perform queue_event(p_job, 'state', jsonb_build_object('state', 'running'));
  end if;
end $$;

-- Pause, resume or cancel. Returns the state it has now, and whether that is what was asked for; null: no such job.
create or replace function queue_steer(p_job bigint, p_from text[], p_to text)
returns table(o_state text, o_done boolean) language plpgsql as $$
begin
  select state into o_state from jobs where id = p_job for update;
  if not found then
    return;
  end if;
  o_done := o_state = p_to or o_state = any(p_from);
  if o_state = any(p_from) then
    update jobs set state = p_to, stalled = null, active_at = clock_timestamp(),
                    finished_at = case when p_to = 'cancelled' then clock_timestamp() end
     where id = p_job;
    perform queue_event(p_job, 'state', jsonb_build_object('state', p_to));
    o_state := p_to;
  end if;
  return next;
end $$;

-- Asks samples again: all with one of the statuses, and those named, whatever their status. Every other result stays.
-- What was there is kept as an attempt; what is still under way from before is fenced off by the new generation.
-- Samples named that wait for another try are tried at once, with all their attempts again. Returns how many.
create or replace function queue_requeue(p_job bigint, p_statuses text[], p_cells int[], p_indices int[]) returns int
language plpgsql as $$
declare
  t constant timestamptz := clock_timestamp();
  v_generation int;
  v_count int;
  v_waiting int;
begin
  perform pg_advisory_xact_lock(queue_lock_key(p_job));
  select generation + 1 into v_generation from jobs where id = p_job for update;
  with gone as (
    delete from results r
     where r.job_id = p_job
       and (r.status = any(p_statuses) or (r.cell, r.index) in (select c, i from unnest(p_cells, p_indices) d(c, i)))
    returning r.*),
  noted as (
    insert into attempts(job_id, cell, index, generation, attempt, worker_id, kind, message, prompt_tokens,
                         completion_tokens, duration_ms, at)
    select job_id, cell, index, generation, attempts, worker_id, 'superseded',
           'was ' || status || coalesce(', score ' || score, '') || coalesce(': ' || error, ''),
           coalesce(server_prompt_tokens, prompt_tokens), completion_tokens, duration_ms, at from gone),
  counted as (
    insert into deltas(job_id, cell, status, score, n)
    select job_id, cell, status, coalesce(score, -1), -count(*) from gone
     group by job_id, cell, status, coalesce(score, -1)),
  asked as (
    insert into retries as q (job_id, cell, index, generation, reason, next_try)
    select job_id, cell, index, v_generation, 'asked again', t from gone order by cell, index
    on conflict (job_id, cell, index) do update
       set generation = excluded.generation, attempts = 0, losses = 0, reason = excluded.reason, next_try = t,
           lease_id = null)
  select count(*) into v_count from gone;
  with named as (
    update retries q set attempts = 0, losses = 0, next_try = t
      from unnest(p_cells, p_indices) d(c, i)
     where q.job_id = p_job and q.cell = d.c and q.index = d.i and q.lease_id is null and q.generation < v_generation
    returning 1)
  select count(*) into v_waiting from named;
  if v_count > 0 then
    update jobs set generation = v_generation where id = p_job;
  end if;
  if v_count + v_waiting > 0 then
    perform queue_reopen(p_job);
  end if;
  return v_count + v_waiting;
end $$;

-- Gives cells more samples and adds cells. The model's row is locked first, as a claim does, because claims move the
-- place from which they look. Returns how many samples were added.
create or replace function queue_extend(
  p_job bigint, p_grown int[], p_sizes int[], p_cell int[], p_task text[], p_length int[], p_variant jsonb[],
  p_size int[])
returns bigint language plpgsql as $$
declare
  v_added bigint;
begin
  perform pg_advisory_xact_lock(queue_lock_key(p_job));
  perform 1 from models where id = (select model_id from jobs where id = p_job) for update;
  perform 1 from jobs where id = p_job for update;
  select coalesce(sum(d.size - c.size), 0) into v_added
    from unnest(p_grown, p_sizes) d(cell, size) join cells c on c.job_id = p_job and c.cell = d.cell;
  perform queue_add_range(p_job, c.cell, c.size, d.size)
     from unnest(p_grown, p_sizes) d(cell, size) join cells c on c.job_id = p_job and c.cell = d.cell;
  update cells c set size = d.size from unnest(p_grown, p_sizes) d(cell, size)
   where c.job_id = p_job and c.cell = d.cell;
  perform queue_add_cells(p_job, p_cell, p_task, p_length, p_variant, p_size);
  v_added := v_added + coalesce((select sum(x) from unnest(p_size) x), 0);
  if v_added > 0 then
    update jobs set at_cell = 0, at_start = 0, revision = revision + 1 where id = p_job;
    perform queue_reopen(p_job);
  end if;
  return v_added;
end $$;
