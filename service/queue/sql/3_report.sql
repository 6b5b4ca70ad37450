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

-- Stores results of samples that only this worker can have: first attempts, in a lease that is live. Nothing can be in
-- their way, so they go in without looking for it, which takes a third off the cost of storing them. Only a crash that made
-- the server forget an earlier grant can have put results there before; then nothing is stored, and null comes back.
create or replace function queue_store_plain(
  p_worker int, p_job bigint[], p_cell int[], p_index int[], p_generation int[], p_attempt int[], p_status text[],
  p_score double precision[], p_answer text[], p_thinking text[], p_expected text[], p_sha256 bytea[], p_prompt int[], p_server int[],
  p_cached int[], p_completion int[], p_thought int[], p_finish text[], p_ttft int[], p_duration int[], p_error text[], p_detail text[])
returns int language plpgsql as $$
declare
  v_stored int;
begin
  with i as (
    insert into results as r (job_id, cell, index, generation, attempts, worker_id, status, score, answer, thinking, expected,
                              prompt_sha256, prompt_tokens, server_prompt_tokens, cached_tokens, completion_tokens, thinking_tokens,
                              finish_reason, ttft_ms, duration_ms, error, detail)
    select d.j, d.c, d.i, d.g, d.a, p_worker, d.status, d.score, d.answer, d.thinking, d.expected::jsonb, d.sha256, d.prompt, d.server,
           d.cached, d.completion, d.thought, d.finish, d.ttft, d.duration, d.error, d.detail::jsonb
      from unnest(p_job, p_cell, p_index, p_generation, p_attempt, p_status, p_score, p_answer, p_thinking, p_expected, p_sha256, p_prompt,
                  p_server, p_cached, p_completion, p_thought, p_finish, p_ttft, p_duration, p_error, p_detail)
           d(j, c, i, g, a, status, score, answer, thinking, expected, sha256, prompt, server, cached, completion, thought, finish,
             ttft, duration, error, detail)
    returning r.job_id, r.cell, r.status, coalesce(r.score, -1) as score, coalesce(r.server_prompt_tokens, r.prompt_tokens) as prompt,
              r.cached_tokens, r.completion_tokens, r.thinking_tokens),
  t as (
    insert into deltas(job_id, cell, worker_id, status, score, n, calls, prompt_tokens, cached_tokens, completion_tokens, thinking_tokens)
    select i.job_id, i.cell, p_worker, i.status, i.score, count(*), count(*), coalesce(sum(i.prompt), 0), coalesce(sum(i.cached_tokens), 0),
           coalesce(sum(i.completion_tokens), 0), coalesce(sum(i.thinking_tokens), 0)
      from i group by i.job_id, i.cell, i.status, i.score)
  select count(*) into v_stored from i;
  return v_stored;
exception when unique_violation then
  return null;
end $$;

-- Stores results. Returns null when every one was stored, else for each {verdict, reason}.
create or replace function queue_report_results(
  p_worker int, p_lease bigint[], p_job bigint[], p_cell int[], p_index int[], p_generation int[], p_attempt int[],
  p_status text[], p_score double precision[], p_answer text[], p_thinking text[], p_expected text[], p_sha256 bytea[],
  p_prompt int[], p_server int[], p_cached int[], p_completion int[], p_thought int[], p_finish text[], p_ttft int[],
  p_duration int[], p_error text[], p_detail text[])
returns text[] language plpgsql
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan
as $$
declare
  k record;
  v_verdict text[];
  v_reason text[];
  v_replaced bigint[];
  v_stored int;
begin
  k := queue_close(p_worker, p_lease, p_job, p_cell, p_index);
  if k.plain and queue_store_plain(p_worker, p_job, p_cell, p_index, p_generation, p_attempt, p_status, p_score, p_answer, p_thinking,
                                   p_expected, p_sha256, p_prompt, p_server, p_cached, p_completion, p_thought, p_finish, p_ttft,
                                   p_duration, p_error, p_detail) is not null then
    perform queue_after(k.models, k.emptied, true);
    return null;
  end if;
  if not k.plain then
    select array_agg(case when r.why is not null then 'refused' when r.stale then 'stale' end order by o),
           array_agg(coalesce(r.why, case when r.stale then 'the sample has been asked again since' end) order by o)
      into v_verdict, v_reason
      from (select d.o,
                   case when not k.held[d.o] then queue_refusal(d.l, k.foreign_lease[d.o], d.j, d.c, d.i) end as why,
                   q.index is not null as stale
              from unnest(p_lease, p_job, p_cell, p_index, p_generation) with ordinality d(l, j, c, i, g, o)
              left join retries q on q.job_id = d.j and q.cell = d.c and q.index = d.i and q.generation > d.g) r;
  end if;
  with i as (
    insert into results as r (job_id, cell, index, generation, attempts, worker_id, status, score, answer, thinking, expected,
                              prompt_sha256, prompt_tokens, server_prompt_tokens, cached_tokens, completion_tokens, thinking_tokens,
                              finish_reason, ttft_ms, duration_ms, error, detail)
    select d.j, d.c, d.i, d.g, d.a, p_worker, d.status, d.score, d.answer, d.thinking, d.expected::jsonb, d.sha256, d.prompt, d.server,
           d.cached, d.completion, d.thought, d.finish, d.ttft, d.duration, d.error, d.detail::jsonb
      from unnest(p_job, p_cell, p_index, p_generation, p_attempt, p_status, p_score, p_answer, p_thinking, p_expected, p_sha256, p_prompt,
                  p_server, p_cached, p_completion, p_thought, p_finish, p_ttft, p_duration, p_error, p_detail) with ordinality
           d(j, c, i, g, a, status, score, answer, thinking, expected, sha256, prompt, server, cached, completion, thought, finish,
             ttft, duration, error, detail, o)
     where v_verdict is null or v_verdict[d.o] is null
     order by d.j, d.c, d.i
    on conflict (job_id, cell, index) do update
       set (xid, at, generation, attempts, worker_id, status, score, answer, thinking, expected, prompt_sha256, prompt_tokens,
            server_prompt_tokens, cached_tokens, completion_tokens, thinking_tokens, finish_reason, ttft_ms, duration_ms, error, detail)
         = (pg_current_xact_id(), clock_timestamp(), excluded.generation, excluded.attempts, excluded.worker_id, excluded.status,
            excluded.score, excluded.answer, excluded.thinking, excluded.expected, excluded.prompt_sha256, excluded.prompt_tokens,
            excluded.server_prompt_tokens, excluded.cached_tokens, excluded.completion_tokens, excluded.thinking_tokens,
            excluded.finish_reason, excluded.ttft_ms, excluded.duration_ms, excluded.error, excluded.detail)
     where r.status = 'error' and r.generation = excluded.generation
    returning r.job_id, r.cell, r.index, r.status, coalesce(r.score, -1) as score, coalesce(r.server_prompt_tokens, r.prompt_tokens) as prompt,
              r.cached_tokens, r.completion_tokens, r.thinking_tokens, xmax <> 0 as replaced),
  t as (
    insert into deltas(job_id, cell, worker_id, status, score, n, calls, prompt_tokens, cached_tokens, completion_tokens, thinking_tokens)
    select i.job_id, i.cell, p_worker, i.status, i.score, count(*), count(*), coalesce(sum(i.prompt), 0), coalesce(sum(i.cached_tokens), 0),
           coalesce(sum(i.completion_tokens), 0), coalesce(sum(i.thinking_tokens), 0)
      from i group by i.job_id, i.cell, i.status, i.score),
  u as (
    insert into deltas(job_id, cell, status, score, n)
    select i.job_id, i.cell, 'error', -1, -count(*) from i where i.replaced group by i.job_id, i.cell)
  select count(*), array_agg(distinct i.job_id) filter (where i.replaced) into v_stored, v_replaced from i;
  if not k.plain or v_stored < cardinality(p_lease) then
    perform queue_after_results(p_worker, v_verdict, p_lease, p_job, p_cell, p_index, p_generation, p_attempt, p_server, p_completion,
                                p_duration);
    v_verdict := array(select coalesce(v_verdict[d.o], case when r.index is null then 'duplicate' else 'stored' end)
                         from unnest(p_job, p_cell, p_index) with ordinality d(j, c, i, o)
                         left join results r on r.job_id = d.j and r.cell = d.c and r.index = d.i and r.xid = pg_current_xact_id()
                        order by d.o);
  end if;
  perform queue_after(k.models, k.emptied || v_replaced || case when not k.plain then p_job end, v_stored > 0);
  if v_stored = cardinality(p_lease) then
    return null;
  end if;
  return array(select array[coalesce(v_verdict[o], 'duplicate'), v_reason[o]] from generate_series(1, cardinality(p_lease)) o);
end $$;

-- What a report that was not plain leaves to do: its samples wait no more, and calls that gave nothing new are noted.
create or replace function queue_after_results(
  p_worker int, p_verdict text[], p_lease bigint[], p_job bigint[], p_cell int[], p_index int[], p_generation int[], p_attempt int[],
  p_server int[], p_completion int[], p_duration int[])
returns void language sql as $$
  delete from retries q using unnest(p_job, p_cell, p_index, p_generation) with ordinality d(j, c, i, g, o)
   where p_verdict[d.o] is null and q.job_id = d.j and q.cell = d.c and q.index = d.i and q.generation <= d.g;
  with late as (
    insert into attempts(job_id, cell, index, generation, attempt, worker_id, lease_id, kind, message, prompt_tokens, completion_tokens, duration_ms)
    select d.j, d.c, d.i, d.g, d.a, p_worker, d.l, case p_verdict[d.o] when 'stale' then 'late' else 'duplicate' end,
           case p_verdict[d.o] when 'stale' then 'an answer that came after the sample was asked again'
                               else 'another answer to a sample that has its result' end, d.prompt, d.completion, d.duration
      from unnest(p_lease, p_job, p_cell, p_index, p_generation, p_attempt, p_server, p_completion, p_duration) with ordinality
           d(l, j, c, i, g, a, prompt, completion, duration, o)
     where p_verdict[d.o] is distinct from 'refused'
       and not exists(select 1 from results r where r.job_id = d.j and r.cell = d.c and r.index = d.i
                         and (r.xid = pg_current_xact_id() or (r.worker_id = p_worker and r.generation = d.g and r.attempts = d.a)))
    returning job_id, cell, prompt_tokens, completion_tokens)
  insert into deltas(job_id, cell, status, score, n, calls, prompt_tokens, completion_tokens)
  select job_id, cell, 'attempt', -1, count(*), count(*), coalesce(sum(prompt_tokens), 0), coalesce(sum(completion_tokens), 0)
    from late group by job_id, cell;
$$;

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
  p_worker int, p_lease bigint[], p_job bigint[], p_cell int[], p_index int[], p_generation int[], p_cause text[], p_message text[],
  p_permanent boolean[], p_counts boolean[], p_retry_after double precision[], p_down boolean[], p_sha256 bytea[], p_prompt int[],
  p_cached int[], p_completion int[], p_thought int[], p_duration int[])
returns text[] language plpgsql
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan
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
    v_why := case when not (k.plain or k.held[i]) then queue_refusal(p_lease[i], k.foreign_lease[i], p_job[i], p_cell[i], p_index[i]) end;
    q := null;
    select r.attempts, r.losses, r.generation into q from retries r where r.job_id = p_job[i] and r.cell = p_cell[i] and r.index = p_index[i];
    v_attempts := coalesce(q.attempts, 0) + p_counts[i]::int;
    if v_why is not null then
      v_one := 'refused';
    elsif exists(select 1 from results r where r.job_id = p_job[i] and r.cell = p_cell[i] and r.index = p_index[i]) then
      v_one := 'duplicate'; v_why := 'the sample has its result';
      delete from retries r where r.job_id = p_job[i] and r.cell = p_cell[i] and r.index = p_index[i] and r.generation <= p_generation[i];
    elsif not (k.plain or k.held[i]) or p_generation[i] < coalesce(q.generation, 0) then
      v_one := 'stale'; v_why := 'the lease has run out, or the sample has been asked again since';
    else
      v_one := 'requeued';
      insert into deltas(job_id, cell, worker_id, status, score, n, calls, prompt_tokens, cached_tokens, completion_tokens, thinking_tokens)
      values (p_job[i], p_cell[i], p_worker, 'attempt', -1, 1, 1, coalesce(p_prompt[i], 0), coalesce(p_cached[i], 0), coalesce(p_completion[i], 0),
              coalesce(p_thought[i], 0));
      select x.max_attempts, x.base_seconds, x.max_seconds into j from jobs x where x.id = p_job[i];
      if p_permanent[i] or v_attempts >= j.max_attempts then
        v_one := 'failed';
        perform queue_give_up(p_worker, p_job[i], p_cell[i], p_index[i], p_generation[i], v_attempts + coalesce(q.losses, 0),
                              p_cause[i] || case when p_message[i] <> '' then ': ' || p_message[i] else '' end, p_sha256[i]);
      else
        v_wait := coalesce(p_retry_after[i], random() * least(j.max_seconds, j.base_seconds * 2 ^ least(greatest(v_attempts - 1, 0), 30)));
        insert into retries as r (job_id, cell, index, generation, attempts, losses, reason, next_try)
        values (p_job[i], p_cell[i], p_index[i], p_generation[i], v_attempts, 0, p_cause[i], t + least(v_wait, 3600) * interval '1 second')
        on conflict (job_id, cell, index) do update
           set attempts = excluded.attempts, reason = excluded.reason, next_try = excluded.next_try, lease_id = null;
      end if;
    end if;
    if v_one <> 'refused' then
      insert into attempts(job_id, cell, index, generation, attempt, worker_id, lease_id, kind, message, prompt_tokens, completion_tokens, duration_ms)
      values (p_job[i], p_cell[i], p_index[i], p_generation[i], coalesce(q.attempts, 0) + coalesce(q.losses, 0) + 1, p_worker, p_lease[i],
              case when v_one in ('stale', 'duplicate') then 'late' else p_cause[i] end,
              case when v_one in ('stale', 'duplicate') then p_cause[i] || ': ' else '' end || p_message[i],
              p_prompt[i], p_completion[i], p_duration[i]);
    end if;
    v_verdict := v_verdict || v_one;
    v_reason := v_reason || v_why;
  end loop;
  for v_model, v_why, v_until in
    select m.model_id, max(d.cause || case when d.message <> '' then ': ' || d.message else '' end) filter (where d.down),
           max(t + least(d.after, 600) * interval '1 second') filter (where d.after is not null)
      from unnest(p_job, v_verdict, p_cause, p_message, p_down, p_retry_after) d(job, verdict, cause, message, down, after)
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
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan
as $$
declare
  k record;
begin
  k := queue_close(p_worker, p_lease, p_job, p_cell, p_index);
  insert into retries as r (job_id, cell, index, generation, reason, next_try)
  select d.j, d.c, d.i, d.g, 'handed back', clock_timestamp()
    from unnest(p_lease, p_job, p_cell, p_index, p_generation) with ordinality d(l, j, c, i, g, o)
   where (k.plain or k.held[d.o]) and not exists(select 1 from results x where x.job_id = d.j and x.cell = d.c and x.index = d.i)
   order by d.j, d.c, d.i
  on conflict (job_id, cell, index) do update set lease_id = null, next_try = excluded.next_try
   where r.generation = excluded.generation;
  perform queue_after('{}', k.emptied, false);
  return array(select case when k.plain or k.held[d.o] then array['returned', null]
                      else array[case when queue_refusal(d.l, k.foreign_lease[d.o], d.j, d.c, d.i) is null then 'stale' else 'refused' end,
                                 coalesce(queue_refusal(d.l, k.foreign_lease[d.o], d.j, d.c, d.i), 'the lease has run out')] end
                 from unnest(p_lease, p_job, p_cell, p_index) with ordinality d(l, j, c, i, o) order by d.o);
end $$;
