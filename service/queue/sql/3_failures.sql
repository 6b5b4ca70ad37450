-- The queue, part 3 (continued): failures and samples handed back. Its rules are in 3_close.sql.

-- Ends one sample as an error, unless it has a result.
create or replace function queue_give_up(
  p_worker int, p_job bigint, p_cell int, p_index int, p_generation int, p_attempts int, p_error text, p_sha256 bytea)
returns boolean language plpgsql as $$
begin
  delete from retries q where q.job_id = p_job and q.cell = p_cell and q.index = p_index;
  insert into results(job_id, cell, index, generation, attempts, worker_id, status, error, prompt_sha256)
  values (p_job, p_cell, p_index, p_generation, least(p_attempts, 32767), p_worker, 'error', p_error, p_sha256)
  on conflict do nothing;
  if not found then
    return false;
  end if;
  insert into deltas(job_id, cell, worker_id, status, score, n) values (p_job, p_cell, p_worker, 'error', -1, 1);
  return true;
end $$;

-- Takes failures: another try after exponential backoff with full jitter (or when the server said), or the end.
-- Returns for each {verdict, reason}.
create or replace function queue_report_failures(
  p_worker int, p_lease bigint[], p_job bigint[], p_cell int[], p_index int[], p_generation int[], p_cause text[],
  p_message text[], p_permanent boolean[], p_counts boolean[], p_retry_after double precision[], p_down boolean[],
  p_sha256 bytea[], p_prompt int[], p_cached int[], p_completion int[], p_thought int[], p_duration int[])
returns text[] language plpgsql
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
declare
  t constant timestamptz := clock_timestamp();
  k record;
  q record;
  j record;
  v_verdict text[] := '{}';
  v_reason text[] := '{}';
  v_one text;
  v_why text;
  v_attempts int;
  v_wait double precision;
  v_model int;
  v_until timestamptz;
begin
  k := queue_close(p_worker, p_lease, p_job, p_cell, p_index);
  for i in 1..cardinality(p_lease) loop
    v_why := case when not k.held[i] then
      queue_refusal(p_lease[i], k.foreign_lease[i], p_job[i], p_cell[i], p_index[i]) end;
    q := null;
    select r.attempts, r.losses, r.generation into q from retries r
     where r.job_id = p_job[i] and r.cell = p_cell[i] and r.index = p_index[i];
    v_attempts := coalesce(q.attempts, 0) + p_counts[i]::int;
    if v_why is not null then
      v_one := 'refused';
    elsif exists(select 1 from results r
                  where r.job_id = p_job[i] and r.cell = p_cell[i] and r.index = p_index[i]) then
      v_one := 'duplicate'; v_why := 'the sample has its result';
      delete from retries r where r.job_id = p_job[i] and r.cell = p_cell[i] and r.index = p_index[i]
                              and r.generation <= p_generation[i];
    elsif not k.held[i] or p_generation[i] < coalesce(q.generation, 0) then
      v_one := 'stale'; v_why := 'the lease has run out, or the sample has been asked again since';
    else
      v_one := 'requeued';
      -- A sample that could not be built (cause `benchmark`) was no call.
      insert into deltas(job_id, cell, worker_id, status, score, n, calls, prompt_tokens, cached_tokens,
                         completion_tokens, thinking_tokens)
      values (p_job[i], p_cell[i], p_worker, 'attempt', -1, 1, (p_cause[i] <> 'benchmark')::int,
              coalesce(p_prompt[i], 0), coalesce(p_cached[i], 0), coalesce(p_completion[i], 0),
              coalesce(p_thought[i], 0));
      select x.max_attempts, x.base_seconds, x.max_seconds into j from jobs x where x.id = p_job[i];
      if p_permanent[i] or v_attempts >= j.max_attempts then
        v_one := 'failed';
        perform queue_give_up(p_worker, p_job[i], p_cell[i], p_index[i], p_generation[i],
                              v_attempts + coalesce(q.losses, 0),
                              p_cause[i] || case when p_message[i] <> '' then ': ' || p_message[i] else '' end,
                              p_sha256[i]);
      else
        v_wait := least(j.max_seconds, j.base_seconds * 2 ^ least(greatest(v_attempts - 1, 0), 30));
        v_wait := coalesce(p_retry_after[i], random() * v_wait);
        insert into retries as r (job_id, cell, index, generation, attempts, losses, reason, next_try)
        values (p_job[i], p_cell[i], p_index[i], p_generation[i], v_attempts, 0, p_cause[i],
                t + least(v_wait, 3600) * interval '1 second')
        on conflict (job_id, cell, index) do update
           set attempts = excluded.attempts, reason = excluded.reason, next_try = excluded.next_try, lease_id = null;
      end if;
    end if;
    if v_one <> 'refused' then
      insert into attempts(job_id, cell, index, generation, attempt, worker_id, lease_id, kind, message, prompt_tokens,
                           completion_tokens, duration_ms)
      values (p_job[i], p_cell[i], p_index[i], p_generation[i], coalesce(q.attempts, 0) + coalesce(q.losses, 0) + 1,
              p_worker, p_lease[i],
              case when v_one in ('stale', 'duplicate') then 'late' else p_cause[i] end,
              case when v_one in ('stale', 'duplicate') then p_cause[i] || ': ' else '' end || p_message[i],
              p_prompt[i], p_completion[i], p_duration[i]);
    end if;
    v_verdict := v_verdict || v_one;
    v_reason := v_reason || v_why;
  end loop;
  for v_model, v_why, v_until in
    select m.model_id,
           max(d.cause || case when d.message <> '' then ': ' || d.message else '' end) filter (where d.down),
           max(t + least(d.after, 600) * interval '1 second') filter (where d.after is not null)
      from unnest(p_job, v_verdict, p_cause, p_message, p_down, p_retry_after)
           d(job, verdict, cause, message, down, after)
      join jobs m on m.id = d.job
     where d.verdict in ('requeued', 'failed') and (d.down or d.after is not null)
     group by m.model_id order by m.model_id
  loop
    if v_why is not null then
      perform queue_trip(v_model, v_why);
    end if;
    update models set cooldown_until = v_until where id = v_model and v_until > coalesce(cooldown_until, t);
  end loop;
  perform queue_after('{}', k.emptied, false);
  return array(select array[v_verdict[o], v_reason[o]] from generate_series(1, cardinality(p_lease)) o);
end $$;

-- Takes samples back that were not asked: they go to another worker at once, and no attempt is spent.
create or replace function queue_hand_back(
  p_worker int, p_lease bigint[], p_job bigint[], p_cell int[], p_index int[], p_generation int[])
returns text[] language plpgsql
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
declare
  k record;
begin
  k := queue_close(p_worker, p_lease, p_job, p_cell, p_index);
  insert into retries as r (job_id, cell, index, generation, reason, next_try)
  select d.j, d.c, d.i, d.g, 'handed back', clock_timestamp()
    from unnest(p_lease, p_job, p_cell, p_index, p_generation) with ordinality d(l, j, c, i, g, o)
   where k.held[d.o] and not exists(select 1 from results x where x.job_id = d.j and x.cell = d.c and x.index = d.i)
   order by d.j, d.c, d.i
  on conflict (job_id, cell, index) do update set lease_id = null, next_try = excluded.next_try
   where r.generation = excluded.generation;
  perform queue_after('{}', k.emptied, false);
  return array(select case when k.held[d.o] then array['returned', null]
                           when r.why is null then array['stale', 'the lease has run out']
                           else array['refused', r.why] end
                 from unnest(p_lease, p_job, p_cell, p_index) with ordinality d(l, j, c, i, o),
                      lateral (select queue_refusal(d.l, k.foreign_lease[d.o], d.j, d.c, d.i) as why) r
                order by d.o);
end $$;
