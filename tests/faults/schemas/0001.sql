SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET transaction_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
CREATE FUNCTION public.queue_add_cells(p_job bigint, p_cell integer[], p_task text[], p_length integer[], p_variant jsonb[], p_size integer[]) RETURNS void
    LANGUAGE sql
    AS $$
  insert into cells(job_id, cell, task, length, variant, size)
  select p_job, c, task, length, variant, size from unnest(p_cell, p_task, p_length, p_variant, p_size) d(c, task, length, variant, size);
  select queue_add_range(p_job, c, 0, size) from unnest(p_cell, p_size) d(c, size);
$$;
CREATE FUNCTION public.queue_add_range(p_job bigint, p_cell integer, p_from integer, p_to integer) RETURNS void
    LANGUAGE sql
    AS $$
  insert into ranges(job_id, cell, start, stop, next)
  select p_job, p_cell, s, least(s + 1024, p_to), s from generate_series(p_from, p_to - 1, 1024) s
$$;
CREATE FUNCTION public.queue_after(p_models integer[], p_jobs bigint[], p_good boolean) RETURNS void
    LANGUAGE plpgsql
    AS $$
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
CREATE FUNCTION public.queue_after_results(p_worker integer, p_verdict text[], p_lease bigint[], p_job bigint[], p_cell integer[], p_index integer[], p_generation integer[], p_attempt integer[], p_server integer[], p_completion integer[], p_duration integer[]) RETURNS void
    LANGUAGE sql
    AS $$
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
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE public.results (
    job_id bigint NOT NULL,
    cell integer NOT NULL,
    index integer NOT NULL,
    xid xid8 DEFAULT pg_current_xact_id() NOT NULL,
    generation integer NOT NULL,
    attempts smallint NOT NULL,
    worker_id integer,
    prompt_tokens integer,
    server_prompt_tokens integer,
    cached_tokens integer,
    completion_tokens integer,
    thinking_tokens integer,
    ttft_ms integer,
    duration_ms integer,
    score double precision,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    status text NOT NULL,
    finish_reason text,
    prompt_sha256 bytea,
    answer text,
    thinking text,
    error text,
    expected jsonb,
    detail jsonb
);
CREATE FUNCTION public.queue_called(r public.results) RETURNS integer
    LANGUAGE sql IMMUTABLE
    AS $$
  select (r.status <> 'context_overflow' or coalesce(r.duration_ms, 0) > 0)::int $$;
CREATE FUNCTION public.queue_claim(p_worker integer, p_want integer, p_max_leases integer, p_ttl interval, p_avoid integer[]) RETURNS TABLE(o_lease bigint, o_job bigint, o_stamp text, o_cell integer, o_index integer[], o_generation integer[], o_attempt integer[])
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
declare
  t constant timestamptz := clock_timestamp();
  v_labels jsonb;
  v_left int := p_want;
  v_leases int := p_max_leases;
  v_first boolean := true;
  v_model int;
  v_models int[];
  c record;
begin
  perform set_config('synchronous_commit', 'off', true);
  select w.labels into v_labels from workers w where w.id = p_worker and w.state = 'up';
  if not found then
    return;
  end if;
  select coalesce(array_agg(x.id order by x.priority desc, x.id), '{}') into v_models
    from (select m.id, max(j.priority) as priority
            from jobs j join models m on m.id = j.model_id
           where j.state = 'running' and v_labels @> m.labels and m.id <> all(p_avoid)
             and (m.circuit = 'closed' or m.circuit_until <= t) and (m.cooldown_until is null or m.cooldown_until <= t)
             and (exists(select 1 from ranges g where g.job_id = j.id and (g.cell, g.start) >= (j.at_cell, j.at_start) and g.next < g.stop)
                  or exists(select 1 from retries q where q.job_id = j.id and q.lease_id is null and q.next_try <= t))
           group by m.id) x;
  if cardinality(v_models) > 1 then
    v_models := array(
      select m.id from models m where m.id = any(v_models)
       order by (select max(j.priority) from jobs j where j.model_id = m.id and j.state = 'running') desc,
                (select coalesce(sum(l.n), 0) from leases l where l.model_id = m.id and l.id >= m.lease_floor), m.id);
  end if;
  foreach v_model in array v_models loop
    for c in select * from queue_claim_model(p_worker, v_model, v_first, v_left, v_leases, p_ttl) loop
      v_left := v_left - cardinality(c.o_index);
      v_leases := v_leases - 1;
      o_lease := c.o_lease; o_job := c.o_job; o_stamp := c.o_stamp; o_cell := c.o_cell;
      o_index := c.o_index; o_generation := c.o_generation; o_attempt := c.o_attempt;
      return next;
    end loop;
    v_first := false;
    exit when v_left <= 0 or v_leases <= 0;
  end loop;
  -- The ids of leases, though, must never come again. A sequence logs its next 32 values at once; who made it do so
  -- waits for the disk, one claim in thirty or so.
  if v_leases < p_max_leases and (select s.log_cnt from leases_id_seq s) >= 31 - (p_max_leases - v_leases) then
    perform set_config('synchronous_commit', 'on', true);
  end if;
end $$;
CREATE FUNCTION public.queue_claim_job(p_worker integer, p_job bigint, p_model integer, p_want integer, p_max_leases integer, p_ttl interval, p_tokens double precision) RETURNS TABLE(o_lease bigint, o_job bigint, o_stamp text, o_cell integer, o_index integer[], o_generation integer[], o_attempt integer[])
    LANGUAGE plpgsql
    AS $$
declare
  t constant timestamptz := clock_timestamp();
  v_left int := p_want;
  v_leases int := p_max_leases;
  v_tokens double precision := p_tokens;
  v_cell int;
  v_start int;
  v_started timestamptz;
  v_moved boolean := false;
  v_length int;
  v_take int;
  v_max int;
  r record;
begin
  select j.at_cell, j.at_start, j.started_at, j.revision, j.max_attempts into v_cell, v_start, v_started, o_stamp, v_max
    from jobs j where j.id = p_job;
  for r in
    with waiting as (
      select q.cell, q.index, q.generation, q.attempts + q.losses + 1 as attempt, q.next_try,
             q.losses > 0 and q.attempts + q.losses >= v_max as suspect
        from retries q
       where q.job_id = p_job and q.lease_id is null and q.next_try <= t
       order by q.next_try, q.cell, q.index limit v_left for update skip locked),
    due as (
      select * from (select w.*, row_number() over (partition by w.suspect order by w.next_try, w.cell, w.index) as place from waiting w) x
       where not x.suspect or (x.place = 1 and not queue_holds_suspect(p_worker)))
    select d.cell, array_agg(d.index order by d.index) as idx, array_agg(d.generation order by d.index) as gen,
           array_agg(d.attempt order by d.index) as att, count(*)::int as n
      from due d group by d.cell order by d.cell limit v_leases
  loop
    if v_tokens is not null then
      exit when v_tokens <= 0;
      select c.length into v_length from cells c where c.job_id = p_job and c.cell = r.cell;
      v_take := least(r.n, greatest(1, floor(v_tokens / greatest(1, v_length))))::int;
      r.idx := r.idx[:v_take]; r.gen := r.gen[:v_take]; r.att := r.att[:v_take]; r.n := v_take;
      v_tokens := v_tokens - v_take::double precision * v_length;
    end if;
    insert into leases(worker_id, job_id, model_id, cell, fresh, open, n, expires_at)
    values (p_worker, p_job, p_model, r.cell, false, r.idx, r.n, t + p_ttl) returning id into o_lease;
    update retries q set lease_id = o_lease where q.job_id = p_job and q.cell = r.cell and q.index = any(r.idx);
    v_left := v_left - r.n;
    v_leases := v_leases - 1;
    o_job := p_job; o_cell := r.cell; o_index := r.idx; o_generation := r.gen; o_attempt := r.att;
    return next;
  end loop;
  while v_left > 0 and v_leases > 0 and (v_tokens is null or v_tokens > 0) loop
    select g.cell, g.start, g.next, g.stop into r
      from ranges g
     where g.job_id = p_job and (g.cell, g.start) >= (v_cell, v_start) and g.next < g.stop
     order by g.cell, g.start limit 1 for update;
    exit when not found;
    v_take := least(v_left, r.stop - r.next);
    if v_tokens is not null then
      select c.length into v_length from cells c where c.job_id = p_job and c.cell = r.cell;
      v_take := least(v_take, greatest(1, floor(v_tokens / greatest(1, v_length))))::int;
      v_tokens := v_tokens - v_take::double precision * v_length;
    end if;
    o_index := array(select generate_series(r.next, r.next + v_take - 1));
    if r.next + v_take = r.stop then
      delete from ranges g where g.job_id = p_job and g.cell = r.cell and g.start = r.start;
      v_cell := r.cell; v_start := r.start + 1; v_moved := true;
    else
      update ranges g set next = r.next + v_take where g.job_id = p_job and g.cell = r.cell and g.start = r.start;
    end if;
    insert into leases(worker_id, job_id, model_id, cell, fresh, open, n, expires_at)
    values (p_worker, p_job, p_model, r.cell, true, o_index, v_take, t + p_ttl) returning id into o_lease;
    v_left := v_left - v_take;
    v_leases := v_leases - 1;
    o_job := p_job; o_cell := r.cell; o_generation := null; o_attempt := null;
    return next;
  end loop;
  if v_moved or (v_started is null and v_left < p_want) then
    update jobs j set at_cell = v_cell, at_start = v_start, started_at = coalesce(j.started_at, t) where j.id = p_job;
  end if;
end $$;
CREATE FUNCTION public.queue_claim_model(p_worker integer, p_model integer, p_wait boolean, p_want integer, p_max_leases integer, p_ttl interval) RETURNS TABLE(o_lease bigint, o_job bigint, o_stamp text, o_cell integer, o_index integer[], o_generation integer[], o_attempt integer[])
    LANGUAGE plpgsql
    AS $$
declare
  t timestamptz;
  m models;
  room record;
  v_left int;
  v_leases int := p_max_leases;
  v_share int;
  v_busy bigint[];
  v_jobs bigint[];
  v_counts bigint[];
  v_used bigint;
  v_level int;
  v_spent double precision := 0;
  j record;
  c record;
  v_pass int;
  v_tokens double precision;
begin
  if p_wait then
    select * into m from models where id = p_model for update;
  else
    select * into m from models where id = p_model for update skip locked;
  end if;
  if not found then
    return;
  end if;
  t := clock_timestamp();
  select coalesce(array_agg(x.job_id), '{}'), coalesce(array_agg(x.n), '{}'), coalesce(sum(x.n), 0) into v_jobs, v_counts, v_used
    from (select l.job_id, sum(l.n) as n from leases l where l.model_id = p_model and l.id >= m.lease_floor group by l.job_id) x;
  room := queue_room(m, v_used, p_want, t);
  if room.o_room <= 0 then
    return;
  end if;
  v_left := room.o_room;
  v_tokens := room.o_tokens;
  <<jobs>>
  for j in
    select k.priority, array_agg(k.id order by k.busy, k.id) as ids, array_agg(k.cap order by k.busy, k.id) as caps, array_agg(k.busy order by k.busy, k.id) as busies,
           sum(k.busy) as busy, count(*) as n
      from (select x.id, x.priority, x.max_concurrency as cap,
                   coalesce(v_counts[array_position(v_jobs, x.id)], 0) as busy
              from jobs x where x.model_id = p_model and x.state = 'running') k
     group by k.priority order by k.priority desc
  loop
    v_busy := j.busies;
    v_level := ceil((v_left + j.busy) / j.n::numeric);
    for v_pass in 1..2 loop
      for i in 1..cardinality(j.ids) loop
        exit jobs when v_left <= 0 or v_leases <= 0 or v_tokens <= 0;
        v_share := least(v_left, coalesce(j.caps[i] - v_busy[i], v_left), case v_pass when 1 then v_level - v_busy[i] else v_left end);
        continue when v_share <= 0;
        for c in select * from queue_claim_job(p_worker, j.ids[i], p_model, v_share, v_leases, p_ttl, v_tokens) loop
          v_left := v_left - cardinality(c.o_index);
          v_busy[i] := v_busy[i] + cardinality(c.o_index);
          v_leases := v_leases - 1;
          if v_tokens is not null then
            v_tokens := v_tokens - cardinality(c.o_index)::double precision
                        * (select x.length from cells x where x.job_id = c.o_job and x.cell = c.o_cell);
          end if;
          o_lease := c.o_lease; o_job := c.o_job; o_cell := c.o_cell;
          o_stamp := c.o_stamp || '/' || extract(epoch from m.updated_at);
          o_index := c.o_index; o_generation := c.o_generation; o_attempt := c.o_attempt;
          return next;
        end loop;
      end loop;
    end loop;
  end loop;
  v_spent := room.o_room - v_left;
  if v_spent > 0 and m.circuit <> 'closed' then
    update models set circuit = 'half-open', circuit_until = t + p_ttl where id = p_model;
  end if;
  if v_spent > 0 and (room.o_requests is not null or v_tokens is not null) then
    update models set requests_left = coalesce(room.o_requests - v_spent, 0), tokens_left = coalesce(v_tokens, 0), bucket_at = t
     where id = p_model;
  end if;
end $$;
CREATE FUNCTION public.queue_close(p_worker integer, p_lease bigint[], p_job bigint[], p_cell integer[], p_index integer[], OUT plain boolean, OUT held boolean[], OUT fresh boolean[], OUT foreign_lease boolean[], OUT models integer[], OUT emptied bigint[]) RETURNS record
    LANGUAGE plpgsql
    AS $$
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
CREATE FUNCTION public.queue_event(p_job bigint, p_kind text, p_data jsonb) RETURNS void
    LANGUAGE sql
    AS $$
  insert into events(job_id, kind, data) values (p_job, p_kind, p_data)
$$;
CREATE FUNCTION public.queue_exhausted(p_job bigint) RETURNS boolean
    LANGUAGE sql STABLE
    AS $$
  select not exists(select 1 from jobs j join ranges r on r.job_id = j.id and (r.cell, r.start) >= (j.at_cell, j.at_start)
                    where j.id = p_job and r.next < r.stop)
     and not exists(select 1 from leases l where l.job_id = p_job)
     and not exists(select 1 from retries r where r.job_id = p_job)
$$;
CREATE FUNCTION public.queue_extend(p_job bigint, p_grown integer[], p_sizes integer[], p_cell integer[], p_task text[], p_length integer[], p_variant jsonb[], p_size integer[]) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
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
  update cells c set size = d.size from unnest(p_grown, p_sizes) d(cell, size) where c.job_id = p_job and c.cell = d.cell;
  perform queue_add_cells(p_job, p_cell, p_task, p_length, p_variant, p_size);
  v_added := v_added + coalesce((select sum(x) from unnest(p_size) x), 0);
  if v_added > 0 then
    update jobs set at_cell = 0, at_start = 0, revision = revision + 1 where id = p_job;
    perform queue_reopen(p_job);
  end if;
  return v_added;
end $$;
CREATE FUNCTION public.queue_find_stalled() RETURNS TABLE(o_job text, o_reason text)
    LANGUAGE plpgsql
    AS $$
declare
  t constant timestamptz := clock_timestamp();
  r record;
begin
  for r in
    select j.id, j.public_id, j.active_at, f.n, f.oldest, f.length, m.spec
      from jobs j join models m on m.id = j.model_id
      join lateral (select sum(l.n) as n, min(l.granted_at) as oldest, max(c.length) as length
                      from leases l join cells c on c.job_id = l.job_id and c.cell = l.cell where l.job_id = j.id) f on f.n > 0
     where j.state = 'running' and j.stalled is null
  loop
    continue when greatest(r.oldest, r.active_at) >
      t - (coalesce((r.spec #>> '{timeouts,first_byte}')::double precision, 300)
           + coalesce((r.spec #>> '{timeouts,per_1k_tokens}')::double precision, 10) * r.length / 1000) * interval '1 second';
    perform 1 from jobs where id = r.id and state = 'running' and stalled is null for update;
    continue when not found;
    o_job := r.public_id;
    o_reason := format('%s calls are in flight and nothing has come back since %s UTC', r.n,
                       to_char(greatest(r.oldest, r.active_at) at time zone 'UTC', 'HH24:MI:SS'));
    update jobs set stalled = o_reason where id = r.id;
    perform queue_event(r.id, 'stalled', jsonb_build_object('reason', o_reason));
    return next;
  end loop;
end $$;
CREATE FUNCTION public.queue_fold() RETURNS TABLE(o_job bigint, o_public text, o_done bigint)
    LANGUAGE plpgsql
    AS $$
declare
  t constant timestamptz := clock_timestamp();
begin
  if not pg_try_advisory_xact_lock(1785358947, 1) then
    return;
  end if;
  perform 1 from jobs where id in (select d.job_id from deltas d) order by id for update;
  return query
    with d as (
      delete from deltas returning *),
    folded as (
      insert into tallies as a (job_id, cell, status, score, n, calls, prompt_tokens, cached_tokens, completion_tokens, thinking_tokens)
      select d.job_id, d.cell, d.status, d.score, sum(d.n), sum(d.calls), sum(d.prompt_tokens), sum(d.cached_tokens),
             sum(d.completion_tokens), sum(d.thinking_tokens)
        from d group by d.job_id, d.cell, d.status, d.score
      on conflict (job_id, cell, status, score) do update
         set n = a.n + excluded.n, calls = a.calls + excluded.calls, prompt_tokens = a.prompt_tokens + excluded.prompt_tokens,
             cached_tokens = a.cached_tokens + excluded.cached_tokens, completion_tokens = a.completion_tokens + excluded.completion_tokens,
             thinking_tokens = a.thinking_tokens + excluded.thinking_tokens),
    moved as (
      select d.job_id, coalesce(sum(d.n) filter (where d.status <> 'attempt'), 0) as n from d group by d.job_id),
    j as (
      update jobs x set done = x.done + m.n, active_at = t, stalled = null from moved m where x.id = m.job_id
      returning x.id, x.public_id, x.done),
    worked as (
      update workers w set done = w.done + f.n
        from (select d.worker_id, sum(d.n) as n from d where d.n > 0 and d.status <> 'attempt' group by d.worker_id) f
       where w.id = f.worker_id),
    points as (
      insert into progress_points(job_id, at, done)
      select j.id, t, j.done from j
       where not exists(select 1 from progress_points p where p.job_id = j.id and p.at > t - interval '5 seconds')),
    told as (
      insert into events(job_id, kind, data) select j.id, 'progress', jsonb_build_object('done', j.done) from j order by j.id)
    select j.id, j.public_id, j.done from j;
end $$;
CREATE FUNCTION public.queue_give_up(p_worker integer, p_job bigint, p_cell integer, p_index integer, p_generation integer, p_attempts integer, p_error text, p_sha256 bytea) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
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
CREATE FUNCTION public.queue_hand_back(p_worker integer, p_lease bigint[], p_job bigint[], p_cell integer[], p_index integer[], p_generation integer[]) RETURNS text[]
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
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
CREATE FUNCTION public.queue_heartbeat(p_worker integer, p_leases bigint[], p_ttl interval, p_draining boolean, p_models jsonb) RETURNS TABLE(o_lease bigint, o_cancelled text)
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
declare
  t constant timestamptz := clock_timestamp();
begin
  perform set_config('synchronous_commit', 'off', true);
  perform 1 from leases where id = any(p_leases) and worker_id = p_worker order by id for update;
  return query
    with renewed as (
      update leases l set expires_at = t + p_ttl where l.id = any(p_leases) and l.worker_id = p_worker returning l.id, l.job_id)
    select r.id, case when j.state = 'cancelled' then j.public_id end from renewed r join jobs j on j.id = r.job_id;
  update workers set last_seen_at = t, models = p_models,
                     state = case when p_draining or state = 'draining' then 'draining' else 'up' end
   where id = p_worker;
end $$;
CREATE FUNCTION public.queue_holds_suspect(p_worker integer) RETURNS boolean
    LANGUAGE sql
    AS $$
  select exists(select 1 from leases l join jobs j on j.id = l.job_id
                  join retries q on q.job_id = l.job_id and q.cell = l.cell and q.index = any(l.open)
                 where l.worker_id = p_worker and not l.fresh and q.losses > 0 and q.attempts + q.losses >= j.max_attempts)
$$;
CREATE FUNCTION public.queue_lock_key(p_job bigint) RETURNS bigint
    LANGUAGE sql IMMUTABLE
    AS $$
  select (1785358947::bigint << 30) + p_job
$$;
CREATE FUNCTION public.queue_miss_workers(p_after interval) RETURNS SETOF integer
    LANGUAGE sql
    AS $$
  update workers set state = 'gone' where state <> 'gone' and last_seen_at < clock_timestamp() - p_after returning id
$$;
CREATE FUNCTION public.queue_prune() RETURNS void
    LANGUAGE sql
    AS $$
  delete from events where kind = 'progress' and at < clock_timestamp() - interval '1 hour';
  delete from progress_points p using jobs j where j.id = p.job_id and p.at < clock_timestamp() - interval '1 day' and j.state <> 'running';
  delete from idempotency_keys where created_at < clock_timestamp() - interval '7 days';
  delete from probe_orders where created_at < clock_timestamp() - interval '1 day';
$$;
CREATE FUNCTION public.queue_raise_floors() RETURNS integer
    LANGUAGE plpgsql
    AS $$
declare
  v_model int;
  v_old bigint;
  v_floor bigint;
  v_count int := 0;
begin
  for v_model in select id from models order by id loop
    select lease_floor into v_old from models where id = v_model for update skip locked;
    continue when not found;
    select coalesce((select min(id) from leases where model_id = v_model and id >= v_old), (select last_value from leases_id_seq)) into v_floor;
    if v_floor - v_old >= 256 then
      update models set lease_floor = v_floor where id = v_model;
      v_count := v_count + 1;
    end if;
  end loop;
  return v_count;
end $$;
CREATE FUNCTION public.queue_read(r public.results) RETURNS integer
    LANGUAGE sql IMMUTABLE
    AS $$
  select case when r.status <> 'context_overflow' then coalesce(r.server_prompt_tokens, r.prompt_tokens) end $$;
CREATE FUNCTION public.queue_reap(p_limit integer, p_only integer) RETURNS integer
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
declare
  t constant timestamptz := clock_timestamp();
  v_lost int := (p_only is null)::int;
  v_total int := 0;
  v_jobs bigint[] := '{}';
  v_reason text := case when p_only is null then 'lease ran out' else 'handed back' end;
  l record;
begin
  for l in
    select x.*, j.max_attempts from leases x join jobs j on j.id = x.job_id
     where x.expires_at < case when p_only is null then t else 'infinity' end and (p_only is null or x.worker_id = p_only)
     order by x.id limit p_limit for update of x skip locked
  loop
    delete from leases where id = l.id;
    v_jobs := v_jobs || l.job_id;
    with back as (
      insert into retries as r (job_id, cell, index, losses, reason, next_try)
      select l.job_id, l.cell, i, v_lost, v_reason, t from unnest(l.open) i
       where not exists(select 1 from results x where x.job_id = l.job_id and x.cell = l.cell and x.index = i)
       order by i
      on conflict (job_id, cell, index) do update
         set lease_id = null, losses = r.losses + v_lost, reason = v_reason, next_try = t where r.lease_id = l.id
      returning r.index, r.generation, r.attempts, r.losses),
    noted as (
      insert into attempts(job_id, cell, index, generation, attempt, worker_id, lease_id, kind, message)
      select l.job_id, l.cell, b.index, b.generation, b.attempts + b.losses, l.worker_id, l.id, 'expired',
             'the worker did not renew its lease' from back b where v_lost = 1)
    select v_total + count(*) into v_total from back;
    if v_lost = 1 then
      perform queue_give_up(l.worker_id, l.job_id, l.cell, r.index, r.generation, r.attempts + r.losses,
                            format('its workers did not come back %s times: it may be what ends them', r.losses), null)
         from retries r
        where r.job_id = l.job_id and r.cell = l.cell and r.index = any(l.open) and r.lease_id is null
          and r.losses > 0 and r.attempts + r.losses >= l.max_attempts + 2;
    end if;
  end loop;
  perform queue_after('{}', v_jobs, false);
  return v_total;
end $$;
CREATE FUNCTION public.queue_refusal(p_lease bigint, p_foreign boolean, p_job bigint, p_cell integer, p_index integer) RETURNS text
    LANGUAGE sql STABLE
    AS $$
  select case
    when p_foreign then format('lease %s belongs to another worker', p_lease)
    when p_lease > (select last_value + 10000 from leases_id_seq) or p_lease < 1 then format('there is no lease %s', p_lease)
    when not exists(select 1 from cells c where c.job_id = p_job and c.cell = p_cell and p_index >= 0 and p_index < c.size)
    then format('the job has no sample %s of cell %s', p_index, p_cell)
  end
$$;
CREATE FUNCTION public.queue_reopen(p_job bigint) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  update jobs set state = 'running', finished_at = null, stalled = null, active_at = clock_timestamp()
   where id = p_job and state not in ('running', 'paused');
  if found then
    perform queue_event(p_job, 'state', jsonb_build_object('state', 'running'));
  end if;
end $$;
CREATE FUNCTION public.queue_report_failures(p_worker integer, p_lease bigint[], p_job bigint[], p_cell integer[], p_index integer[], p_generation integer[], p_cause text[], p_message text[], p_permanent boolean[], p_counts boolean[], p_retry_after double precision[], p_down boolean[], p_sha256 bytea[], p_prompt integer[], p_cached integer[], p_completion integer[], p_thought integer[], p_duration integer[]) RETURNS text[]
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
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
      -- A sample that could not be built (cause `benchmark`) was no call.
      insert into deltas(job_id, cell, worker_id, status, score, n, calls, prompt_tokens, cached_tokens, completion_tokens, thinking_tokens)
      values (p_job[i], p_cell[i], p_worker, 'attempt', -1, 1, (p_cause[i] <> 'benchmark')::int, coalesce(p_prompt[i], 0), coalesce(p_cached[i], 0), coalesce(p_completion[i], 0),
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
CREATE FUNCTION public.queue_report_results(p_worker integer, p_lease bigint[], p_job bigint[], p_cell integer[], p_index integer[], p_generation integer[], p_attempt integer[], p_status text[], p_score double precision[], p_answer text[], p_thinking text[], p_expected text[], p_sha256 bytea[], p_prompt integer[], p_server integer[], p_cached integer[], p_completion integer[], p_thought integer[], p_finish text[], p_ttft integer[], p_duration integer[], p_error text[], p_detail text[]) RETURNS text[]
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
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
    returning r.job_id, r.cell, r.index, r.status, coalesce(r.score, -1) as score, queue_read(r) as prompt, queue_called(r) as called,
              r.cached_tokens, r.completion_tokens, r.thinking_tokens, xmax <> 0 as replaced),
  t as (
    insert into deltas(job_id, cell, worker_id, status, score, n, calls, prompt_tokens, cached_tokens, completion_tokens, thinking_tokens)
    select i.job_id, i.cell, p_worker, i.status, i.score, count(*), sum(i.called), coalesce(sum(i.prompt), 0), coalesce(sum(i.cached_tokens), 0),
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
CREATE FUNCTION public.queue_requeue(p_job bigint, p_statuses text[], p_cells integer[], p_indices integer[]) RETURNS integer
    LANGUAGE plpgsql
    AS $$
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
    insert into attempts(job_id, cell, index, generation, attempt, worker_id, kind, message, prompt_tokens, completion_tokens, duration_ms, at)
    select job_id, cell, index, generation, attempts, worker_id, 'superseded',
           'was ' || status || coalesce(', score ' || score, '') || coalesce(': ' || error, ''),
           coalesce(server_prompt_tokens, prompt_tokens), completion_tokens, duration_ms, at from gone),
  counted as (
    insert into deltas(job_id, cell, status, score, n)
    select job_id, cell, status, coalesce(score, -1), -count(*) from gone group by job_id, cell, status, coalesce(score, -1)),
  asked as (
    insert into retries as q (job_id, cell, index, generation, reason, next_try)
    select job_id, cell, index, v_generation, 'asked again', t from gone order by cell, index
    on conflict (job_id, cell, index) do update
       set generation = excluded.generation, attempts = 0, losses = 0, reason = excluded.reason, next_try = t, lease_id = null)
  select count(*) into v_count from gone;
  with named as (
    update retries q set attempts = 0, losses = 0, next_try = t
      from unnest(p_cells, p_indices) d(c, i)
     where q.job_id = p_job and q.cell = d.c and q.index = d.i and q.lease_id is null and q.generation < v_generation returning 1)
  select count(*) into v_waiting from named;
  if v_count > 0 then
    update jobs set generation = v_generation where id = p_job;
  end if;
  if v_count + v_waiting > 0 then
    perform queue_reopen(p_job);
  end if;
  return v_count + v_waiting;
end $$;
CREATE TABLE public.models (
    id integer NOT NULL,
    name text NOT NULL,
    spec jsonb NOT NULL,
    tokenizer_sha256 text,
    probe jsonb,
    labels jsonb DEFAULT '{}'::jsonb NOT NULL,
    max_concurrency integer DEFAULT 64 NOT NULL,
    requests_per_minute integer,
    tokens_per_minute bigint,
    requests_left double precision DEFAULT 0 NOT NULL,
    tokens_left double precision DEFAULT 0 NOT NULL,
    bucket_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    circuit text DEFAULT 'closed'::text NOT NULL,
    circuit_reason text,
    circuit_until timestamp with time zone,
    circuit_trips integer DEFAULT 0 NOT NULL,
    cooldown_until timestamp with time zone,
    lease_floor bigint DEFAULT 0 NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    updated_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT models_circuit_check CHECK ((circuit = ANY (ARRAY['closed'::text, 'open'::text, 'half-open'::text]))),
    CONSTRAINT models_max_concurrency_check CHECK ((max_concurrency > 0))
)
WITH (fillfactor='50');
CREATE FUNCTION public.queue_room(p_model public.models, p_used bigint, p_want integer, t timestamp with time zone, OUT o_room integer, OUT o_requests double precision, OUT o_tokens double precision) RETURNS record
    LANGUAGE plpgsql
    AS $$
declare
  v_seconds double precision;
begin
  o_room := 0;
  if (p_model.circuit <> 'closed' and p_model.circuit_until > t) or p_model.cooldown_until > t then
    return;
  end if;
  o_room := least(p_want, p_model.max_concurrency - p_used);
  if p_model.circuit <> 'closed' then
    o_room := least(o_room, 1);
  end if;
  v_seconds := case when isfinite(p_model.bucket_at) then greatest(0, extract(epoch from t - p_model.bucket_at)) else 10 end;
  if p_model.requests_per_minute is not null then
    o_requests := least(greatest(1, p_model.requests_per_minute / 6.0),
                        p_model.requests_left + v_seconds * p_model.requests_per_minute / 60.0);
    o_room := least(o_room, floor(o_requests)::int);
  end if;
  if p_model.tokens_per_minute is not null then
    o_tokens := least(p_model.tokens_per_minute / 6.0, p_model.tokens_left + v_seconds * p_model.tokens_per_minute / 60.0);
    if o_tokens <= 0 then
      o_room := 0;
    end if;
  end if;
end $$;
CREATE FUNCTION public.queue_settle(p_job bigint) RETURNS text
    LANGUAGE plpgsql
    AS $$
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
CREATE FUNCTION public.queue_settle_all() RETURNS SETOF text
    LANGUAGE plpgsql
    AS $$
declare
  v_id bigint;
  v_public text;
begin
  for v_id, v_public in select id, public_id from jobs where state in ('running', 'paused') order by id loop
    if queue_settle(v_id) is not null then
      return next v_public;
    end if;
  end loop;
end $$;
CREATE FUNCTION public.queue_steer(p_job bigint, p_from text[], p_to text) RETURNS TABLE(o_state text, o_done boolean)
    LANGUAGE plpgsql
    AS $$
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
CREATE FUNCTION public.queue_store_plain(p_worker integer, p_job bigint[], p_cell integer[], p_index integer[], p_generation integer[], p_attempt integer[], p_status text[], p_score double precision[], p_answer text[], p_thinking text[], p_expected text[], p_sha256 bytea[], p_prompt integer[], p_server integer[], p_cached integer[], p_completion integer[], p_thought integer[], p_finish text[], p_ttft integer[], p_duration integer[], p_error text[], p_detail text[]) RETURNS integer
    LANGUAGE plpgsql
    AS $$
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
    returning r.job_id, r.cell, r.status, coalesce(r.score, -1) as score, queue_read(r) as prompt, queue_called(r) as called,
              r.cached_tokens, r.completion_tokens, r.thinking_tokens),
  t as (
    insert into deltas(job_id, cell, worker_id, status, score, n, calls, prompt_tokens, cached_tokens, completion_tokens, thinking_tokens)
    select i.job_id, i.cell, p_worker, i.status, i.score, count(*), sum(i.called), coalesce(sum(i.prompt), 0), coalesce(sum(i.cached_tokens), 0),
           coalesce(sum(i.completion_tokens), 0), coalesce(sum(i.thinking_tokens), 0)
      from i group by i.job_id, i.cell, i.status, i.score)
  select count(*) into v_stored from i;
  return v_stored;
exception when unique_violation then
  return null;
end $$;
CREATE FUNCTION public.queue_trip(p_model integer, p_reason text) RETURNS void
    LANGUAGE sql
    AS $$
  update models
     set circuit = 'open', circuit_reason = left(p_reason, 500), circuit_trips = circuit_trips + 1,
         circuit_until = clock_timestamp() + least(120, 5 * 2 ^ least(circuit_trips, 10)) * interval '1 second'
   where id = p_model and (circuit <> 'open' or circuit_until <= clock_timestamp())
$$;
CREATE TABLE public.alembic_version (
    version_num character varying(32) NOT NULL
);
CREATE TABLE public.assets (
    name text NOT NULL,
    kind text NOT NULL,
    sha256 text NOT NULL,
    size bigint NOT NULL,
    source text DEFAULT ''::text NOT NULL,
    meta jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT assets_kind_check CHECK ((kind = ANY (ARRAY['corpus'::text, 'tokenizer'::text, 'dataset'::text, 'words'::text])))
);
CREATE TABLE public.attempts (
    id bigint NOT NULL,
    job_id bigint NOT NULL,
    cell integer NOT NULL,
    index integer NOT NULL,
    generation integer NOT NULL,
    attempt smallint NOT NULL,
    worker_id integer,
    lease_id bigint,
    kind text NOT NULL,
    message text DEFAULT ''::text NOT NULL,
    prompt_tokens integer,
    completion_tokens integer,
    duration_ms integer,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
ALTER TABLE public.attempts ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.attempts_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.blob_chunks (
    sha256 text NOT NULL,
    number integer NOT NULL,
    data bytea NOT NULL
);
CREATE TABLE public.blobs (
    sha256 text NOT NULL,
    size bigint NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
CREATE TABLE public.cells (
    job_id bigint NOT NULL,
    cell integer NOT NULL,
    task text NOT NULL,
    length integer NOT NULL,
    variant jsonb DEFAULT '{}'::jsonb NOT NULL,
    size integer NOT NULL,
    CONSTRAINT cells_size_check CHECK ((size > 0))
);
CREATE TABLE public.deltas (
    id bigint NOT NULL,
    job_id bigint NOT NULL,
    cell integer NOT NULL,
    worker_id integer,
    status text NOT NULL,
    score double precision NOT NULL,
    n bigint DEFAULT 0 NOT NULL,
    calls bigint DEFAULT 0 NOT NULL,
    prompt_tokens bigint DEFAULT 0 NOT NULL,
    cached_tokens bigint DEFAULT 0 NOT NULL,
    completion_tokens bigint DEFAULT 0 NOT NULL,
    thinking_tokens bigint DEFAULT 0 NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0.0', autovacuum_vacuum_threshold='2000');
ALTER TABLE public.deltas ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.deltas_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.events (
    id bigint NOT NULL,
    job_id bigint NOT NULL,
    kind text NOT NULL,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    data jsonb DEFAULT '{}'::jsonb NOT NULL
);
ALTER TABLE public.events ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.events_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.idempotency_keys (
    scope text NOT NULL,
    key text NOT NULL,
    body_sha256 text NOT NULL,
    status integer NOT NULL,
    reply jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
CREATE TABLE public.jobs (
    id bigint NOT NULL,
    public_id text NOT NULL,
    name text,
    benchmark text NOT NULL,
    benchmark_version text NOT NULL,
    model_id integer NOT NULL,
    model_spec jsonb NOT NULL,
    model_facts jsonb DEFAULT '{}'::jsonb NOT NULL,
    options jsonb NOT NULL,
    run jsonb DEFAULT '{}'::jsonb NOT NULL,
    labels jsonb DEFAULT '{}'::jsonb NOT NULL,
    assets jsonb DEFAULT '{}'::jsonb NOT NULL,
    asset_names jsonb DEFAULT '{}'::jsonb NOT NULL,
    warnings jsonb DEFAULT '[]'::jsonb NOT NULL,
    priority integer DEFAULT 0 NOT NULL,
    max_concurrency integer,
    max_attempts integer DEFAULT 5 NOT NULL,
    base_seconds double precision DEFAULT 1 NOT NULL,
    max_seconds double precision DEFAULT 120 NOT NULL,
    state text DEFAULT 'running'::text NOT NULL,
    stalled text,
    generation integer DEFAULT 0 NOT NULL,
    revision integer DEFAULT 0 NOT NULL,
    at_cell integer DEFAULT 0 NOT NULL,
    at_start integer DEFAULT 0 NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    started_at timestamp with time zone,
    finished_at timestamp with time zone,
    active_at timestamp with time zone,
    done bigint DEFAULT 0 NOT NULL,
    CONSTRAINT jobs_state_check CHECK ((state = ANY (ARRAY['running'::text, 'paused'::text, 'cancelled'::text, 'completed'::text, 'completed_with_errors'::text])))
)
WITH (fillfactor='50');
ALTER TABLE public.jobs ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.jobs_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.leases (
    id bigint NOT NULL,
    worker_id integer NOT NULL,
    job_id bigint NOT NULL,
    model_id integer NOT NULL,
    cell integer NOT NULL,
    fresh boolean NOT NULL,
    open integer[] NOT NULL,
    n integer NOT NULL,
    granted_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    expires_at timestamp with time zone NOT NULL
)
WITH (fillfactor='50', autovacuum_vacuum_scale_factor='0.0', autovacuum_vacuum_threshold='500');
ALTER TABLE public.leases ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.leases_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
ALTER TABLE public.models ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.models_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.probe_orders (
    id bigint NOT NULL,
    model_id integer NOT NULL,
    worker_id integer,
    report jsonb,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    taken_at timestamp with time zone,
    answered_at timestamp with time zone
);
ALTER TABLE public.probe_orders ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.probe_orders_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.progress_points (
    job_id bigint NOT NULL,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    done bigint NOT NULL
);
CREATE TABLE public.ranges (
    job_id bigint NOT NULL,
    cell integer NOT NULL,
    start integer NOT NULL,
    stop integer NOT NULL,
    next integer NOT NULL
)
WITH (fillfactor='50', autovacuum_vacuum_scale_factor='0.1', autovacuum_vacuum_threshold='500');
CREATE TABLE public.retries (
    job_id bigint NOT NULL,
    cell integer NOT NULL,
    index integer NOT NULL,
    generation integer DEFAULT 0 NOT NULL,
    attempts smallint DEFAULT 0 NOT NULL,
    losses smallint DEFAULT 0 NOT NULL,
    reason text NOT NULL,
    next_try timestamp with time zone NOT NULL,
    lease_id bigint
)
WITH (autovacuum_vacuum_scale_factor='0.05', autovacuum_vacuum_threshold='500');
CREATE TABLE public.tallies (
    job_id bigint NOT NULL,
    cell integer NOT NULL,
    status text NOT NULL,
    score double precision NOT NULL,
    n bigint DEFAULT 0 NOT NULL,
    calls bigint DEFAULT 0 NOT NULL,
    prompt_tokens bigint DEFAULT 0 NOT NULL,
    cached_tokens bigint DEFAULT 0 NOT NULL,
    completion_tokens bigint DEFAULT 0 NOT NULL,
    thinking_tokens bigint DEFAULT 0 NOT NULL
)
WITH (fillfactor='70');
CREATE TABLE public.tokens (
    id integer NOT NULL,
    name text NOT NULL,
    sha256 text NOT NULL,
    role text DEFAULT 'admin'::text NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    last_used_at timestamp with time zone,
    revoked_at timestamp with time zone
);
ALTER TABLE public.tokens ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.tokens_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.workers (
    id integer NOT NULL,
    boot uuid NOT NULL,
    name text NOT NULL,
    host text NOT NULL,
    pid integer NOT NULL,
    version text NOT NULL,
    concurrency integer NOT NULL,
    labels jsonb DEFAULT '{}'::jsonb NOT NULL,
    state text DEFAULT 'up'::text NOT NULL,
    models jsonb DEFAULT '{}'::jsonb NOT NULL,
    done bigint DEFAULT 0 NOT NULL,
    registered_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    last_seen_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT workers_state_check CHECK ((state = ANY (ARRAY['up'::text, 'draining'::text, 'gone'::text])))
)
WITH (fillfactor='50');
ALTER TABLE public.workers ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.workers_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
INSERT INTO public.alembic_version VALUES
	('0001');
INSERT INTO public.assets VALUES
	('small-tokenizer', 'tokenizer', '5a3d818fca991dbd2bc455476a99020e2841798fe5d08eb26e6eb3740bec1bd4', 50739, '', '{}', '2026-11-28 04:07:43.71682+00');
INSERT INTO public.attempts OVERRIDING SYSTEM VALUE VALUES
	(1, 1, 0, 2, 0, 1, 1, 1, 'server_error', 'http://127.0.0.1:41711/v1/chat/completions answered 500: boom', NULL, NULL, 306, '2026-11-28 04:07:47.965575+00'),
	(2, 1, 0, 6, 0, 1, 1, 4, 'server_error', 'http://127.0.0.1:41711/v1/chat/completions answered 500: boom', NULL, NULL, 337, '2026-11-28 04:07:53.596129+00');
INSERT INTO public.blob_chunks VALUES
	('5a3d818fca991dbd2bc455476a99020e2841798fe5d08eb26e6eb3740bec1bd4', 0, '\x7b2276657273696f6e223a22312e30222c227472756e636174696f6e223a6e756c6c2c2270616464696e67223a6e756c6c2c2261646465645f746f6b656e73223a5b5d2c226e6f726d616c697a6572223a6e756c6c2c227072655f746f6b656e697a6572223a7b2274797065223a22427974654c6576656c222c226164645f7072656669785f7370616365223a66616c73652c227472696d5f6f666673657473223a747275652c227573655f7265676578223a747275657d2c22706f73745f70726f636573736f72223a6e756c6c2c226465636f646572223a7b2274797065223a22427974654c6576656c222c226164645f7072656669785f7370616365223a747275652c227472696d5f6f666673657473223a747275652c227573655f7265676578223a747275657d2c226d6f64656c223a7b2274797065223a22425045222c2264726f706f7574223a6e756c6c2c22756e6b5f746f6b656e223a6e756c6c2c22636f6e74696e75696e675f737562776f72645f707265666978223a6e756c6c2c22656e645f6f665f776f72645f737566666978223a6e756c6c2c22667573655f756e6b223a66616c73652c22627974655f66616c6c6261636b223a66616c73652c2269676e6f72655f6d6572676573223a66616c73652c22766f636162223a7b2221223a302c225c22223a312c2223223a322c2224223a332c2225223a342c2226223a352c2227223a362c2228223a372c2229223a382c222a223a392c222b223a31302c222c223a31312c222d223a31322c222e223a31332c222f223a31342c2230223a31352c2231223a31362c2232223a31372c2233223a31382c2234223a31392c2235223a32302c2236223a32312c2237223a32322c2238223a32332c2239223a32342c223a223a32352c223b223a32362c223c223a32372c223d223a32382c223e223a32392c223f223a33302c2240223a33312c2241223a33322c2242223a33332c2243223a33342c2244223a33352c2245223a33362c2246223a33372c2247223a33382c2248223a33392c2249223a34302c224a223a34312c224b223a34322c224c223a34332c224d223a34342c224e223a34352c224f223a34362c2250223a34372c2251223a34382c2252223a34392c2253223a35302c2254223a35312c2255223a35322c2256223a35332c2257223a35342c2258223a35352c2259223a35362c225a223a35372c225b223a35382c225c5c223a35392c225d223a36302c225e223a36312c225f223a36322c2260223a36332c2261223a36342c2262223a36352c2263223a36362c2264223a36372c2265223a36382c2266223a36392c2267223a37302c2268223a37312c2269223a37322c226a223a37332c226b223a37342c226c223a37352c226d223a37362c226e223a37372c226f223a37382c2270223a37392c2271223a38302c2272223a38312c2273223a38322c2274223a38332c2275223a38342c2276223a38352c2277223a38362c2278223a38372c2279223a38382c227a223a38392c227b223a39302c227c223a39312c227d223a39322c227e223a39332c22c2a1223a39342c22c2a2223a39352c22c2a3223a39362c22c2a4223a39372c22c2a5223a39382c22c2a6223a39392c22c2a7223a3130302c22c2a8223a3130312c22c2a9223a3130322c22c2aa223a3130332c22c2ab223a3130342c22c2ac223a3130352c22c2ae223a3130362c22c2af223a3130372c22c2b0223a3130382c22c2b1223a3130392c22c2b2223a3131302c22c2b3223a3131312c22c2b4223a3131322c22c2b5223a3131332c22c2b6223a3131342c22c2b7223a3131352c22c2b8223a3131362c22c2b9223a3131372c22c2ba223a3131382c22c2bb223a3131392c22c2bc223a3132302c22c2bd223a3132312c22c2be223a3132322c22c2bf223a3132332c22c380223a3132342c22c381223a3132352c22c382223a3132362c22c383223a3132372c22c384223a3132382c22c385223a3132392c22c386223a3133302c22c387223a3133312c22c388223a3133322c22c389223a3133332c22c38a223a3133342c22c38b223a3133352c22c38c223a3133362c22c38d223a3133372c22c38e223a3133382c22c38f223a3133392c22c390223a3134302c22c391223a3134312c22c392223a3134322c22c393223a3134332c22c394223a3134342c22c395223a3134352c22c396223a3134362c22c397223a3134372c22c398223a3134382c22c399223a3134392c22c39a223a3135302c22c39b223a3135312c22c39c223a3135322c22c39d223a3135332c22c39e223a3135342c22c39f223a3135352c22c3a0223a3135362c22c3a1223a3135372c22c3a2223a3135382c22c3a3223a3135392c22c3a4223a3136302c22c3a5223a3136312c22c3a6223a3136322c22c3a7223a3136332c22c3a8223a3136342c22c3a9223a3136352c22c3aa223a3136362c22c3ab223a3136372c22c3ac223a3136382c22c3ad223a3136392c22c3ae223a3137302c22c3af223a3137312c22c3b0223a3137322c22c3b1223a3137332c22c3b2223a3137342c22c3b3223a3137352c22c3b4223a3137362c22c3b5223a3137372c22c3b6223a3137382c22c3b7223a3137392c22c3b8223a3138302c22c3b9223a3138312c22c3ba223a3138322c22c3bb223a3138332c22c3bc223a3138342c22c3bd223a3138352c22c3be223a3138362c22c3bf223a3138372c22c480223a3138382c22c481223a3138392c22c482223a3139302c22c483223a3139312c22c484223a3139322c22c485223a3139332c22c486223a3139342c22c487223a3139352c22c488223a3139362c22c489223a3139372c22c48a223a3139382c22c48b223a3139392c22c48c223a3230302c22c48d223a3230312c22c48e223a3230322c22c48f223a3230332c22c490223a3230342c22c491223a3230352c22c492223a3230362c22c493223a3230372c22c494223a3230382c22c495223a3230392c22c496223a3231302c22c497223a3231312c22c498223a3231322c22c499223a3231332c22c49a223a3231342c22c49b223a3231352c22c49c223a3231362c22c49d223a3231372c22c49e223a3231382c22c49f223a3231392c22c4a0223a3232302c22c4a1223a3232312c22c4a2223a3232322c22c4a3223a3232332c22c4a4223a3232342c22c4a5223a3232352c22c4a6223a3232362c22c4a7223a3232372c22c4a8223a3232382c22c4a9223a3232392c22c4aa223a3233302c22c4ab223a3233312c22c4ac223a3233322c22c4ad223a3233332c22c4ae223a3233342c22c4af223a3233352c22c4b0223a3233362c22c4b1223a3233372c22c4b2223a3233382c22c4b3223a3233392c22c4b4223a3234302c22c4b5223a3234312c22c4b6223a3234322c22c4b7223a3234332c22c4b8223a3234342c22c4b9223a3234352c22c4ba223a3234362c22c4bb223a3234372c22c4bc223a3234382c22c4bd223a3234392c22c4be223a3235302c22c4bf223a3235312c22c580223a3235322c22c581223a3235332c22c582223a3235342c22c583223a3235352c22c4a0c4a0223a3235362c22c3a2c4b6223a3235372c22c3a2c4b6c4a2223a3235382c22c3a2c4b6c4a2c3a2c4b6c4a2223a3235392c227468223a3236302c22c4a0c4a0c4a0c4a0223a3236312c22c4a061223a3236322c226f72223a3236332c226f6e223a3236342c226572223a3236352c22696e223a3236362c22c4a07468223a3236372c22c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2223a3236382c22656e223a3236392c22c4a073223a3237302c22c4a0c4a0c4a0c4a0c4a0223a3237312c227469223a3237322c226573223a3237332c22c4a0746865223a3237342c22c4a06f223a3237352c226564223a3237362c22c4a0616e223a3237372c226f6d223a3237382c22c4a063223a3237392c22c4a066223a3238302c22c4a074223a3238312c22c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2223a3238322c226963223a3238332c22c4a077223a3238342c226973223a3238352c22c4a06d223a3238362c2274696f6e223a3238372c227265223a3238382c226174223a3238392c226f75223a3239302c22696e67223a3239312c22616c223a3239322c22c4a06f66223a3239332c22616e223a3239342c22c4a0696e223a3239352c22c4a0616e64223a3239362c226f726b223a3239372c22c4a06f72223a3239382c226c65223a3239392c227269223a3330302c227365223a3330312c22c4a070223a3330322c226974223a3330332c22c4a062223a3330342c22c4a06e223a3330352c226368223a3330362c22617468223a3330372c22c4a0746f223a3330382c226174686f6d223a3330392c226465223a3331302c226172223a3331312c22c4a065223a3331322c22c4a057223a3331332c22c4a06c223a3331342c226963656e223a3331352c22c4a028223a3331362c22c4a064223a3331372c22666174686f6d223a3331382c22656e74223a3331392c22c4a031223a3332302c22c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2223a3332312c22c4a0576f726b223a3332322c226365223a3332332c22c4a04c223a3332342c22c4a060223a3332352c22726962223a3332362c22c4a0666f72223a3332372c2274726962223a3332382c227472696275223a3332392c226060223a3333302c22c4a07265223a3333312c223030223a3333322c227374223a3333332c22616d223a3333342c22c4a072223a3333352c22c4a07c223a3333362c22c4a06f6e223a3333372c22c4a04c6963656e223a3333382c22697468223a3333392c22c4a0c4a0c4a0c4a0c4a0c4a0c4a0c4a0223a3334302c22c4a0616e79223a3334312c22c4a06e6f223a3334322c22596f75223a3334332c226c6c223a3334342c22766572223a3334352c226174696f6e223a3334362c226469223a3334372c22c4a07375223a3334382c226d6f223a3334392c22726f223a3335302c22c4a05c22223a3335312c22c4a0596f75223a3335322c22c4a077697468223a3335332c22c4a06d65223a3335342c22c4a02d223a3335352c22c4a043223a3335362c226173223a3335372c22706c223a3335382c22c4a068223a3335392c22c4a074686174223a3336302c226374223a3336312c22756c223a3336322c22c4a06973223a3336332c22c4a06173223a3336342c22636c223a3336352c226b656e223a3336362c227665223a3336372c22c4a0c4a0c4a0c4a0c4a0c4a0c4a0c4a0c4a0223a3336382c22c4a0636f6e223a3336392c22616c6c223a3337302c22c4a04c6963656e7365223a3337312c22c4a075223a3337322c22c4a06974223a3337332c22c4a06279223a3337342c226179223a3337352c226f63223a3337362c22696c223a3337372c22c4a07368223a3337382c22c4a0776f726b223a3337392c226162223a3338302c226f77223a3338312c227473223a3338322c22c4a07374223a3338332c2264656c223a3338342c22c4a06d65616e223a3338352c22636c75223a3338362c226768223a3338372c226964223a3338382c22696d223a3338392c226f70223a3339302c22c4a044223a3339312c22c4a0636f6d223a3339322c22c4a07768223a3339332c225c223a223a3339342c22602c223a3339352c22617469223a3339362c226578223a3339372c226976223a3339382c22746564223a3339392c22c4a041223a3430302c226f6e7472696275223a3430312c22c4a06d6f223a3430322c2274696f6e73223a3430332c22c4a02d2d223a3430342c22616368223a3430352c22c3a2c4a2223a3430362c2274686572223a3430372c22606060223a3430382c22c3a2c4a2c2a6223a3430392c226167223a3431302c227479223a3431312c227572223a3431322c22c4a053223a3431332c2265726976223a3431342c22c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2223a3431352c22c4a0436f6e7472696275223a3431362c225449223a3431372c226b65223a3431382c226c79223a3431392c22726f6d223a3432302c227369223a3432312c226f7265223a3432322c22657373223a3432332c22c4a0576f726b73223a3432342c226174697665223a3432352c22657269766174697665223a3432362c226972223a3432372c227474223a3432382c22776e223a3432392c22c4a074686973223a3433302c22c4a06f776e223a3433312c226f7572223a3433322c22c4a073756368223a3433332c22c4a044657269766174697665223a3433342c2264696e67223a3433352c226865223a3433362c2272616e223a3433372c227574223a3433382c22c4a06578223a3433392c22c4a0726573223a3434302c226f7079223a3434312c223237223a3434322c22697a223a3434332c22696c65223a3434342c226a6f223a3434352c226b73223a3434362c226d656e74223a3434372c227074223a3434382c2273696e67223a3434392c22c4a032223a3435302c22c4a0736572223a3435312c22c4a06f74686572223a3435322c2269737472696275223a3435332c22c4a06265223a3435342c22c4a0746f6b656e223a3435352c22c4a0666f726d223a3435362c226c6c6d223a3435372c226d6f6c6c6d223a3435382c22c4a07368616c6c223a3435392c226a6f62223a3436302c222f2f223a3436312c223a2f2f223a3436322c226168223a3436332c226d6172223a3436342c22736564223a3436352c22c4a067223a3436362c22c4a0617265223a3436372c2265726d223a3436382c22c4a0636f7079223a3436392c22c4a0696e636c75223a3437302c2272696768223a3437312c22c4a06e6f74223a3437322c22657874223a3437332c22747470223a3437342c22626d223a3437352c22636f7265223a3437362c22696168223a3437372c226e64223a3437382c226f6b656e223a3437392c227175223a3438302c22736f72223a3438312c227461223a3438322c22746f6b656e223a3438332c22756e223a3438342c22c4a0656e223a3438352c22c4a0c4a0c4a0223a3438362c22c4a06174223a3438372c22657265223a3438382c22c4a07365223a3438392c22617465223a3439302c22c4a070726f223a3439312c22c4a068747470223a3439322c2261626c65223a3439332c2273696e676c65223a3439342c227269676874223a3439352c225c222c223a3439362c224e44223a3439372c22636573223a3439382c22646f63223a3439392c226967223a3530302c226970223a3530312c2270726f223a3530322c22c4a054223a3530332c22c4a06164223a3530342c22c4a06170223a3530352c22c4a073616d223a3530362c22696365223a3530372c2269636174696f6e223a3530382c22c4a06469737472696275223a3530392c22756c6572223a3531302c2273696f6e223a3531312c226f75726365223a3531322c22c4a0726573756c223a3531332c22626d6974223a3531342c22646f6373223a3531352c22313237223a3531362c226170223a3531372c22636f6e223a3531382c226473223a3531392c22746f72223a3532302c22746572223a3532312c2276696365223a3532322c22c4a04f223a3532332c22c4a05b223a3532342c22c4a073636f7265223a3532352c22c4a0666174686f6d223a3532362c22c4a066696c65223a3532372c22c4a06e65223a3532382c22c4a0656c223a3532392c22303030223a3533302c22c4a06e6f7469223a3533312c226d6f64656c223a3533322c22c4a06d6f64656c223a3533332c22c4a0636f70797269676874223a3533342c22292c223a3533352c226c6f6e223a3533362c22706f72223a3533372c2274696e67223a3533382c22766964223a3533392c22c4a033223a3534302c22c4a046223a3534312c22c4a06465223a3534322c22656e67223a3534332c2274697479223a3534342c22c4a066726f6d223a3534352c22c4a06d6179223a3534362c2261746564223a3534372c22c4a0c4a0c4a0c4a0c4a0c4a0c4a0c4a0c4a0c4a0c4a0c4a0c4a0c4a0c4a0c4a0223a3534382c22646966223a3534392c22646974696f6e73223a3535302c22706c6573223a3535312c22c4a0636f6e74223a3535322c22c4a0776f726b6572223a3535332c22c4a0636f6d6d223a3535342c22c4a06d6f646966223a3535352c22697a6572223a3535362c222773223a3535372c224345223a3535382c224e4f223a3535392c226163223a3536302c22656374223a3536312c226d64223a3536322c226e696168223a3536332c226f73223a3536342c22726573223a3536352c227368223a3536362c22c4a079223a3536372c227468696e67223a3536382c22c4a06167223a3536392c22656e6368223a3537302c22c4a07465726d223a3537312c22697479223a3537322c22c4a04c6963656e736f72223a3537332c2276657279223a3537342c22c4a07375626d6974223a3537352c22c4a0636f6e646974696f6e73223a3537362c22c4a0757365223a3537372c22c4a0756e64223a3537382c22696d6974223a3537392c22c4a0436f6e7472696275746f72223a3538302c22656e677468223a3538312c22656e63686d6172223a3538322c22c4a0756e646572223a3538332c222a2a223a3538342c22626a223a3538352c226475223a3538362c226574223a3538372c226966223a3538382c226f7365223a3538392c22706c65223a3539302c22736572223a3539312c22746173223a3539322c22757468223a3539332c22c4a02f223a3539342c22c4a036223a3539352c22c4a047223a3539362c22c4a050223a3539372c22c4a0696d223a3539382c22c4a0c3a2c4a2c2a6223a3539392c22c4a0736d6f6c6c6d223a3630302c22617274223a3630312c22c4a06c6963656e223a3630322c2263657074223a3630332c22c4a0596f7572223a3630342c22c4a077697468696e223a3630352c22c4a0697473223a3630362c22696c697479223a3630372c2261676573223a3630382c22c4a0536f75726365223a3630392c2254494345223a3631302c22c4a06f776e6572223a3631312c22c4a073657276696365223a3631322c22c4a06170706c223a3631332c226170736564223a3631342c22c4a0656c6170736564223a3631352c22c4a06e6f7469636573223a3631362c224e4f54494345223a3631372c22626a656374223a3631382c227574686f72223a3631392c223635223a3632302c22373635223a3632312c2238373635223a3632322c225d2c223a3632332c226164223a3632342c22617265223a3632352c226374696f6e223a3632362c22666572223a3632372c2266696e223a3632382c226778223a3632392c2269656e74223a3633302c226c656e677468223a3633312c226f66223a3633322c226f74223a3633332c22726f75223a3633342c227375223a3633352c22736d6f6c6c6d223a3633362c22757265223a3633372c2276616c223a3633382c22696e65223a3633392c22c4a07468726f75223a3634302c22697365223a3634312c22c4a06d61223a3634322c226174656e74223a3634332c22616e64223a3634342c22c4a0706572223a3634352c22c4a0657461223a3634362c22c4a06c69223a3634372c22c4a06c696d6974223a3634382c22c4a072756c6572223a3634392c22c4a06f6e6c79223a3635302c22617973223a3635312c225c223a5c22223a3635322c2261636865223a3635332c22616765223a3635342c22c4a0436f6e747269627574696f6e223a3635352c22c4a0746f6b656e697a6572223a3635362c22c4a070726f766964223a3635372c22c4a0546865223a3635382c22c4a0726573756c74223a3635392c22c4a07465726d73223a3636302c22c4a07468726f756768223a3636312c222d2d223a3636322c223734223a3636332c224f4e223a3636342c225d28223a3636352c226563223a3636362c226a73223a3636372c226c69656e74223a3636382c2270656e223a3636392c22706f73223a3637302c227261223a3637312c2275616c223a3637322c2277697365223a3637332c227b5c22223a3637342c22c4a030223a3637352c22c4a034223a3637362c22c4a045223a3637372c22c4a049223a3637382c22c4a06b65223a3637392c22c4a0617574686f72223a3638302c226f726d223a3638312c22c4a063616e223a3638322c22c4a0666f223a3638332c22c4a074657874223a3638342c226f7574223a3638352c22616c66223a3638362c22c4a0707572223a3638372c22c4a0706174656e74223a3638382c22c4a06e616d223a3638392c22c4a06576657279223a3639302c22c4a0646f223a3639312c22c4a0726570726f223a3639322c227374616c6c223a3639332c22c4a073686f77223a3639342c226162696c697479223a3639352c22636c7564696e67223a3639362c22c4a04170223a3639372c22c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2223a3639382c2254494f4e223a3639392c22c4a06f7468657277697365223a3730302c22c4a0746f6b656e73223a3730312c22c4a06772616e223a3730322c22c4a0696e636c7564696e67223a3730332c22c4a0656e74697479223a3730342c225c222c5c22223a3730352c22c4a0616464223a3730362c22c4a073616d706c6573223a3730372c2269636174696f6e73223a3730382c226c6f6e67223a3730392c22706f7274223a3731302c22c4a06d6f64696669636174696f6e73223a3731312c2261636b223a3731322c22656e63686d61726b223a3731332c226a736f6e223a3731342c22c4a0726570726f6475223a3731352c222323223a3731362c223032223a3731372c223932223a3731382c223d3d223a3731392c224552223a3732302c22484f223a3732312c2254484f223a3732322c2261696e223a3732332c2261696c223a3732342c2261696d223a3732352c22616b65223a3732362c22626c223a3732372c22626f223a3732382c226363657074223a3732392c22666f726d223a3733302c226775223a3733312c2267616c223a3733322c2268616c66223a3733332c2269616c223a3733342c226b6564223a3733352c226c64223a3733362c226c657373223a3733372c226f79223a3733382c226f6c65223a3733392c2272756c6572223a3734302c227377223a3734312c227465223a3734322c22757374223a3734332c2276656e223a3734342c22c4a042223a3734352c22c4a048223a3734362c22c4a052223a3734372c22c4a06c65223a3734382c22c4a06a6f62223a3734392c22c4a07175223a3735302c22c4a04e4f54494345223a3735312c22c4a0616c6c223a3735322c22696e64223a3735332c22c4a07468657265223a3735342c22c4a074686f7365223a3735352c226f6d65223a3735362c22c4a066696c223a3735372c22c4a0777269223a3735382c22697373696f6e223a3735392c2274696f6e616c223a3736302c2272656374223a3736312c22c4a0696e6469223a3736322c22c4a0696e7374616c6c223a3736332c22c4a0706970223a3736342c22c4a070617274223a3736352c22c4a0627574223a3736362c22617272616e223a3736372c22c4a065616368223a3736382c22c4a064616d223a3736392c22c4a072657175223a3737302c22c4a072756e223a3737312c226c6c6f77223a3737322c226174696f6e73223a3737332c22646974696f6e616c223a3737342c22c4a0776974686f7574223a3737352c22c4a06d656173223a3737362c22c4a0434f223a3737372c22617368223a3737382c22726f6d7074223a3737392c22657373617973223a3738302c22c4a0736572766572223a3738312c22c4a0626568616c66223a3738322c227461696e223a3738332c22746f6b656e73223a3738342c224e4449223a3738352c22c4a064697374726962757465223a3738362c22636f6e74223a3738372c22c4a06e656564223a3738382c22c4a0636f6d6d616e64223a3738392c2273686970223a3739302c22c4a061677265223a3739312c2265746368223a3739322c22c4a0696d706f7274223a3739332c22c4a06c6963656e7365223a3739342c226c656e67746873223a3739352c22c4a070726f7669646564223a3739362c22c4a0666f6c6c6f77223a3739372c22c4a0417061636865223a3739382c2273776572223a3739392c22c4a064616d61676573223a3830302c22292e223a3830312c222f2e223a3830322c223439223a3830332c224152223a3830342c224153223a3830352c22454e223a3830362c224553223a3830372c22496e223a3830382c224c6963656e223a3830392c225055223a3831302c226177223a3831312c22636f72223a3831322c22637572223a3831332c226565223a3831342c22656172223a3831352c226574686572223a3831362c226567616c223a3831372c226665746368223a3831382c22686f6d65223a3831392c22696465223a3832302c226c6f63223a3832312c226d65223a3832322c226d616b65223a3832332c226e74697479223a3832342c226e6f74223a3832352c226e6c657373223a3832362c226f64223a3832372c226f7374223a3832382c22706172223a3832392c227275223a3833302c2272657373223a3833312c22736573223a3833322c22757365223a3833332c22756d656e74223a3833342c227777223a3833352c22776f726b223a3833362c22796e223a3833372c22797468223a3833382c22796f75223a3833392c22c4a023223a3834302c22c4a038223a3834312c22c4a04a223a3834322c22c4a055223a3834332c22c4a06964223a3834342c22c4a02a2a223a3834352c22c4a06966223a3834362c22c4a0c4a0c4a0c4a0c4a0c4a0223a3834372c22c4a0c4a0c4a0c4a0c4a0c4a0c4a0223a3834382c22c4a07468656e223a3834392c22656e7469223a3835302c22c4a07370223a3835312c22c4a07468656972223a3835322c22c4a06f766572223a3835332c22c4a06f7574223a3835342c22c4a06f70656e223a3835352c22c4a06368223a3835362c22c4a0636f75223a3835372c22c4a0637572223a3835382c22696368223a3835392c22c4a06d616368223a3836302c22c4a06d757374223a3836312c2261746368223a3836322c22616e6775223a3836332c22c4a07065726d223a3836342c22c4a06e696168223a3836352c22646578223a3836362c22617264223a3836372c22c4a06c6973223a3836382c22c4a06c6177223a3836392c22c4a06c616e6775223a3837302c22c4a06469223a3837312c22c4a0646573223a3837322c22c4a0646f63223a3837332c22747269627574696f6e223a3837342c22c4a0726567223a3837352c22c4a072656164223a3837362c22616d706c6573223a3837372c22c4a06f6e65223a3837382c22c4a0c4a0c4a0c4a0c4a0c4a0c4a0c4a0c4a0c4a0223a3837392c22c4a06e6f7468696e67223a3838302c22726f6c223a3838312c22706c69223a3838322c22c4a0686f77223a3838332c22c4a068657265223a3838342c22616c6c79223a3838352c22c4a07374617465223a3838362c22c4a0636f6d706c65223a3838372c22c4a077686174223a3838382c22c4a077686574686572223a3838392c22c4a07768696368223a3839302c226b656778223a3839312c2269726564223a3839322c22c4a03230223a3839332c22c4a06174747269627574696f6e223a3839342c2270726f70223a3839352c22c4a06164646974696f6e616c223a3839362c22c4a073616d65223a3839372c22c4a0646973747269627574696f6e223a3839382c22c4a0726573756c7473223a3839392c22c4a04f626a656374223a3930302c226c6f6e65223a3930312c22c4a0646566696e223a3930322c22c4a0796f75223a3930332c22c4a0796f7572223a3930342c22c4a0616761696e223a3930352c227461736b223a3930362c227461736b73223a3930372c22c4a06c696d69746564223a3930382c22706f736573223a3930392c2272616465223a3931302c22c4a0456e74697479223a3931312c22c4a0707572706f736573223a3931322c22c4a073686f7773223a3931332c2254494f4e53223a3931342c22303234223a3931352c22626f617264223a3931362c2276656e76223a3931372c22696e646f77223a3931382c22c4a074686572656f66223a3931392c22c4a066696c6573223a3932302c22c4a077726974696e67223a3932312c22617272616e7479223a3932322c22c4a07265717569726564223a3932332c22c4a0434f4e4449223a3932342c22617368626f617264223a3932352c22636f6e74657874223a3932362c226665746368696e67223a3932372c22776f726b6572223a3932382c227974686f6e223a3932392c22c4a0636f756e223a3933302c22c4a07065726d697373696f6e223a3933312c22c4a0646f63756d656e74223a3933322c22c4a0636f6d706c65746564223a3933332c22c4a0434f4e444954494f4e53223a3933342c22293a223a3933352c22293b223a3933362c222c5c22223a3933372c222cc3a2c4a2c2a6223a3933382c222f3f223a3933392c223035223a3934302c223037223a3934312c223039223a3934322c223133223a3934332c223138223a3934342c22313932223a3934352c223238223a3934362c223536223a3934372c22383037223a3934382c223934223a3934392c22414e223a3935302c224154484f223a3935312c22436c69656e74223a3935322c224554223a3935332c22464154484f223a3935342c224953223a3935352c224b454e223a3935362c224c4d223a3935372c224f42223a3935382c224f4b454e223a3935392c225049223a3936302c225345223a3936312c22544f4b454e223a3936322c22554c223a3936332c226169223a3936342c22617365223a3936352c22617374223a3936362c2261757365223a3936372c2262696e223a3936382c2262656e63686d61726b223a3936392c226379223a3937302c22647269223a3937312c226562223a3937322c22656d223a3937332c226570223a3937342c226575223a3937352c226765223a3937362c22686174223a3937372c22686179223a3937382c226969223a3937392c226974696f6e223a3938302c226b6573223a3938312c226c70223a3938322c226c4c4d223a3938332c226f67223a3938342c226f6465223a3938352c227075223a3938362c227074696f6e73223a3938372c2272756e223a3938382c22737469223a3938392c2273616d706c6573223a3939302c227472223a3939312c2274656e223a3939322c227573223a3939332c2275696c223a3939342c227669223a3939352c22766573223a3939362c227970223a3939372c227979223a3939382c22c4a027223a3939392c22c4a02e223a313030302c22c4a04b223a313030312c22c4a0657373617973223a313030322c22c4a0616c223a313030332c22c4a0616374223a313030342c22c4a0616363657074223a313030352c226f7267223a313030362c226f7279223a313030372c22657263223a313030382c22657272223a313030392c22657261746564223a313031302c22696e616c223a313031312c22696e636c7564696e67223a313031322c22696e646578223a313031332c22656e6365223a313031342c22c4a0736f75726365223a313031352c22657374223a313031362c22656469737472696275223a313031372c22c4a0616e73776572223a313031382c22c4a0636c223a313031392c22c4a0636c69656e74223a313032302c22c4a0636f6465223a313032312c22c4a0666972223a313032322c22c4a06661696c223a313032332c22c4a07472616e223a313032342c22c4a07472616465223a313032352c22696361626c65223a313032362c22c4a0776f72223a313032372c22c4a07761746368223a313032382c22c4a077696e646f77223a313032392c226973746572223a313033302c22c4a06d6f7265223a313033312c22c4a0696e746572223a313033322c22c4a06f726967223a313033332c226c65686179223a313033342c2273657473223a313033352c22c4a070726f6d7074223a313033362c22c4a0626f223a313033372c22c4a062656e63686d61726b223a313033382c22c4a06275696c223a313033392c2263686174223a313034302c2261727473223a313034312c2261726765223a313034322c22c4a06c6c223a313034332c22c4a06c696e65223a313034342c22c4a02860223a313034352c22c4a0646973223a313034362c22c4a03138223a313034372c22c4a0313238223a313034382c22c4a04c6567616c223a313034392c22737461636b223a313035302c2273747275223a313035312c22c4a06f6e6365223a313035322c2276657273696f6e223a313035332c226d6f6c4c4d223a313035342c22706c6f79223a313035352c22c4a0686173223a313035362c22636c61696d223a313035372c22c4a07570223a313035382c22c4a073746f70223a313035392c22c4a06d65616e73223a313036302c22c4a07768657265223a313036312c22c4a077686f6c65223a313036322c226578636c75223a313036332c22c4a0414e44223a313036342c226163686564223a313036352c22c4a05375223a313036362c22c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2223a313036372c22c4a0436f6e747269627574696f6e73223a313036382c22736962223a313036392c2268656c70223a313037302c22c4a06578636c7564696e67223a313037312c226a6f6273223a313037322c22c4a0676f223a313037332c22c4a0696e636c7564223a313037342c22c4a0696e636c756465223a313037352c22746f6b656e697a6572223a313037362c22756e69636174696f6e223a313037372c22c4a0656e6473223a313037382c22c4a07365636f6e223a313037392c22c4a06469737472696275746564223a313038302c22c4a04f46223a313038312c22c4a06e65766572223a313038322c22c4a06e6f74696365223a313038332c226d6f64656c73223a313038342c2276696475616c223a313038352c22c4a0466f72223a313038362c22c4a0466174686f6d223a313038372c22c4a0636f6e74726f6c223a313038382c22c4a0636f6d6d756e69636174696f6e223a313038392c22c4a06d6f64696679223a313039302c22726573756c223a313039312c227368617265223a313039322c22c4a07375626d6974746564223a313039332c22656e63686d61726b73223a313039342c2273657276696365223a313039352c22c4a06170706c696361626c65223a313039362c227572656d656e74223a313039372c22c4a06c696162696c697479223a313039382c22c4a0617574686f7273686970223a313039392c22c4a063616e6e6f74223a313130302c22c4a06e616d65223a313130312c22c4a06e616d6573223a313130322c22c4a0726570726f64756374696f6e223a313130332c22666f726d6174696f6e223a313130342c22c4a0696e646976696475616c223a313130352c22c4a072756e73223a313130362c22c4a06d6561737572656d656e74223a313130372c22c4a0616772656564223a313130382c22c4a0666f6c6c6f77696e67223a313130392c22343933223a313131302c2263757272223a313131312c226c6f63616c223a313131322c22796e63223a313131332c22c4a038313932223a313131342c22c4a04a4f42223a313131352c22c4a0556e6c657373223a313131362c22c4a073706563223a313131372c22c4a06f70656e6169223a313131382c22c4a06d616368696e65223a313131392c22c4a06c616e6775616765223a313132302c22c4a0646972656374223a313132312c22c4a064657363223a313132322c22c4a07265676973746572223a313132332c22c4a0646566696e6974696f6e223a313132342c22c4a07065726d697373696f6e73223a313132352c22c4a0646f63756d656e746174696f6e223a313132362c22303936223a313132372c22313335223a313132382c2238303737223a313132392c22464154484f4d223a313133302c22647269766572223a313133312c22656d73223a313133322c22c4a06669727374223a313133332c22c4a07472616e73223a313133342c226c65686179737461636b223a313133352c22c4a06275696c6473223a313133362c225c225c22223a313133372c225c225d2c223a313133382c222626223a313133392c222d7c223a313134302c222e2a2a223a313134312c223031223a313134322c223131223a313134332c223132223a313134342c223136223a313134352c2231303234223a313134362c223236223a313134372c223438223a313134382c223630223a313134392c223730223a313135302c223735223a313135312c223d5b223a313135322c22417574686f72223a313135332c22436f6e7472696275223a313135342c224576657279223a313135352c22494e223a313135362c224954223a313135372c224973223a313135382c22494e44223a313135392c224954484f223a313136302c224c77223a313136312c224d43223a313136322c224d53223a313136332c224e59223a313136342c224e6f74223a313136352c224f52223a313136362c2252414e223a313136372c22536d6f6c4c4d223a313136382c225450223a313136392c22546865223a313137302c22545450223a313137312c225554223a313137322c22566572223a313137332c22585a223a313137342c22602e223a313137352c22603a223a313137362c2260292c223a313137372c22617269223a313137382c22616374223a313137392c22617665223a313138302c2261636573223a313138312c226279223a313138322c22626572223a313138332c226370223a313138342c22636f6d223a313138352c22636964223a313138362c2263657373223a313138372c22636b6564223a313138382c22656c223a313138392c22656564223a313139302c22656d656e74223a313139312c226576616c223a313139322c226666223a313139332c226672223a313139342c226675223a313139352c22667265223a313139362c22666967223a313139372c22676c223a313139382c22676564223a313139392c2267696e67223a313230302c22676174696f6e223a313230312c2267726573223a313230322c22677075223a313230332c2268696c65223a313230342c226978223a313230352c22696f6e223a313230362c22696573223a313230372c22696c6c223a313230382c22696162696c697479223a313230392c226c6963656e223a313231302c226d6e223a313231312c226d72223a313231322c226d77223a313231332c226d6d6172223a313231342c226e696e67223a313231352c226e616d223a313231362c226e656564223a313231372c226f736564223a313231382c22706f6e223a313231392c22707574223a313232302c2270726573223a313232312c22706574223a313232322c22706f7365223a313232332c2270726f6d7074223a313232342c227072657373223a313232352c22707974686f6e223a313232362c22726f6e223a313232372c2272696e223a313232382c22726163223a313232392c22736b223a313233302c22736f223a313233312c227373223a313233322c2273636f7265223a313233332c227477223a313233342c2274656e74223a313233352c22747574223a313233362c22756d223a313233372c2275626c223a313233382c22766973223a313233392c2276656e74223a313234302c22766f63223a313234312c22766972223a313234322c22776f223a313234332c2277697468223a313234342c2277696465223a313234352c22797374223a313234362c22c4a024223a313234372c22c4a035223a313234382c22c4a039223a313234392c22c4a03d223a313235302c22c4a04d223a313235312c22c4a071223a313235322c22c4a06972223a313235332c22c4a07b5c22223a313235342c22c4a0657272223a313235352c22c4a02626223a313235362c22c4a0566572223a313235372c22c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2223a313235382c2274686f64223a313235392c22c4a06172223a313236302c22c4a0617474223a313236312c22c4a0616c6f6e67223a313236322c22c4a0616c6f6e65223a313236332c226f7274223a313236342c226f726573223a313236352c226f72706f72223a313236362c226f6e65223a313236372c226f6e6365223a313236382c22696e746572223a313236392c22c4a074686972223a313237302c22656e64223a313237312c22656e6379223a313237322c22656e657261746564223a313237332c22c4a07361223a313237342c22c4a0736f66223a313237352c22c4a0736f6c65223a313237362c22c4a073636f72223a313237372c22c4a073797374223a313237382c2274696573223a313237392c227469676174696f6e223a313238302c22c4a06f626c223a313238312c22c4a06f7074696f6e73223a313238322c22656469223a313238332c22c4a063616c6c223a313238342c22c4a0636865223a313238352c22c4a0637574223a313238362c22c4a0636c6f6e65223a313238372c22c4a06361757365223a313238382c22c4a0666c223a313238392c22c4a07461626c65223a313239302c22c4a0747970223a313239312c22c4a074657374223a313239322c2269636c79223a313239332c22c4a077617272616e7479223a313239342c226973696e67223a313239352c22c4a06d616e223a313239362c22c4a06d6172223a313239372c22c4a06d656469223a313239382c2274696f6e616c6c79223a313239392c227265766f63223a313330302c2261746162223a313330312c2261747573223a313330322c226f756e64223a313330332c22616c7479223a313330342c22c4a06f66666572223a313330352c22616e6365223a313330362c22616e64696e67223a313330372c22616e6473223a313330382c22616e73776572223a313330392c22c4a0696e6465223a313331302c22c4a0696e636f72223a313331312c22c4a0696e74656e223a313331322c22c4a0696e666f726d6174696f6e223a313331332c22c4a0696e6672223a313331342c226c656374223a313331352c2273657175223a313331362c22c4a0707265223a313331372c22c4a070757265223a313331382c22c4a07061636b223a313331392c22c4a07075626c223a313332302c2269746f7279223a313332312c22c4a062656e63686d61726b73223a313332322c22c4a062726163223a313332332c22c4a06e6f6e223a313332342c22c4a06e7669223a313332352c22636861726765223a313332362c226465706c6f79223a313332372c22617279223a313332382c22c4a065697468223a313332392c22c4a06576656e74223a313333302c22c4a0656c656374223a313333312c22c4a0574152223a313333322c22c4a057617272616e7479223a313333332c22c4a0574954484f223a313333342c22c4a05768696c65223a313333352c22c4a06c6f73223a313333362c22c4a06c656e677468223a313333372c22c4a06c6f67223a313333382c22c4a064617368626f617264223a313333392c22c4a03133223a313334302c22c4a031303234223a313334312c2263656c223a313334322c2263656c6c223a313334332c22c4a04c696162696c697479223a313334342c22c4a0605b223a313334352c22c4a072656173223a313334362c22c4a07265666572223a313334372c22c4a07265706f73223a313334382c22c4a0726570726573223a313334392c2273746172223a313335302c22737461747573223a313335312c227374616e64696e67223a313335322c22616d61223a313335332c22616d73223a313335342c22616d706c65223a313335352c22c4a0726f79223a313335362c22c4a072656469737472696275223a313335372c22c4a0c4a0c4a0c4a0c4a0c4a0c4a0c4a0c4a0c4a0c4a0223a313335382c22c4a06e6f746564223a313335392c22646961223a313336302c22c4a0737570223a313336312c22c4a073756d6d6172223a313336322c22726f7373223a313336332c22c4a06d6574686f64223a313336342c22c4a0436f7079223a313336352c22c4a0435055223a313336362c2261736b73223a313336372c22706c6179223a313336382c22c4a06865223a313336392c22c4a068617665223a313337302c22c4a061736b223a313337312c22c4a061736b6564223a313337322c22c4a0617373657473223a313337332c22636c6f736564223a313337342c22c4a0636f6e73223a313337352c22c4a0756e223a313337362c22c4a0776f726b73223a313337372c22c4a0737461746564223a313337382c22c4a07374617274223a313337392c22c4a0737461727473223a313338302c226f7074696f6e73223a313338312c22c4a0636f6d65223a313338322c22c4a0636f6d706c69223a313338332c22c4a077686f6d223a313338342c22c4a0415049223a313338352c22c4a0414e59223a313338362c22c4a0536565223a313338372c22c4a053796e63223a313338382c2254494553223a313338392c226b657473223a313339302c2273697665223a313339312c2268656164223a313339322c2272616e74223a313339332c22c4a0657863657074223a313339342c22c4a06578657263223a313339352c22c4a065787072657373223a313339362c22c4a0726573706f6e223a313339372c22697a6564223a313339382c22697a6174696f6e223a313339392c22c4a06265656e223a313430302c226d61726b73223a313430312c22c4a067656e657261746564223a313430322c22c4a0696e636c7573696f6e223a313430332c22756e6374696f6e223a313430342c22c4a0656e636c6f736564223a313430352c22c4a073656564223a313430362c22c4a073656c6c223a313430372c22c4a07365706172223a313430382c22c4a070726f67223a313430392c2269676174696f6e73223a313431302c22c4a0544552223a313431312c22c4a0617070726f70223a313431322c22c4a073616d706c65223a313431332c22617061636865223a313431342c22636f6e63757272223a313431352c22c4a04f52223a313431362c22c4a05b5c22223a313431372c22c4a06e65676c223a313431382c22c4a0656c7365223a313431392c22c4a06d6f64656c73223a313432302c22706f7261746564223a313432312c22c4a03330223a313432322c22c4a03332223a313432332c22c4a0464f52223a313432342c22c4a064656d6f223a313432352c22c4a0c4a0c4a0c4a0c4a0c4a0c4a0c4a0c4a0c4a0c4a0c4a0c4a0c4a0c4a0c4a0c4a0c4a0223a313432362c22c4a0636f6e74656e74223a313432372c22c4a0636f6e74657874223a313432382c22c4a0636f6e747261223a313432392c22c4a0776f726b657273223a313433302c2272657374223a313433312c22736572766572223a313433322c22c4a0475055223a313433332c22c4a0474554223a313433342c22c4a04772616e74223a313433352c22c4a0507974686f6e223a313433362c22c4a0696d706c69223a313433372c22c4a06f776e657273686970223a313433382c22c4a06170706c79223a313433392c22c4a06170706c69636174696f6e223a313434302c227375626d6974223a313434312c2276616c75223a313434322c22c4a06d616465223a313434332c22c4a06d616b6573223a313434342c22c4a070657263223a313434352c22c4a07065727461696e223a313434362c22c4a0706572706574223a313434372c22c4a06c697469676174696f6e223a313434382c22c4a070726f7669646573223a313434392c222d2d2d7c223a313435302c22c4a034303936223a313435312c22c4a04953223a313435322c22c4a04966223a313435332c22c4a06b657074223a313435342c22c4a06b656778223a313435352c22c4a06b656570223a313435362c22c4a0617574686f72697a6564223a313435372c22c4a063616e63656c223a313435382c22c4a0707572706f7365223a313435392c22c4a065766572797468696e67223a313436302c22c4a0646f6573223a313436312c22c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2223a313436322c22c4a06772616e7473223a313436332c22c4a06772616e746564223a313436342c22c4a0726570726f64756365223a313436352c2261696d73223a313436362c226c6477696465223a313436372c22c4a0424153223a313436382c22c4a042656172223a313436392c22c4a04875223a313437302c22c4a0486f77223a313437312c22c4a052554c223a313437322c22c4a06c65617374223a313437332c22c4a06a6f6273223a313437342c22c4a071756573223a313437352c22c4a071756575223a313437362c22c4a0696e646972656374223a313437372c22c4a06d6561737572223a313437382c22c4a06e65656473223a313437392c22c4a06e6565646c65686179737461636b223a313438302c22496e73747275223a313438312c224c6963656e7365223a313438322c226d65616e223a313438332c226f737467726573223a313438342c227061727479223a313438352c22777777223a313438362c22c4a06964656e7469223a313438372c22c4a06375726c223a313438382c22c4a0637572736f72223a313438392c22c4a06c697374223a313439302c22c4a06c69737473223a313439312c22c4a0686572656279223a313439322c22c4a032303438223a313439332c2270726f7073223a313439342c22c4a0616761696e7374223a313439352c22776f726b657273223a313439362c22c4a0636f756e74223a313439372c22303534223a313439382c2235363735223a313439392c2239343031223a313530302c22656263223a313530312c22737469747574223a313530322c2274726c223a313530332c22c4a04b494e44223a313530342c22c4a0616c736f223a313530352c22c4a0616363657074696e67223a313530362c22c4a0636c61696d73223a313530372c22c4a06661696c6564223a313530382c22c4a0776f726c6477696465223a313530392c22c4a0696e74657276616c223a313531302c22c4a06f726967696e616c223a313531312c22c4a0626f78223a313531322c22c4a06c6c616d61223a313531332c22c4a0646973706c6179223a313531342c22c4a073746f7073223a313531352c226578636c7573697665223a313531362c22c4a05375626a656374223a313531372c22736962696c697479223a313531382c22c4a0696e636c75646564223a313531392c22c4a07365636f6e6473223a313532302c22726573756c7473223a313532312c22c4a06d6561737572656d656e7473223a313532322c22c4a07370656369616c223a313532332c22c4a064657363726962223a313532342c22c4a072656769737465726564223a313532352c2264726976657273223a313532362c22313639343031223a313532372c22417574686f72697a6174696f6e223a313532382c2252414e54494553223a313532392c22585a4c77223a313533302c22637070223a313533312c22636964656e74223a313533322c226675736564223a313533332c2266726565223a313533342c226c6963656e736573223a313533352c226d726d77223a313533362c226e616d65223a313533372c22726f6e6963223a313533382c227477617265223a313533392c22c4a069727265766f63223a313534302c22c4a06572726f72223a313534312c22c4a056657273696f6e223a313534322c226f72706f7261223a313534332c22c4a07468697264223a313534342c22c4a0736f667477617265223a313534352c22c4a073636f726564223a313534362c22c4a073797374656d73223a313534372c22c4a06f626c69676174696f6e73223a313534382c22c4a0636865636b6564223a313534392c22c4a07479706573223a313535302c2261746162617365223a313535312c22c4a0696e64656d6e223a313535322c22c4a0696e636f72706f7261746564223a313535332c22c4a0696e74656e74696f6e616c6c79223a313535342c22c4a0696e6672696e67223a313535352c22c4a07075626c69636c79223a313535362c22c4a0627261636b657473223a313535372c22c4a06e7669646961223a313535382c226465706c6f796d656e74223a313535392c22c4a0656974686572223a313536302c22c4a0656c656374726f6e6963223a313536312c22c4a057415252414e54494553223a313536322c22c4a0574954484f5554223a313536332c22c4a0726561736f6e223a313536342c22c4a07265666572656e6365223a313536352c22c4a07265706f7369746f7279223a313536362c22c4a0726570726573656e74223a313536372c22c4a0726f79616c7479223a313536382c22c4a07265646973747269627574696e67223a313536392c22c4a073756d6d617279223a313537302c22c4a0436f70797269676874223a313537312c22c4a053796e63436c69656e74223a313537322c22c4a05445524d53223a313537332c22c4a0617070726f707269223a313537342c22636f6e63757272656e6379223a313537352c22c4a06e65676c6967223a313537362c22c4a0636f6e7472616374223a313537372c22c4a0696d706c696564223a313537382c22c4a070657270657475616c223a313537392c22c4a04241534953223a313538302c22c4a0426561726572223a313538312c22c4a052554c4552223a313538322c22c4a0717565756564223a313538332c22496e737472756374223a313538342c22c4a06964656e746966223a313538352c22c4a069727265766f6361626c65223a313538362c222129223a313538372c225c2229223a313538382c225c22293b223a313538392c222529223a313539302c222774223a313539312c22285c22223a313539322c222829223a313539332c2229292e223a313539342c222c7b223a313539352c222e5c22223a313539362c222e5b223a313539372c222e2c5c22223a313539382c223137223a313539392c22313030223a313630302c223234223a313630312c223239223a313630322c22323536223a313630332c223330223a313630342c223432223a313630352c2234303936223a313630362c223530223a313630372c22353934223a313630382c22353132223a313630392c2236313639343031223a313631302c22373239223a313631312c223839223a313631322c22383630223a313631332c223939223a313631342c223dc3a2c4a2c2a6223a313631352c223d2d2d223a313631362c224142223a313631372c224149223a313631382c22414f223a313631392c22416e64223a313632302c22414e44223a313632312c22416363657074223a313632322c22415049223a313632332c224255223a313632342c224264223a313632352c224348223a313632362c22436f6e223a313632372c224354494f4e223a313632382c2243554c223a313632392c224374726c223a313633302c22444b223a313633312c224455223a313633322c22446f6e223a313633332c2244657269766174697665223a313633342c22454d223a313633352c224550223a313633362c22454e4449223a313633372c224652223a313633382c224673223a313633392c22466174686f6d223a313634302c224753223a313634312c224755223a313634322c224775223a313634332c22474554223a313634342c2247454d223a313634352c22474673223a313634362c224841223a313634372c2248545450223a313634382c22494c223a313634392c22496a223a313635302c22494345223a313635312c22494255223a313635322c224c45223a313635332c224c6567616c223a313635342c224c494345223a313635352c224d4d223a313635362c224e6f223a313635372c224e4553223a313635382c224e5345223a313635392c224f53223a313636302c224f626a656374223a313636312c224f5345223a313636322c224f4455223a313636332c225050223a313636342c22504f5345223a313636352c225157223a313636362c22524753223a313636372c2252494255223a313636382c22524f4455223a313636392c2252504f5345223a313637302c225348223a313637312c225374223a313637322c225375223a313637332c22536f75726365223a313637342c22536565223a313637352c2253444b223a313637362c22547275223a313637372c2254686174223a313637382c22547970223a313637392c2254776f223a313638302c22544142223a313638312c22544c45223a313638322c225452494255223a313638332c225552504f5345223a313638342c22567a223a313638352c225778223a313638362c22576f726b223a313638372c225851223a313638382c225b5d223a313638392c225b7b5c22223a313639302c225b5c225c22223a313639312c225d27223a313639322c225d60223a313639332c225d5c222c223a313639342c22603b223a313639352c22616365223a313639362c2261756c223a313639372c22616b6573223a313639382c2262616c223a313639392c22626c65223a313730302c22626f7574223a313730312c22627461696e223a313730322c2262617365223a313730332c2262656e63686d61726b73223a313730342c226273657175223a313730352c226369223a313730362c2263696e67223a313730372c22636365223a313730382c22636970223a313730392c22637573223a313731302c22636163686564223a313731312c2263636964656e74223a313731322c22646963223a313731332c22646179223a313731342c2264646974696f6e616c223a313731352c2264617368626f617264223a313731362c2264657272223a313731372c22646f6e65223a313731382c226461746162617365223a313731392c22645778223a313732302c226566223a313732312c226577223a313732322c22656572223a313732332c2265616d223a313732342c22656c6c223a313732352c2265766572223a313732362c2265636573223a313732372c226566696e223a313732382c226674223a313732392c2266616c223a313733302c2266726f6d223a313733312c22666f7265223a313733322c2266696c65223a313733332c2266746572223a313733342c226661696c223a313733352c226661636573223a313733362c22666978223a313733372c2266656e64223a313733382c22676974223a313733392c22676775223a313734302c2267657261746564223a313734312c226767696e67223a313734322c22686564223a313734332c22686973223a313734342c2268747470223a313734352c22686f7374223a313734362c22696f223a313734372c22696572223a313734382c22696564223a313734392c2269616e223a313735302c22697665223a313735312c22696768223a313735322c226974696f6e73223a313735332c226961746564223a313735342c2269626572223a313735352c2269656c223a313735362c226965636573223a313735372c226b696e67223a313735382c226c6174696f6e223a313735392c226c6162223a313736302c226c6f77223a313736312c226c696d6974223a313736322c226c6f74223a313736332c226c6f67223a313736342c226c61636573223a313736352c226c696e746572223a313736362c226d616c6c223a313736372c226d657373223a313736382c226d61696e223a313736392c226d6c657373223a313737302c226d656e64223a313737312c226d616e6473223a313737322c226d567a223a313737332c226e75223a313737342c226e657874223a313737352c226e61746564223a313737362c226f6b223a313737372c226f6c223a313737382c226f6f223a313737392c226f6f6d223a313738302c226f766572223a313738312c226f74686572223a313738322c226f6f7365223a313738332c226f6c64223a313738342c22706963223a313738352c227074696f6e223a313738362c22707265223a313738372c2270696c223a313738382c22707473223a313738392c2270617469223a313739302c2270746564223a313739312c2270726f6d223a313739322c22706970223a313739332c2270656374223a313739342c2270617265223a313739352c2270616765223a313739362c2270656172223a313739372c227072696e223a313739382c22706f737467726573223a313739392c227279223a313830302c22726564223a313830312c22726168223a313830322c2272617465223a313830332c227261636b223a313830342c2272617368223a313830352c22727669223a313830362c2272616d73223a313830372c227376223a313830382c22736f63223a313830392c22736c79223a313831302c227361626c65223a313831312c22746573223a313831322c22746f63223a313831332c227465726d223a313831342c227475616c223a313831352c227461727473223a313831362c22756f75223a313831372c22756c65223a313831382c2275746564223a313831392c2275736572223a313832302c22756d65223a313832312c2275617279223a313832322c22766564223a313832332c2276696e67223a313832342c227661696c223a313832352c2276696465223a313832362c2276617269223a313832372c227778223a313832382c22777269223a313832392c2277696365223a313833302c227761746368223a313833312c2277696e646f77223a313833322c2277686174223a313833332c2277696c6c223a313833342c2279696e67223a313833352c22796f7572223a313833362c227a6572223a313833372c227a656e223a313833382c227c2d2d2d7c223a313833392c227d27223a313834302c227d29223a313834312c227d2c223a313834322c227d5d2c223a313834332c227d7d27223a313834342c22c4a037223a313834352c22c4a03c223a313834362c22c4a05c5c223a313834372c22c4a06564223a313834382c22c4a0766572223a313834392c22c4a064656c223a313835302c22c4a05449223a313835312c22c4a072696768223a313835322c22c4a04e4f223a313835332c22c4a06a736f6e223a313835342c22c4a076656e76223a313835352c22c4a076657273696f6e223a313835362c22c4a04e6f74223a313835372c22c4a0766972223a313835382c22c4a076616c75223a313835392c22c4a07a6572223a313836302c22746865223a313836312c2274686973223a313836322c22c4a061626f223a313836332c22c4a061626f7574223a313836342c22c4a06163636964656e74223a313836352c22c4a06166746572223a313836362c22c4a0617661696c223a313836372c226f726564223a313836382c226f72746564223a313836392c226f7269616c223a313837302c226f726174696f6e73223a313837312c226f6e67223a313837322c226f6e6d656e74223a313837332c226572706c223a313837342c226572736564223a313837352c22696e6b223a313837362c22696e6573223a313837372c22696e6973223a313837382c22696e6174223a313837392c22696e696e67223a313838302c22696e656e74223a313838312c22696e7574223a313838322c22696e617465223a313838332c22696e76616c223a313838342c22c4a07468616e223a313838352c22c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2223a313838362c22656e6f6d223a313838372c22656e657373223a313838382c22656e6475223a313838392c22656e6566223a313839302c22c4a073656e74223a313839312c22c4a0736179223a313839322c22c4a0737368223a313839332c22c4a073617973223a313839342c22c4a0736f6d65223a313839352c22c4a073796e223a313839362c22c4a0736c6f74223a313839372c22c4a0736d616c6c223a313839382c22c4a0736f72746564223a313839392c2274696c223a313930302c2274697665223a313930312c22746974696573223a313930322c2265737473223a313930332c226573696465223a313930342c22c4a07468656d223a313930352c22c4a074686579223a313930362c22c4a07468656f7279223a313930372c22c4a06f6b223a313930382c22c4a06f7572223a313930392c22c4a06f626a656374223a313931302c22c4a06f627461696e223a313931312c22c4a0616e6e6f74223a313931322c22c4a0616e6f74686572223a313931332c226f6d656e74223a313931342c226f6d617279223a313931352c226f6d6d616e6473223a313931362c22c4a06364223a313931372c22c4a0636172223a313931382c22c4a0636f70223a313931392c22c4a063757374223a313932302c22c4a0636f64223a313932312c22c4a0636f726573223a313932322c22c4a063726f7373223a313932332c22c4a0636f72706f7261223a313932342c22c4a063656c6c223a313932352c22c4a06372617368223a313932362c22c4a0637376223a313932372c22c4a0666967223a313932382c22c4a0666966223a313932392c22c4a06665746368223a313933302c22c4a0666565223a313933312c22c4a066617374223a313933322c22c4a0666f756e64223a313933332c22c4a066756e6374696f6e223a313933342c22c4a0666577223a313933352c22c4a06669656c223a313933362c22c4a066696e6973223a313933372c22c4a074616b65223a313933382c22c4a074776f223a313933392c22c4a0746f7274223a313934302c22c4a07461736b73223a313934312c22c4a074616b6573223a313934322c22c4a07465616d223a313934332c22c4a0747261636b223a313934342c22c4a07477696365223a313934352c22c4a07465737473223a313934362c22c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2223a313934372c22c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2223a313934382c22696379223a313934392c226963616c223a313935302c2269636974223a313935312c22696369616c223a313935322c2269636d567a223a313935332c22c4a0776173223a313935342c22c4a077617272616e223a313935352c2269736b73223a313935362c226973636c61696d223a313935372c22697374656e74223a313935382c22c4a06d6167223a313935392c22c4a06d657265223a313936302c22c4a06d6967223a313936312c22c4a06d616c66223a313936322c22c4a06d696e7574223a313936332c22c4a06d6f6d656e74223a313936342c2272656374696f6e223a313936352c227265616d73223a313936362c2272656675736564223a313936372c226174696e67223a313936382c226174656e657373223a313936392c226f756c64223a313937302c22616c7468223a313937312c22616e74223a313937322c22616e79223a313937332c22616e676564223a313937342c22616e75617279223a313937352c22616e6963616c223a313937362c22c4a0696e6162696c697479223a313937372c22c4a0696e646578223a313937382c22c4a0696e63757272223a313937392c22c4a0696e707574223a313938302c22c4a0696e737469747574223a313938312c22c4a0696e636964656e74223a313938322c22c4a0696e646963223a313938332c226c6567696e67223a313938342c2272697074696f6e223a313938352c22736574223a313938362c22c4a0706f77223a313938372c22c4a070726f6d223a313938382c22c4a0706f73223a313938392c22c4a070616765223a313939302c22c4a07061757365223a313939312c22c4a07072696e223a313939322c22c4a0706f7274223a313939332c22c4a0706965636573223a313939342c22c4a0706c61636573223a313939352c226974656d73223a313939362c2269746f7269616c223a313939372c22c4a0626173223a313939382c22c4a062696e64223a313939397d2c226d6572676573223a5b5b22c4a0222c22c4a0225d2c5b22c3a2222c22c4b6225d2c5b22c3a2c4b6222c22c4a2225d2c5b22c3a2c4b6c4a2222c22c3a2c4b6c4a2225d2c5b2274222c2268225d2c5b22c4a0c4a0222c22c4a0c4a0225d2c5b22c4a0222c2261225d2c5b226f222c2272225d2c5b226f222c226e225d2c5b2265222c2272225d2c5b2269222c226e225d2c5b22c4a0222c227468225d2c5b22c3a2c4b6c4a2c3a2c4b6c4a2222c22c3a2c4b6c4a2c3a2c4b6c4a2225d2c5b2265222c226e225d2c5b22c4a0222c2273225d2c5b22c4a0c4a0c4a0c4a0222c22c4a0225d2c5b2274222c2269225d2c5b2265222c2273225d2c5b22c4a07468222c2265225d2c5b22c4a0222c226f225d2c5b2265222c2264225d2c5b22c4a061222c226e225d2c5b226f222c226d225d2c5b22c4a0222c2263225d2c5b22c4a0222c2266225d2c5b22c4a0222c2274225d2c5b22c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2222c22c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2225d2c5b2269222c2263225d2c5b22c4a0222c2277225d2c5b2269222c2273225d2c5b22c4a0222c226d225d2c5b227469222c226f6e225d2c5b2272222c2265225d2c5b2261222c2274225d2c5b226f222c2275225d2c5b22696e222c2267225d2c5b2261222c226c225d2c5b22c4a06f222c2266225d2c5b2261222c226e225d2c5b22c4a0222c22696e225d2c5b22c4a0616e222c2264225d2c5b226f72222c226b225d2c5b22c4a0222c226f72225d2c5b226c222c2265225d2c5b2272222c2269225d2c5b2273222c2265225d2c5b22c4a0222c2270225d2c5b2269222c2274225d2c5b22c4a0222c2262225d2c5b22c4a0222c226e225d2c5b2263222c2268225d2c5b2261222c227468225d2c5b22c4a074222c226f225d2c5b22617468222c226f6d225d2c5b2264222c2265225d2c5b2261222c2272225d2c5b22c4a0222c2265225d2c5b22c4a0222c2257225d2c5b22c4a0222c226c225d2c5b226963222c22656e225d2c5b22c4a0222c2228225d2c5b22c4a0222c2264225d2c5b2266222c226174686f6d225d2c5b22656e222c2274225d2c5b22c4a0222c2231225d2c5b22c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2222c22c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2225d2c5b22c4a057222c226f726b225d2c5b2263222c2265225d2c5b22c4a0222c224c225d2c5b22c4a0222c2260225d2c5b227269222c2262225d2c5b22c4a066222c226f72225d2c5b2274222c22726962225d2c5b2274726962222c2275225d2c5b2260222c2260225d2c5b22c4a0222c227265225d2c5b2230222c2230225d2c5b2273222c2274225d2c5b2261222c226d225d2c5b22c4a0222c2272225d2c5b22c4a0222c227c225d2c5b22c4a0222c226f6e225d2c5b22c4a04c222c226963656e225d2c5b2269222c227468225d2c5b22c4a0c4a0c4a0c4a0222c22c4a0c4a0c4a0c4a0225d2c5b22c4a0616e222c2279225d2c5b22c4a06e222c226f225d2c5b2259222c226f75225d2c5b226c222c226c225d2c5b2276222c226572225d2c5b2261222c2274696f6e225d2c5b2264222c2269225d2c5b22c4a073222c2275225d2c5b226d222c226f225d2c5b2272222c226f225d2c5b22c4a0222c225c22225d2c5b22c4a0222c22596f75225d2c5b22c4a077222c22697468225d2c5b22c4a06d222c2265225d2c5b22c4a0222c222d225d2c5b22c4a0222c2243225d2c5b2261222c2273225d2c5b2270222c226c225d2c5b22c4a0222c2268225d2c5b22c4a07468222c226174225d2c5b2263222c2274225d2c5b2275222c226c225d2c5b22c4a0222c226973225d2c5b22c4a061222c2273225d2c5b2263222c226c225d2c5b226b222c22656e225d2c5b2276222c2265225d2c5b22c4a0c4a0c4a0c4a0222c22c4a0c4a0c4a0c4a0c4a0225d2c5b22c4a063222c226f6e225d2c5b22616c222c226c225d2c5b22c4a04c6963656e222c227365225d2c5b22c4a0222c2275225d2c5b22c4a0222c226974225d2c5b22c4a062222c2279225d2c5b2261222c2279225d2c5b226f222c2263225d2c5b2269222c226c225d2c5b22c4a073222c2268225d2c5b22c4a077222c226f726b225d2c5b2261222c2262225d2c5b226f222c2277225d2c5b2274222c2273225d2c5b22c4a073222c2274225d2c5b226465222c226c225d2c5b22c4a06d65222c22616e225d2c5b22636c222c2275225d2c5b2267222c2268225d2c5b2269222c2264225d2c5b2269222c226d225d2c5b226f222c2270225d2c5b22c4a0222c2244225d2c5b22c4a063222c226f6d225d2c5b22c4a077222c2268225d2c5b225c22222c223a225d2c5b2260222c222c225d2c5b2261222c227469225d2c5b2265222c2278225d2c5b2269222c2276225d2c5b2274222c226564225d2c5b22c4a0222c2241225d2c5b226f6e222c227472696275225d2c5b22c4a06d222c226f225d2c5b2274696f6e222c2273225d2c5b22c4a02d222c222d225d2c5b2261222c226368225d2c5b22c3a2222c22c4a2225d2c5b227468222c226572225d2c5b226060222c2260225d2c5b22c3a2c4a2222c22c2a6225d2c5b2261222c2267225d2c5b2274222c2279225d2c5b2275222c2272225d2c5b22c4a0222c2253225d2c5b226572222c226976225d2c5b22c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2222c22c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2225d2c5b22c4a043222c226f6e7472696275225d2c5b2254222c2249225d2c5b226b222c2265225d2c5b226c222c2279225d2c5b2272222c226f6d225d2c5b2273222c2269225d2c5b226f72222c2265225d2c5b226573222c2273225d2c5b22c4a0576f726b222c2273225d2c5b22617469222c227665225d2c5b2265726976222c226174697665225d2c5b2269222c2272225d2c5b2274222c2274225d2c5b2277222c226e225d2c5b22c4a07468222c226973225d2c5b22c4a06f222c22776e225d2c5b226f75222c2272225d2c5b22c4a07375222c226368225d2c5b22c4a044222c22657269766174697665225d2c5b2264222c22696e67225d2c5b2268222c2265225d2c5b2272222c22616e225d2c5b2275222c2274225d2c5b22c4a065222c2278225d2c5b22c4a072222c226573225d2c5b226f70222c2279225d2c5b2232222c2237225d2c5b2269222c227a225d2c5b2269222c226c65225d2c5b226a222c226f225d2c5b226b222c2273225d2c5b226d222c22656e74225d2c5b2270222c2274225d2c5b2273222c22696e67225d2c5b22c4a0222c2232225d2c5b22c4a073222c226572225d2c5b22c4a06f222c2274686572225d2c5b226973222c227472696275225d2c5b22c4a062222c2265225d2c5b22c4a0746f222c226b656e225d2c5b22c4a0666f72222c226d225d2c5b226c6c222c226d225d2c5b226d6f222c226c6c6d225d2c5b22c4a07368222c22616c6c225d2c5b226a6f222c2262225d2c5b222f222c222f225d2c5b223a222c222f2f225d2c5b2261222c2268225d2c5b226d222c226172225d2c5b2273222c226564225d2c5b22c4a0222c2267225d2c5b22c4a061222c227265225d2c5b226572222c226d225d2c5b22c4a063222c226f7079225d2c5b22c4a0696e222c22636c75225d2c5b227269222c226768225d2c5b22c4a06e6f222c2274225d2c5b226578222c2274225d2c5b227474222c2270225d2c5b2262222c226d225d2c5b2263222c226f7265225d2c5b2269222c226168225d2c5b226e222c2264225d2c5b226f222c226b656e225d2c5b2271222c2275225d2c5b2273222c226f72225d2c5b2274222c2261225d2c5b2274222c226f6b656e225d2c5b2275222c226e225d2c5b22c4a0222c22656e225d2c5b22c4a0c4a0222c22c4a0225d2c5b22c4a061222c2274225d2c5b226572222c2265225d2c5b22c4a073222c2265225d2c5b226174222c2265225d2c5b22c4a070222c22726f225d2c5b22c4a068222c22747470225d2c5b226162222c226c65225d2c5b2273696e67222c226c65225d2c5b2272696768222c2274225d2c5b225c22222c222c225d2c5b224e222c2244225d2c5b2263222c226573225d2c5b2264222c226f63225d2c5b2269222c2267225d2c5b2269222c2270225d2c5b2270222c22726f225d2c5b22c4a0222c2254225d2c5b22c4a061222c2264225d2c5b22c4a061222c2270225d2c5b22c4a073222c22616d225d2c5b226963222c2265225d2c5b226963222c226174696f6e225d2c5b22c4a064222c2269737472696275225d2c5b22756c222c226572225d2c5b227369222c226f6e225d2c5b226f7572222c226365225d2c5b22c4a0726573222c22756c225d2c5b22626d222c226974225d2c5b22646f63222c2273225d2c5b2231222c223237225d2c5b2261222c2270225d2c5b2263222c226f6e225d2c5b2264222c2273225d2c5b2274222c226f72225d2c5b2274222c226572225d2c5b2276222c22696365225d2c5b22c4a0222c224f225d2c5b22c4a0222c225b225d2c5b22c4a073222c22636f7265225d2c5b22c4a066222c226174686f6d225d2c5b22c4a066222c22696c65225d2c5b22c4a06e222c2265225d2c5b22c4a065222c226c225d2c5b223030222c2230225d2c5b22c4a06e6f222c227469225d2c5b226d6f222c2264656c225d2c5b22c4a06d6f222c2264656c225d2c5b22c4a0636f7079222c227269676874225d2c5b2229222c222c225d2c5b226c222c226f6e225d2c5b2270222c226f72225d2c5b2274222c22696e67225d2c5b2276222c226964225d2c5b22c4a0222c2233225d2c5b22c4a0222c2246225d2c5b22c4a0222c226465225d2c5b22656e222c2267225d2c5b227469222c227479225d2c5b22c4a066222c22726f6d225d2c5b22c4a06d222c226179225d2c5b226174222c226564225d2c5b22c4a0c4a0c4a0c4a0c4a0c4a0c4a0c4a0222c22c4a0c4a0c4a0c4a0c4a0c4a0c4a0c4a0225d2c5b226469222c2266225d2c5b226469222c2274696f6e73225d2c5b22706c222c226573225d2c5b22c4a0636f6e222c2274225d2c5b22c4a0776f726b222c226572225d2c5b22c4a0636f6d222c226d225d2c5b22c4a06d6f222c22646966225d2c5b22697a222c226572225d2c5b2227222c2273225d2c5b2243222c2245225d2c5b224e222c224f225d2c5b2261222c2263225d2c5b2265222c226374225d2c5b226d222c2264225d2c5b226e222c22696168225d2c5b226f222c2273225d2c5b2272222c226573225d2c5b2273222c2268225d2c5b22c4a0222c2279225d2c5b227468222c22696e67225d2c5b22c4a061222c2267225d2c5b22656e222c226368225d2c5b22c4a074222c2265726d225d2c5b226974222c2279225d2c5b22c4a04c6963656e222c22736f72225d2c5b22766572222c2279225d2c5b22c4a07375222c22626d6974225d2c5b22c4a0636f6e222c22646974696f6e73225d2c5b22c4a075222c227365225d2c5b22c4a075222c226e64225d2c5b22696d222c226974225d2c5b22c4a0436f6e7472696275222c22746f72225d2c5b22656e67222c227468225d2c5b22656e6368222c226d6172225d2c5b22c4a0756e64222c226572225d2c5b222a222c222a225d2c5b2262222c226a225d2c5b2264222c2275225d2c5b2265222c2274225d2c5b2269222c2266225d2c5b226f222c227365225d2c5b2270222c226c65225d2c5b2273222c226572225d2c5b2274222c226173225d2c5b2275222c227468225d2c5b22c4a0222c222f225d2c5b22c4a0222c2236225d2c5b22c4a0222c2247225d2c5b22c4a0222c2250225d2c5b22c4a0222c22696d225d2c5b22c4a0222c22c3a2c4a2c2a6225d2c5b22c4a073222c226d6f6c6c6d225d2c5b226172222c2274225d2c5b22c4a06c222c226963656e225d2c5b226365222c227074225d2c5b22c4a0596f75222c2272225d2c5b22c4a077697468222c22696e225d2c5b22c4a06974222c2273225d2c5b22696c222c22697479225d2c5b226167222c226573225d2c5b22c4a053222c226f75726365225d2c5b225449222c224345225d2c5b22c4a06f776e222c226572225d2c5b22c4a0736572222c2276696365225d2c5b22c4a06170222c22706c225d2c5b226170222c22736564225d2c5b22c4a0656c222c226170736564225d2c5b22c4a06e6f7469222c22636573225d2c5b224e4f222c2254494345225d2c5b22626a222c22656374225d2c5b22757468222c226f72225d2c5b2236222c2235225d2c5b2237222c223635225d2c5b2238222c22373635225d2c5b225d222c222c225d2c5b2261222c2264225d2c5b2261222c227265225d2c5b2263222c2274696f6e225d2c5b2266222c226572225d2c5b2266222c22696e225d2c5b2267222c2278225d2c5b2269222c22656e74225d2c5b226c222c22656e677468225d2c5b226f222c2266225d2c5b226f222c2274225d2c5b2272222c226f75225d2c5b2273222c2275225d2c5b2273222c226d6f6c6c6d225d2c5b2275222c227265225d2c5b2276222c22616c225d2c5b22696e222c2265225d2c5b22c4a07468222c22726f75225d2c5b226973222c2265225d2c5b22c4a06d222c2261225d2c5b226174222c22656e74225d2c5b22616e222c2264225d2c5b22c4a070222c226572225d2c5b22c4a065222c227461225d2c5b22c4a06c222c2269225d2c5b22c4a06c222c22696d6974225d2c5b22c4a072222c22756c6572225d2c5b22c4a06f6e222c226c79225d2c5b226179222c2273225d2c5b225c223a222c225c22225d2c5b22616368222c2265225d2c5b226167222c2265225d2c5b22c4a0436f6e7472696275222c2274696f6e225d2c5b22c4a0746f6b656e222c22697a6572225d2c5b22c4a070726f222c22766964225d2c5b22c4a054222c226865225d2c5b22c4a0726573756c222c2274225d2c5b22c4a07465726d222c2273225d2c5b22c4a07468726f75222c226768225d2c5b222d222c222d225d2c5b2237222c2234225d2c5b224f222c224e225d2c5b225d222c2228225d2c5b2265222c2263225d2c5b226a222c2273225d2c5b226c222c2269656e74225d2c5b2270222c22656e225d2c5b2270222c226f73225d2c5b2272222c2261225d2c5b2275222c22616c225d2c5b2277222c22697365225d2c5b227b222c225c22225d2c5b22c4a0222c2230225d2c5b22c4a0222c2234225d2c5b22c4a0222c2245225d2c5b22c4a0222c2249225d2c5b22c4a0222c226b65225d2c5b22c4a061222c227574686f72225d2c5b226f72222c226d225d2c5b22c4a063222c22616e225d2c5b22c4a066222c226f225d2c5b22c4a074222c22657874225d2c5b226f75222c2274225d2c5b22616c222c2266225d2c5b22c4a070222c227572225d2c5b22c4a070222c226174656e74225d2c5b22c4a06e222c22616d225d2c5b22c4a065222c2276657279225d2c5b22c4a064222c226f225d2c5b22c4a07265222c2270726f225d2c5b227374222c22616c6c225d2c5b22c4a07368222c226f77225d2c5b226162222c22696c697479225d2c5b22636c75222c2264696e67225d2c5b22c4a041222c2270225d2c5b22c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2222c22c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2225d2c5b225449222c224f4e225d2c5b22c4a06f74686572222c2277697365225d2c5b22c4a0746f6b656e222c2273225d2c5b22c4a067222c2272616e225d2c5b22c4a0696e636c75222c2264696e67225d2c5b22c4a0656e222c2274697479225d2c5b225c222c222c225c22225d2c5b22c4a06164222c2264225d2c5b22c4a073616d222c22706c6573225d2c5b2269636174696f6e222c2273225d2c5b226c6f6e222c2267225d2c5b22706f72222c2274225d2c5b22c4a06d6f646966222c2269636174696f6e73225d2c5b226163222c226b225d2c5b22656e63686d6172222c226b225d2c5b226a73222c226f6e225d2c5b22c4a0726570726f222c226475225d2c5b2223222c2223225d2c5b2230222c2232225d2c5b2239222c2232225d2c5b223d222c223d225d2c5b2245222c2252225d2c5b2248222c224f225d2c5b2254222c22484f225d2c5b2261222c22696e225d2c5b2261222c22696c225d2c5b2261222c22696d225d2c5b2261222c226b65225d2c5b2262222c226c225d2c5b2262222c226f225d2c5b2263222c2263657074225d2c5b2266222c226f726d225d2c5b2267222c2275225d2c5b2267222c22616c225d2c5b2268222c22616c66225d2c5b2269222c22616c225d2c5b226b222c226564225d2c5b226c222c2264225d2c5b226c222c22657373225d2c5b226f222c2279225d2c5b226f222c226c65225d2c5b2272222c22756c6572225d2c5b2273222c2277225d2c5b2274222c2265225d2c5b2275222c227374225d2c5b2276222c22656e225d2c5b22c4a0222c2242225d2c5b22c4a0222c2248225d2c5b22c4a0222c2252225d2c5b22c4a0222c226c65225d2c5b22c4a0222c226a6f62225d2c5b22c4a0222c227175225d2c5b22c4a0222c224e4f54494345225d2c5b22c4a061222c226c6c225d2c5b22696e222c2264225d2c5b22c4a07468222c22657265225d2c5b22c4a07468222c226f7365225d2c5b226f6d222c2265225d2c5b22c4a066222c22696c225d2c5b22c4a077222c227269225d2c5b226973222c2273696f6e225d2c5b2274696f6e222c22616c225d2c5b227265222c226374225d2c5b22c4a0696e222c226469225d2c5b22c4a0696e222c227374616c6c225d2c5b22c4a070222c226970225d2c5b22c4a070222c22617274225d2c5b22c4a062222c227574225d2c5b226172222c2272616e225d2c5b22c4a065222c22616368225d2c5b22c4a064222c22616d225d2c5b22c4a07265222c227175225d2c5b22c4a072222c22756e225d2c5b226c6c222c226f77225d2c5b226174696f6e222c2273225d2c5b226469222c2274696f6e616c225d2c5b22c4a077697468222c226f7574225d2c5b22c4a06d65222c226173225d2c5b22c4a043222c224f225d2c5b226173222c2268225d2c5b22726f6d222c227074225d2c5b22657373222c22617973225d2c5b22c4a0736572222c22766572225d2c5b22c4a06265222c2268616c66225d2c5b227461222c22696e225d2c5b22746f6b656e222c2273225d2c5b224e44222c2249225d2c5b22c4a06469737472696275222c227465225d2c5b22636f6e222c2274225d2c5b22c4a06e65222c226564225d2c5b22c4a0636f6d6d222c22616e64225d2c5b227368222c226970225d2c5b22c4a06167222c227265225d2c5b226574222c226368225d2c5b22c4a0696d222c22706f7274225d2c5b22c4a06c6963656e222c227365225d2c5b226c656e677468222c2273225d2c5b22c4a070726f766964222c226564225d2c5b22c4a0666f222c226c6c6f77225d2c5b22c4a04170222c2261636865225d2c5b227377222c226572225d2c5b22c4a064616d222c2261676573225d2c5b2229222c222e225d2c5b222f222c222e225d2c5b2234222c2239225d2c5b2241222c2252225d2c5b2241222c2253225d2c5b2245222c224e225d2c5b2245222c2253225d2c5b2249222c226e225d2c5b224c222c226963656e225d2c5b2250222c2255225d2c5b2261222c2277225d2c5b2263222c226f72225d2c5b2263222c227572225d2c5b2265222c2265225d2c5b2265222c226172225d2c5b2265222c2274686572225d2c5b2265222c2267616c225d2c5b2266222c2265746368225d2c5b2268222c226f6d65225d2c5b2269222c226465225d2c5b226c222c226f63225d2c5b226d222c2265225d2c5b226d222c22616b65225d2c5b226e222c2274697479225d2c5b226e222c226f74225d2c5b226e222c226c657373225d2c5b226f222c2264225d2c5b226f222c227374225d2c5b2270222c226172225d2c5b2272222c2275225d2c5b2272222c22657373225d2c5b2273222c226573225d2c5b2275222c227365225d2c5b2275222c226d656e74225d2c5b2277222c2277225d2c5b2277222c226f726b225d2c5b2279222c226e225d2c5b2279222c227468225d2c5b2279222c226f75225d2c5b22c4a0222c2223225d2c5b22c4a0222c2238225d2c5b22c4a0222c224a225d2c5b22c4a0222c2255225d2c5b22c4a0222c226964225d2c5b22c4a0222c222a2a225d2c5b22c4a0222c226966225d2c5b22c4a0c4a0c4a0c4a0222c22c4a0c4a0225d2c5b22c4a0c4a0c4a0c4a0222c22c4a0c4a0c4a0225d2c5b22c4a07468222c22656e225d2c5b22656e222c227469225d2c5b22c4a073222c2270225d2c5b22c4a0746865222c226972225d2c5b22c4a06f222c22766572225d2c5b22c4a06f222c227574225d2c5b22c4a06f222c2270656e225d2c5b22c4a063222c2268225d2c5b22c4a063222c226f75225d2c5b22c4a063222c227572225d2c5b226963222c2268225d2c5b22c4a06d222c22616368225d2c5b22c4a06d222c22757374225d2c5b226174222c226368225d2c5b22616e222c226775225d2c5b22c4a070222c2265726d225d2c5b22c4a06e222c22696168225d2c5b226465222c2278225d2c5b226172222c2264225d2c5b22c4a06c222c226973225d2c5b22c4a06c222c226177225d2c5b22c4a06c222c22616e6775225d2c5b22c4a064222c2269225d2c5b22c4a064222c226573225d2c5b22c4a064222c226f63225d2c5b227472696275222c2274696f6e225d2c5b22c4a07265222c2267225d2c5b22c4a07265222c226164225d2c5b22616d222c22706c6573225d2c5b22c4a06f6e222c2265225d2c5b22c4a0c4a0c4a0c4a0c4a0c4a0c4a0c4a0222c22c4a0c4a0225d2c5b22c4a06e6f222c227468696e67225d2c5b22726f222c226c225d2c5b22706c222c2269225d2c5b22c4a068222c226f77225d2c5b22c4a068222c22657265225d2c5b22616c6c222c2279225d2c5b22c4a07374222c22617465225d2c5b22c4a0636f6d222c22706c65225d2c5b22c4a07768222c226174225d2c5b22c4a07768222c226574686572225d2c5b22c4a07768222c22696368225d2c5b226b65222c226778225d2c5b226972222c226564225d2c5b22c4a032222c2230225d2c5b22c4a06174222c22747269627574696f6e225d2c5b2270726f222c2270225d2c5b22c4a06164222c22646974696f6e616c225d2c5b22c4a073616d222c2265225d2c5b22c4a06469737472696275222c2274696f6e225d2c5b22c4a0726573756c222c227473225d2c5b22c4a04f222c22626a656374225d2c5b226c6f6e222c2265225d2c5b22c4a06465222c2266696e225d2c5b22c4a079222c226f75225d2c5b22c4a079222c226f7572225d2c5b22c4a06167222c2261696e225d2c5b22746173222c226b225d2c5b22746173222c226b73225d2c5b22c4a06c696d6974222c226564225d2c5b22706f73222c226573225d2c5b227261222c226465225d2c5b22c4a045222c226e74697479225d2c5b22c4a0707572222c22706f736573225d2c5b22c4a073686f77222c2273225d2c5b2254494f4e222c2253225d2c5b223032222c2234225d2c5b22626f222c22617264225d2c5b2276656e222c2276225d2c5b22696e64222c226f77225d2c5b22c4a07468657265222c226f66225d2c5b22c4a066696c222c226573225d2c5b22c4a0777269222c2274696e67225d2c5b22617272616e222c227479225d2c5b22c4a072657175222c2269726564225d2c5b22c4a0434f222c224e4449225d2c5b22617368222c22626f617264225d2c5b22636f6e74222c22657874225d2c5b226665746368222c22696e67225d2c5b22776f726b222c226572225d2c5b22797468222c226f6e225d2c5b22c4a0636f75222c226e225d2c5b22c4a07065726d222c22697373696f6e225d2c5b22c4a0646f63222c22756d656e74225d2c5b22c4a0636f6d706c65222c22746564225d2c5b22c4a0434f4e4449222c2254494f4e53225d2c5b2229222c223a225d2c5b2229222c223b225d2c5b222c222c225c22225d2c5b222c222c22c3a2c4a2c2a6225d2c5b222f222c223f225d2c5b2230222c2235225d2c5b2230222c2237225d2c5b2230222c2239225d2c5b2231222c2233225d2c5b2231222c2238225d2c5b2231222c223932225d2c5b2232222c2238225d2c5b2235222c2236225d2c5b2238222c223037225d2c5b2239222c2234225d2c5b2241222c224e225d2c5b2241222c2254484f225d2c5b2243222c226c69656e74225d2c5b2245222c2254225d2c5b2246222c224154484f225d2c5b2249222c2253225d2c5b224b222c22454e225d2c5b224c222c224d225d2c5b224f222c2242225d2c5b224f222c224b454e225d2c5b2250222c2249225d2c5b2253222c2245225d2c5b2254222c224f4b454e225d2c5b2255222c224c225d2c5b2261222c2269225d2c5b2261222c227365225d2c5b2261222c227374225d2c5b2261222c22757365225d2c5b2262222c22696e225d2c5b2262222c22656e63686d61726b225d2c5b2263222c2279225d2c5b2264222c227269225d2c5b2265222c2262225d2c5b2265222c226d225d2c5b2265222c2270225d2c5b2265222c2275225d2c5b2267222c2265225d2c5b2268222c226174225d2c5b2268222c226179225d2c5b2269222c2269225d2c5b2269222c2274696f6e225d2c5b226b222c226573225d2c5b226c222c2270225d2c5b226c222c224c4d225d2c5b226f222c2267225d2c5b226f222c226465225d2c5b2270222c2275225d2c5b2270222c2274696f6e73225d2c5b2272222c22756e225d2c5b2273222c227469225d2c5b2273222c22616d706c6573225d2c5b2274222c2272225d2c5b2274222c22656e225d2c5b2275222c2273225d2c5b2275222c22696c225d2c5b2276222c2269225d2c5b2276222c226573225d2c5b2279222c2270225d2c5b2279222c2279225d2c5b22c4a0222c2227225d2c5b22c4a0222c222e225d2c5b22c4a0222c224b225d2c5b22c4a0222c22657373617973225d2c5b22c4a061222c226c225d2c5b22c4a061222c226374225d2c5b22c4a061222c226363657074225d2c5b226f72222c2267225d2c5b226f72222c2279225d2c5b226572222c2263225d2c5b226572222c2272225d2c5b226572222c2261746564225d2c5b22696e222c22616c225d2c5b22696e222c22636c7564696e67225d2c5b22696e222c22646578225d2c5b22656e222c226365225d2c5b22c4a073222c226f75726365225d2c5b226573222c2274225d2c5b226564222c2269737472696275225d2c5b22c4a0616e222c2273776572225d2c5b22c4a063222c226c225d2c5b22c4a063222c226c69656e74225d2c5b22c4a063222c226f6465225d2c5b22c4a066222c226972225d2c5b22c4a066222c2261696c225d2c5b22c4a074222c2272616e225d2c5b22c4a074222c2272616465225d2c5b226963222c2261626c65225d2c5b22c4a077222c226f72225d2c5b22c4a077222c2261746368225d2c5b22c4a077222c22696e646f77225d2c5b226973222c22746572225d2c5b22c4a06d222c226f7265225d2c5b22c4a0696e222c22746572225d2c5b22c4a06f72222c226967225d2c5b226c65222c22686179225d2c5b227365222c227473225d2c5b22c4a070222c22726f6d7074225d2c5b22c4a062222c226f225d2c5b22c4a062222c22656e63686d61726b225d2c5b22c4a062222c2275696c225d2c5b226368222c226174225d2c5b226172222c227473225d2c5b226172222c226765225d2c5b22c4a06c222c226c225d2c5b22c4a06c222c22696e65225d2c5b22c4a028222c2260225d2c5b22c4a064222c226973225d2c5b22c4a031222c2238225d2c5b22c4a031222c223238225d2c5b22c4a04c222c226567616c225d2c5b227374222c2261636b225d2c5b227374222c227275225d2c5b22c4a06f6e222c226365225d2c5b22766572222c2273696f6e225d2c5b226d6f222c226c4c4d225d2c5b22706c222c226f79225d2c5b22c4a068222c226173225d2c5b22636c222c2261696d225d2c5b22c4a075222c2270225d2c5b22c4a07374222c226f70225d2c5b22c4a06d65616e222c2273225d2c5b22c4a07768222c22657265225d2c5b22c4a07768222c226f6c65225d2c5b226578222c22636c75225d2c5b22c4a041222c224e44225d2c5b22616368222c226564225d2c5b22c4a053222c2275225d2c5b22c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2222c22c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2225d2c5b22c4a0436f6e7472696275222c2274696f6e73225d2c5b227369222c2262225d2c5b226865222c226c70225d2c5b22c4a06578222c22636c7564696e67225d2c5b226a6f62222c2273225d2c5b22c4a067222c226f225d2c5b22c4a0696e636c75222c2264225d2c5b22c4a0696e636c75222c226465225d2c5b22746f6b656e222c22697a6572225d2c5b22756e222c2269636174696f6e225d2c5b22c4a0656e222c226473225d2c5b22c4a07365222c22636f6e225d2c5b22c4a06469737472696275222c22746564225d2c5b22c4a04f222c2246225d2c5b22c4a06e65222c22766572225d2c5b22c4a06e6f7469222c226365225d2c5b226d6f64656c222c2273225d2c5b22766964222c2275616c225d2c5b22c4a046222c226f72225d2c5b22c4a046222c226174686f6d225d2c5b22c4a0636f6e74222c22726f6c225d2c5b22c4a0636f6d6d222c22756e69636174696f6e225d2c5b22c4a06d6f646966222c2279225d2c5b22726573222c22756c225d2c5b227368222c22617265225d2c5b22c4a07375626d6974222c22746564225d2c5b22656e63686d6172222c226b73225d2c5b22736572222c2276696365225d2c5b22c4a06170706c222c22696361626c65225d2c5b22757265222c226d656e74225d2c5b22c4a06c69222c226162696c697479225d2c5b22c4a0617574686f72222c2273686970225d2c5b22c4a063616e222c226e6f74225d2c5b22c4a06e616d222c2265225d2c5b22c4a06e616d222c226573225d2c5b22c4a0726570726f6475222c226374696f6e225d2c5b22666f726d222c226174696f6e225d2c5b22c4a0696e6469222c2276696475616c225d2c5b22c4a072756e222c2273225d2c5b22c4a06d656173222c227572656d656e74225d2c5b22c4a061677265222c226564225d2c5b22c4a0666f6c6c6f77222c22696e67225d2c5b223439222c2233225d2c5b22637572222c2272225d2c5b226c6f63222c22616c225d2c5b22796e222c2263225d2c5b22c4a038222c22313932225d2c5b22c4a04a222c224f42225d2c5b22c4a055222c226e6c657373225d2c5b22c4a07370222c226563225d2c5b22c4a06f70656e222c226169225d2c5b22c4a06d616368222c22696e65225d2c5b22c4a06c616e6775222c22616765225d2c5b22c4a06469222c2272656374225d2c5b22c4a0646573222c2263225d2c5b22c4a0726567222c226973746572225d2c5b22c4a0646566696e222c226974696f6e225d2c5b22c4a07065726d697373696f6e222c2273225d2c5b22c4a0646f63756d656e74222c226174696f6e225d2c5b223039222c2236225d2c5b223133222c2235225d2c5b22383037222c2237225d2c5b22464154484f222c224d225d2c5b22647269222c22766572225d2c5b22656d222c2273225d2c5b22c4a0666972222c227374225d2c5b22c4a07472616e222c2273225d2c5b226c65686179222c22737461636b225d2c5b22c4a06275696c222c226473225d2c5b225c22222c225c22225d2c5b225c22222c225d2c225d2c5b2226222c2226225d2c5b222d222c227c225d2c5b222e222c222a2a225d2c5b2230222c2231225d2c5b2231222c2231225d2c5b2231222c2232225d2c5b2231222c2236225d2c5b2231222c22303234225d2c5b2232222c2236225d2c5b2234222c2238225d2c5b2236222c2230225d2c5b2237222c2230225d2c5b2237222c2235225d2c5b223d222c225b225d2c5b2241222c227574686f72225d2c5b2243222c226f6e7472696275225d2c5b2245222c2276657279225d2c5b2249222c224e225d2c5b2249222c2254225d2c5b2249222c2273225d2c5b2249222c224e44225d2c5b2249222c2254484f225d2c5b224c222c2277225d2c5b224d222c2243225d2c5b224d222c2253225d2c5b224e222c2259225d2c5b224e222c226f74225d2c5b224f222c2252225d2c5b2252222c22414e225d2c5b2253222c226d6f6c4c4d225d2c5b2254222c2250225d2c5b2254222c226865225d2c5b2254222c225450225d2c5b2255222c2254225d2c5b2256222c226572225d2c5b2258222c225a225d2c5b2260222c222e225d2c5b2260222c223a225d2c5b2260222c22292c225d2c5b2261222c227269225d2c5b2261222c226374225d2c5b2261222c227665225d2c5b2261222c22636573225d2c5b2262222c2279225d2c5b2262222c226572225d2c5b2263222c2270225d2c5b2263222c226f6d225d2c5b2263222c226964225d2c5b2263222c22657373225d2c5b2263222c226b6564225d2c5b2265222c226c225d2c5b2265222c226564225d2c5b2265222c226d656e74225d2c5b2265222c2276616c225d2c5b2266222c2266225d2c5b2266222c2272225d2c5b2266222c2275225d2c5b2266222c227265225d2c5b2266222c226967225d2c5b2267222c226c225d2c5b2267222c226564225d2c5b2267222c22696e67225d2c5b2267222c226174696f6e225d2c5b2267222c22726573225d2c5b2267222c227075225d2c5b2268222c22696c65225d2c5b2269222c2278225d2c5b2269222c226f6e225d2c5b2269222c226573225d2c5b2269222c226c6c225d2c5b2269222c226162696c697479225d2c5b226c222c226963656e225d2c5b226d222c226e225d2c5b226d222c2272225d2c5b226d222c2277225d2c5b226d222c226d6172225d2c5b226e222c22696e67225d2c5b226e222c22616d225d2c5b226e222c22656564225d2c5b226f222c22736564225d2c5b2270222c226f6e225d2c5b2270222c227574225d2c5b2270222c22726573225d2c5b2270222c226574225d2c5b2270222c226f7365225d2c5b2270222c22726f6d7074225d2c5b2270222c2272657373225d2c5b2270222c227974686f6e225d2c5b2272222c226f6e225d2c5b2272222c22696e225d2c5b2272222c226163225d2c5b2273222c226b225d2c5b2273222c226f225d2c5b2273222c2273225d2c5b2273222c22636f7265225d2c5b2274222c2277225d2c5b2274222c22656e74225d2c5b2274222c227574225d2c5b2275222c226d225d2c5b2275222c22626c225d2c5b2276222c226973225d2c5b2276222c22656e74225d2c5b2276222c226f63225d2c5b2276222c226972225d2c5b2277222c226f225d2c5b2277222c22697468225d2c5b2277222c22696465225d2c5b2279222c227374225d2c5b22c4a0222c2224225d2c5b22c4a0222c2235225d2c5b22c4a0222c2239225d2c5b22c4a0222c223d225d2c5b22c4a0222c224d225d2c5b22c4a0222c2271225d2c5b22c4a0222c226972225d2c5b22c4a0222c227b5c22225d2c5b22c4a0222c22657272225d2c5b22c4a0222c222626225d2c5b22c4a0222c22566572225d2c5b22c3a2c4b6c4a2c3a2c4b6c4a2222c22c3a2c4b6c4a2225d2c5b227468222c226f64225d2c5b22c4a061222c2272225d2c5b22c4a061222c227474225d2c5b22c4a061222c226c6f6e67225d2c5b22c4a061222c226c6f6e65225d2c5b226f72222c2274225d2c5b226f72222c226573225d2c5b226f72222c22706f72225d2c5b226f6e222c2265225d2c5b226f6e222c226365225d2c5b22696e222c22746572225d2c5b22c4a07468222c226972225d2c5b22656e222c2264225d2c5b22656e222c226379225d2c5b22656e222c22657261746564225d2c5b22c4a073222c2261225d2c5b22c4a073222c226f66225d2c5b22c4a073222c226f6c65225d2c5b22c4a073222c22636f72225d2c5b22c4a073222c22797374225d2c5b227469222c226573225d2c5b227469222c22676174696f6e225d2c5b22c4a06f222c22626c225d2c5b22c4a06f222c227074696f6e73225d2c5b226564222c2269225d2c5b22c4a063222c22616c6c225d2c5b22c4a063222c226865225d2c5b22c4a063222c227574225d2c5b22c4a063222c226c6f6e65225d2c5b22c4a063222c2261757365225d2c5b22c4a066222c226c225d2c5b22c4a074222c2261626c65225d2c5b22c4a074222c227970225d2c5b22c4a074222c22657374225d2c5b226963222c226c79225d2c5b22c4a077222c22617272616e7479225d2c5b226973222c22696e67225d2c5b22c4a06d222c22616e225d2c5b22c4a06d222c226172225d2c5b22c4a06d222c22656469225d2c5b2274696f6e222c22616c6c79225d2c5b227265222c22766f63225d2c5b226174222c226162225d2c5b226174222c227573225d2c5b226f75222c226e64225d2c5b22616c222c227479225d2c5b22c4a06f66222c22666572225d2c5b22616e222c226365225d2c5b22616e222c2264696e67225d2c5b22616e222c226473225d2c5b22616e222c2273776572225d2c5b22c4a0696e222c226465225d2c5b22c4a0696e222c22636f72225d2c5b22c4a0696e222c2274656e225d2c5b22c4a0696e222c22666f726d6174696f6e225d2c5b22c4a0696e222c226672225d2c5b226c65222c226374225d2c5b227365222c227175225d2c5b22c4a070222c227265225d2c5b22c4a070222c22757265225d2c5b22c4a070222c2261636b225d2c5b22c4a070222c2275626c225d2c5b226974222c226f7279225d2c5b22c4a062222c22656e63686d61726b73225d2c5b22c4a062222c22726163225d2c5b22c4a06e222c226f6e225d2c5b22c4a06e222c227669225d2c5b226368222c2261726765225d2c5b226465222c22706c6f79225d2c5b226172222c2279225d2c5b22c4a065222c22697468225d2c5b22c4a065222c2276656e74225d2c5b22c4a065222c226c656374225d2c5b22c4a057222c224152225d2c5b22c4a057222c22617272616e7479225d2c5b22c4a057222c224954484f225d2c5b22c4a057222c2268696c65225d2c5b22c4a06c222c226f73225d2c5b22c4a06c222c22656e677468225d2c5b22c4a06c222c226f67225d2c5b22c4a064222c22617368626f617264225d2c5b22c4a031222c2233225d2c5b22c4a031222c22303234225d2c5b226365222c226c225d2c5b226365222c226c6c225d2c5b22c4a04c222c22696162696c697479225d2c5b22c4a060222c225b225d2c5b22c4a07265222c226173225d2c5b22c4a07265222c22666572225d2c5b22c4a07265222c22706f73225d2c5b22c4a07265222c2270726573225d2c5b227374222c226172225d2c5b227374222c2261747573225d2c5b227374222c22616e64696e67225d2c5b22616d222c2261225d2c5b22616d222c2273225d2c5b22616d222c22706c65225d2c5b22c4a072222c226f79225d2c5b22c4a072222c22656469737472696275225d2c5b22c4a0c4a0c4a0c4a0c4a0c4a0c4a0c4a0222c22c4a0c4a0c4a0225d2c5b22c4a06e6f222c22746564225d2c5b226469222c2261225d2c5b22c4a07375222c2270225d2c5b22c4a07375222c226d6d6172225d2c5b22726f222c227373225d2c5b22c4a06d65222c2274686f64225d2c5b22c4a043222c226f7079225d2c5b22c4a043222c225055225d2c5b226173222c226b73225d2c5b22706c222c226179225d2c5b22c4a068222c2265225d2c5b22c4a068222c22617665225d2c5b22c4a06173222c226b225d2c5b22c4a06173222c226b6564225d2c5b22c4a06173222c2273657473225d2c5b22636c222c226f736564225d2c5b22c4a0636f6e222c2273225d2c5b22c4a075222c226e225d2c5b22c4a0776f726b222c2273225d2c5b22c4a07374222c2261746564225d2c5b22c4a07374222c22617274225d2c5b22c4a07374222c2261727473225d2c5b226f70222c2274696f6e73225d2c5b22c4a0636f6d222c2265225d2c5b22c4a0636f6d222c22706c69225d2c5b22c4a07768222c226f6d225d2c5b22c4a041222c225049225d2c5b22c4a041222c224e59225d2c5b22c4a053222c226565225d2c5b22c4a053222c22796e63225d2c5b225449222c224553225d2c5b226b65222c227473225d2c5b227369222c227665225d2c5b226865222c226164225d2c5b2272616e222c2274225d2c5b22c4a06578222c2263657074225d2c5b22c4a06578222c22657263225d2c5b22c4a06578222c227072657373225d2c5b22c4a0726573222c22706f6e225d2c5b22697a222c226564225d2c5b22697a222c226174696f6e225d2c5b22c4a06265222c22656e225d2c5b226d6172222c226b73225d2c5b22c4a067222c22656e657261746564225d2c5b22c4a0696e636c75222c2273696f6e225d2c5b22756e222c226374696f6e225d2c5b22c4a0656e222c22636c6f736564225d2c5b22c4a07365222c226564225d2c5b22c4a07365222c226c6c225d2c5b22c4a07365222c22706172225d2c5b22c4a070726f222c2267225d2c5b226967222c226174696f6e73225d2c5b22c4a054222c224552225d2c5b22c4a06170222c2270726f70225d2c5b22c4a073616d222c22706c65225d2c5b226170222c2261636865225d2c5b22636f6e222c2263757272225d2c5b22c4a04f222c2252225d2c5b22c4a05b222c225c22225d2c5b22c4a06e65222c22676c225d2c5b22c4a0656c222c227365225d2c5b22c4a06d6f64656c222c2273225d2c5b22706f72222c2261746564225d2c5b22c4a033222c2230225d2c5b22c4a033222c2232225d2c5b22c4a046222c224f52225d2c5b22c4a06465222c226d6f225d2c5b22c4a0c4a0c4a0c4a0c4a0c4a0c4a0c4a0c4a0c4a0c4a0c4a0c4a0c4a0c4a0c4a0222c22c4a0c4a0225d2c5b22c4a0636f6e74222c22656e74225d2c5b22c4a0636f6e74222c22657874225d2c5b22c4a0636f6e74222c227261225d2c5b22c4a0776f726b6572222c2273225d2c5b22726573222c2274225d2c5b22736572222c22766572225d2c5b22c4a047222c225055225d2c5b22c4a047222c224554225d2c5b22c4a047222c2272616e74225d2c5b22c4a050222c227974686f6e225d2c5b22c4a0696d222c22706c69225d2c5b22c4a06f776e6572222c2273686970225d2c5b22c4a06170706c222c2279225d2c5b22c4a06170706c222c2269636174696f6e225d2c5b227375222c22626d6974225d2c5b2276616c222c2275225d2c5b22c4a06d61222c226465225d2c5b22c4a06d61222c226b6573225d2c5b22c4a0706572222c2263225d2c5b22c4a0706572222c227461696e225d2c5b22c4a0706572222c22706574225d2c5b22c4a06c69222c227469676174696f6e225d2c5b22c4a070726f766964222c226573225d2c5b222d2d222c222d7c225d2c5b22c4a034222c22303936225d2c5b22c4a049222c2253225d2c5b22c4a049222c2266225d2c5b22c4a06b65222c227074225d2c5b22c4a06b65222c226778225d2c5b22c4a06b65222c226570225d2c5b22c4a0617574686f72222c22697a6564225d2c5b22c4a063616e222c2263656c225d2c5b22c4a0707572222c22706f7365225d2c5b22c4a06576657279222c227468696e67225d2c5b22c4a0646f222c226573225d2c5b22c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2222c22c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2225d2c5b22c4a06772616e222c227473225d2c5b22c4a06772616e222c22746564225d2c5b22c4a0726570726f6475222c226365225d2c5b2261696d222c2273225d2c5b226c64222c2277696465225d2c5b22c4a042222c224153225d2c5b22c4a042222c22656172225d2c5b22c4a048222c2275225d2c5b22c4a048222c226f77225d2c5b22c4a052222c22554c225d2c5b22c4a06c65222c22617374225d2c5b22c4a06a6f62222c2273225d2c5b22c4a07175222c226573225d2c5b22c4a07175222c226575225d2c5b22c4a0696e6469222c2272656374225d2c5b22c4a06d656173222c227572225d2c5b22c4a06e656564222c2273225d2c5b22c4a06e656564222c226c65686179737461636b225d2c5b22496e222c2273747275225d2c5b224c6963656e222c227365225d2c5b226d65222c22616e225d2c5b226f7374222c2267726573225d2c5b22706172222c227479225d2c5b227777222c2277225d2c5b22c4a06964222c22656e7469225d2c5b22c4a0637572222c226c225d2c5b22c4a0637572222c22736f72225d2c5b22c4a06c6973222c2274225d2c5b22c4a06c6973222c227473225d2c5b22c4a068657265222c226279225d2c5b22c4a03230222c223438225d2c5b2270726f70222c2273225d2c5b22c4a0616761696e222c227374225d2c5b22776f726b6572222c2273225d2c5b22c4a0636f756e222c2274225d2c5b223035222c2234225d2c5b223536222c223735225d2c5b223934222c223031225d2c5b226562222c2263225d2c5b22737469222c22747574225d2c5b227472222c226c225d2c5b22c4a04b222c22494e44225d2c5b22c4a0616c222c22736f225d2c5b22c4a0616363657074222c22696e67225d2c5b22c4a0636c222c2261696d73225d2c5b22c4a06661696c222c226564225d2c5b22c4a0776f72222c226c6477696465225d2c5b22c4a0696e746572222c2276616c225d2c5b22c4a06f726967222c22696e616c225d2c5b22c4a0626f222c2278225d2c5b22c4a06c6c222c22616d61225d2c5b22c4a0646973222c22706c6179225d2c5b22c4a073746f70222c2273225d2c5b226578636c75222c2273697665225d2c5b22c4a05375222c22626a656374225d2c5b22736962222c22696c697479225d2c5b22c4a0696e636c7564222c226564225d2c5b22c4a07365636f6e222c226473225d2c5b22726573756c222c227473225d2c5b22c4a06d6561737572656d656e74222c2273225d2c5b22c4a073706563222c2269616c225d2c5b22c4a064657363222c22726962225d2c5b22c4a07265676973746572222c226564225d2c5b22647269766572222c2273225d2c5b223136222c2239343031225d2c5b22417574686f72222c22697a6174696f6e225d2c5b2252414e222c2254494553225d2c5b22585a222c224c77225d2c5b226370222c2270225d2c5b22636964222c22656e74225d2c5b226675222c22736564225d2c5b22667265222c2265225d2c5b226c6963656e222c22736573225d2c5b226d72222c226d77225d2c5b226e616d222c2265225d2c5b22726f6e222c226963225d2c5b227477222c22617265225d2c5b22c4a06972222c227265766f63225d2c5b22c4a0657272222c226f72225d2c5b22c4a0566572222c2273696f6e225d2c5b226f72706f72222c2261225d2c5b22c4a074686972222c2264225d2c5b22c4a0736f66222c227477617265225d2c5b22c4a073636f72222c226564225d2c5b22c4a073797374222c22656d73225d2c5b22c4a06f626c222c2269676174696f6e73225d2c5b22c4a0636865222c22636b6564225d2c5b22c4a0747970222c226573225d2c5b2261746162222c22617365225d2c5b22c4a0696e6465222c226d6e225d2c5b22c4a0696e636f72222c22706f7261746564225d2c5b22c4a0696e74656e222c2274696f6e616c6c79225d2c5b22c4a0696e6672222c22696e67225d2c5b22c4a07075626c222c2269636c79225d2c5b22c4a062726163222c226b657473225d2c5b22c4a06e7669222c22646961225d2c5b226465706c6f79222c226d656e74225d2c5b22c4a065697468222c226572225d2c5b22c4a0656c656374222c22726f6e6963225d2c5b22c4a0574152222c2252414e54494553225d2c5b22c4a0574954484f222c225554225d2c5b22c4a072656173222c226f6e225d2c5b22c4a07265666572222c22656e6365225d2c5b22c4a07265706f73222c2269746f7279225d2c5b22c4a0726570726573222c22656e74225d2c5b22c4a0726f79222c22616c7479225d2c5b22c4a072656469737472696275222c2274696e67225d2c5b22c4a073756d6d6172222c2279225d2c5b22c4a0436f7079222c227269676874225d2c5b22c4a053796e63222c22436c69656e74225d2c5b22c4a0544552222c224d53225d2c5b22c4a0617070726f70222c227269225d2c5b22636f6e63757272222c22656e6379225d2c5b22c4a06e65676c222c226967225d2c5b22c4a0636f6e747261222c226374225d2c5b22c4a0696d706c69222c226564225d2c5b22c4a0706572706574222c2275616c225d2c5b22c4a0424153222c224953225d2c5b22c4a042656172222c226572225d2c5b22c4a052554c222c224552225d2c5b22c4a071756575222c226564225d2c5b22496e73747275222c226374225d2c5b22c4a06964656e7469222c2266225d2c5b22c4a069727265766f63222c2261626c65225d2c5b2221222c2229225d2c5b225c22222c2229225d2c5b225c22222c22293b225d2c5b2225222c2229225d2c5b2227222c2274225d2c5b2228222c225c22225d2c5b2228222c2229225d2c5b2229222c22292e225d2c5b222c222c227b225d2c5b222e222c225c22225d2c5b222e222c225b225d2c5b222e222c222c5c22225d2c5b2231222c2237225d2c5b2231222c223030225d2c5b2232222c2234225d2c5b2232222c2239225d2c5b2232222c223536225d2c5b2233222c2230225d2c5b2234222c2232225d2c5b2234222c22303936225d2c5b2235222c2230225d2c5b2235222c223934225d2c5b2235222c223132225d2c5b2236222c22313639343031225d2c5b2237222c223239225d2c5b2238222c2239225d2c5b2238222c223630225d2c5b2239222c2239225d2c5b223d222c22c3a2c4a2c2a6225d2c5b223d222c222d2d225d2c5b2241222c2242225d2c5b2241222c2249225d2c5b2241222c224f225d2c5b2241222c226e64225d2c5b2241222c224e44225d2c5b2241222c226363657074225d2c5b2241222c225049225d2c5b2242222c2255225d2c5b2242222c2264225d2c5b2243222c2248225d2c5b2243222c226f6e225d2c5b2243222c2254494f4e225d2c5b2243222c22554c225d2c5b2243222c2274726c225d2c5b2244222c224b225d2c5b2244222c2255225d2c5b2244222c226f6e225d2c5b2244222c22657269766174697665225d2c5b2245222c224d225d2c5b2245222c2250225d2c5b2245222c224e4449225d2c5b2246222c2252225d2c5b2246222c2273225d2c5b2246222c226174686f6d225d2c5b2247222c2253225d2c5b2247222c2255225d2c5b2247222c2275225d2c5b2247222c224554225d2c5b2247222c22454d225d2c5b2247222c224673225d2c5b2248222c2241225d2c5b2248222c22545450225d2c5b2249222c224c225d2c5b2249222c226a225d2c5b2249222c224345225d2c5b2249222c224255225d2c5b224c222c2245225d2c5b224c222c226567616c225d2c5b224c222c22494345225d2c5b224d222c224d225d2c5b224e222c226f225d2c5b224e222c224553225d2c5b224e222c225345225d2c5b224f222c2253225d2c5b224f222c22626a656374225d2c5b224f222c225345225d2c5b224f222c224455225d2c5b2250222c2250225d2c5b2250222c224f5345225d2c5b2251222c2257225d2c5b2252222c224753225d2c5b2252222c22494255225d2c5b2252222c224f4455225d2c5b2252222c22504f5345225d2c5b2253222c2248225d2c5b2253222c2274225d2c5b2253222c2275225d2c5b2253222c226f75726365225d2c5b2253222c226565225d2c5b2253222c22444b225d2c5b2254222c227275225d2c5b2254222c22686174225d2c5b2254222c227970225d2c5b2254222c22776f225d2c5b2254222c224142225d2c5b2254222c224c45225d2c5b2254222c2252494255225d2c5b2255222c2252504f5345225d2c5b2256222c227a225d2c5b2257222c2278225d2c5b2257222c226f726b225d2c5b2258222c2251225d2c5b225b222c225d225d2c5b225b222c227b5c22225d2c5b225b222c225c225c22225d2c5b225d222c2227225d2c5b225d222c2260225d2c5b225d222c225c222c225d2c5b2260222c223b225d2c5b2261222c226365225d2c5b2261222c22756c225d2c5b2261222c226b6573225d2c5b2262222c22616c225d2c5b2262222c226c65225d2c5b2262222c226f7574225d2c5b2262222c227461696e225d2c5b2262222c22617365225d2c5b2262222c22656e63686d61726b73225d2c5b2262222c2273657175225d2c5b2263222c2269225d2c5b2263222c22696e67225d2c5b2263222c226365225d2c5b2263222c226970225d2c5b2263222c227573225d2c5b2263222c226163686564225d2c5b2263222c22636964656e74225d2c5b2264222c226963225d2c5b2264222c226179225d2c5b2264222c22646974696f6e616c225d2c5b2264222c22617368626f617264225d2c5b2264222c22657272225d2c5b2264222c226f6e65225d2c5b2264222c2261746162617365225d2c5b2264222c225778225d2c5b2265222c2266225d2c5b2265222c2277225d2c5b2265222c226572225d2c5b2265222c22616d225d2c5b2265222c226c6c225d2c5b2265222c22766572225d2c5b2265222c22636573225d2c5b2265222c2266696e225d2c5b2266222c2274225d2c5b2266222c22616c225d2c5b2266222c22726f6d225d2c5b2266222c226f7265225d2c5b2266222c22696c65225d2c5b2266222c22746572225d2c5b2266222c2261696c225d2c5b2266222c2261636573225d2c5b2266222c226978225d2c5b2266222c22656e64225d2c5b2267222c226974225d2c5b2267222c226775225d2c5b2267222c22657261746564225d2c5b2267222c2267696e67225d2c5b2268222c226564225d2c5b2268222c226973225d2c5b2268222c22747470225d2c5b2268222c226f7374225d2c5b2269222c226f225d2c5b2269222c226572225d2c5b2269222c226564225d2c5b2269222c22616e225d2c5b2269222c227665225d2c5b2269222c226768225d2c5b2269222c2274696f6e73225d2c5b2269222c2261746564225d2c5b2269222c22626572225d2c5b2269222c22656c225d2c5b2269222c2265636573225d2c5b226b222c22696e67225d2c5b226c222c226174696f6e225d2c5b226c222c226162225d2c5b226c222c226f77225d2c5b226c222c22696d6974225d2c5b226c222c226f74225d2c5b226c222c226f67225d2c5b226c222c2261636573225d2c5b226c222c22696e746572225d2c5b226d222c22616c6c225d2c5b226d222c22657373225d2c5b226d222c2261696e225d2c5b226d222c226c657373225d2c5b226d222c22656e64225d2c5b226d222c22616e6473225d2c5b226d222c22567a225d2c5b226e222c2275225d2c5b226e222c22657874225d2c5b226e222c2261746564225d2c5b226f222c226b225d2c5b226f222c226c225d2c5b226f222c226f225d2c5b226f222c226f6d225d2c5b226f222c22766572225d2c5b226f222c2274686572225d2c5b226f222c226f7365225d2c5b226f222c226c64225d2c5b2270222c226963225d2c5b2270222c2274696f6e225d2c5b2270222c227265225d2c5b2270222c22696c225d2c5b2270222c227473225d2c5b2270222c22617469225d2c5b2270222c22746564225d2c5b2270222c22726f6d225d2c5b2270222c226970225d2c5b2270222c22656374225d2c5b2270222c22617265225d2c5b2270222c22616765225d2c5b2270222c22656172225d2c5b2270222c2272696e225d2c5b2270222c226f737467726573225d2c5b2272222c2279225d2c5b2272222c226564225d2c5b2272222c226168225d2c5b2272222c22617465225d2c5b2272222c2261636b225d2c5b2272222c22617368225d2c5b2272222c227669225d2c5b2272222c22616d73225d2c5b2273222c2276225d2c5b2273222c226f63225d2c5b2273222c226c79225d2c5b2273222c2261626c65225d2c5b2274222c226573225d2c5b2274222c226f63225d2c5b2274222c2265726d225d2c5b2274222c2275616c225d2c5b2274222c2261727473225d2c5b2275222c226f75225d2c5b2275222c226c65225d2c5b2275222c22746564225d2c5b2275222c22736572225d2c5b2275222c226d65225d2c5b2275222c22617279225d2c5b2276222c226564225d2c5b2276222c22696e67225d2c5b2276222c2261696c225d2c5b2276222c22696465225d2c5b2276222c22617269225d2c5b2277222c2278225d2c5b2277222c227269225d2c5b2277222c22696365225d2c5b2277222c2261746368225d2c5b2277222c22696e646f77225d2c5b2277222c22686174225d2c5b2277222c22696c6c225d2c5b2279222c22696e67225d2c5b2279222c226f7572225d2c5b227a222c226572225d2c5b227a222c22656e225d2c5b227c222c222d2d2d7c225d2c5b227d222c2227225d2c5b227d222c2229225d2c5b227d222c222c225d2c5b227d222c225d2c225d2c5b227d222c227d27225d2c5b22c4a0222c2237225d2c5b22c4a0222c223c225d2c5b22c4a0222c225c5c225d2c5b22c4a0222c226564225d2c5b22c4a0222c22766572225d2c5b22c4a0222c2264656c225d2c5b22c4a0222c225449225d2c5b22c4a0222c2272696768225d2c5b22c4a0222c224e4f225d2c5b22c4a0222c226a736f6e225d2c5b22c4a0222c2276656e76225d2c5b22c4a0222c2276657273696f6e225d2c5b22c4a0222c224e6f74225d2c5b22c4a0222c22766972225d2c5b22c4a0222c2276616c75225d2c5b22c4a0222c227a6572225d2c5b227468222c2265225d2c5b227468222c226973225d2c5b22c4a061222c22626f225d2c5b22c4a061222c22626f7574225d2c5b22c4a061222c2263636964656e74225d2c5b22c4a061222c2266746572225d2c5b22c4a061222c227661696c225d2c5b226f72222c226564225d2c5b226f72222c22746564225d2c5b226f72222c2269616c225d2c5b226f72222c226174696f6e73225d2c5b226f6e222c2267225d2c5b226f6e222c226d656e74225d2c5b226572222c22706c225d2c5b226572222c22736564225d2c5b22696e222c226b225d2c5b22696e222c226573225d2c5b22696e222c226973225d2c5b22696e222c226174225d2c5b22696e222c22696e67225d2c5b22696e222c22656e74225d2c5b22696e222c227574225d2c5b22696e222c22617465225d2c5b22696e222c2276616c225d2c5b22c4a07468222c22616e225d2c5b22c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2222c22c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2225d2c5b22656e222c226f6d225d2c5b22656e222c22657373225d2c5b22656e222c226475225d2c5b22656e222c226566225d2c5b22c4a073222c22656e74225d2c5b22c4a073222c226179225d2c5b22c4a073222c227368225d2c5b22c4a073222c22617973225d2c5b22c4a073222c226f6d65225d2c5b22c4a073222c22796e225d2c5b22c4a073222c226c6f74225d2c5b22c4a073222c226d616c6c225d2c5b22c4a073222c226f72746564225d2c5b227469222c226c225d2c5b227469222c227665225d2c5b227469222c2274696573225d2c5b226573222c227473225d2c5b226573222c22696465225d2c5b22c4a0746865222c226d225d2c5b22c4a0746865222c2279225d2c5b22c4a0746865222c226f7279225d2c5b22c4a06f222c226b225d2c5b22c4a06f222c227572225d2c5b22c4a06f222c22626a656374225d2c5b22c4a06f222c22627461696e225d2c5b22c4a0616e222c226e6f74225d2c5b22c4a0616e222c226f74686572225d2c5b226f6d222c22656e74225d2c5b226f6d222c22617279225d2c5b226f6d222c226d616e6473225d2c5b22c4a063222c2264225d2c5b22c4a063222c226172225d2c5b22c4a063222c226f70225d2c5b22c4a063222c22757374225d2c5b22c4a063222c226f64225d2c5b22c4a063222c226f726573225d2c5b22c4a063222c22726f7373225d2c5b22c4a063222c226f72706f7261225d2c5b22c4a063222c22656c6c225d2c5b22c4a063222c2272617368225d2c5b22c4a063222c227376225d2c5b22c4a066222c226967225d2c5b22c4a066222c226966225d2c5b22c4a066222c2265746368225d2c5b22c4a066222c226565225d2c5b22c4a066222c22617374225d2c5b22c4a066222c226f756e64225d2c5b22c4a066222c22756e6374696f6e225d2c5b22c4a066222c226577225d2c5b22c4a066222c2269656c225d2c5b22c4a066222c22696e6973225d2c5b22c4a074222c22616b65225d2c5b22c4a074222c22776f225d2c5b22c4a074222c226f7274225d2c5b22c4a074222c2261736b73225d2c5b22c4a074222c22616b6573225d2c5b22c4a074222c2265616d225d2c5b22c4a074222c227261636b225d2c5b22c4a074222c2277696365225d2c5b22c4a074222c2265737473225d2c5b22c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2222c22c3a2c4b6c4a2225d2c5b22c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2222c22c3a2c4b6c4a2c3a2c4b6c4a2c3a2c4b6c4a2225d2c5b226963222c2279225d2c5b226963222c22616c225d2c5b226963222c226974225d2c5b226963222c2269616c225d2c5b226963222c226d567a225d2c5b22c4a077222c226173225d2c5b22c4a077222c22617272616e225d2c5b226973222c226b73225d2c5b226973222c22636c61696d225d2c5b226973222c2274656e74225d2c5b22c4a06d222c226167225d2c5b22c4a06d222c22657265225d2c5b22c4a06d222c226967225d2c5b22c4a06d222c22616c66225d2c5b22c4a06d222c22696e7574225d2c5b22c4a06d222c226f6d656e74225d2c5b227265222c226374696f6e225d2c5b227265222c22616d73225d2c5b227265222c226675736564225d2c5b226174222c22696e67225d2c5b226174222c22656e657373225d2c5b226f75222c226c64225d2c5b22616c222c227468225d2c5b22616e222c2274225d2c5b22616e222c2279225d2c5b22616e222c22676564225d2c5b22616e222c2275617279225d2c5b22616e222c226963616c225d2c5b22c4a0696e222c226162696c697479225d2c5b22c4a0696e222c22646578225d2c5b22c4a0696e222c2263757272225d2c5b22c4a0696e222c22707574225d2c5b22c4a0696e222c22737469747574225d2c5b22c4a0696e222c22636964656e74225d2c5b22c4a0696e222c22646963225d2c5b226c65222c2267696e67225d2c5b227269222c227074696f6e225d2c5b227365222c2274225d2c5b22c4a070222c226f77225d2c5b22c4a070222c22726f6d225d2c5b22c4a070222c226f73225d2c5b22c4a070222c22616765225d2c5b22c4a070222c2261757365225d2c5b22c4a070222c2272696e225d2c5b22c4a070222c226f7274225d2c5b22c4a070222c226965636573225d2c5b22c4a070222c226c61636573225d2c5b226974222c22656d73225d2c5b226974222c226f7269616c225d2c5b22c4a062222c226173225d2c5b22c4a062222c22696e64225d5d7d7d');
INSERT INTO public.blobs VALUES
	('5a3d818fca991dbd2bc455476a99020e2841798fe5d08eb26e6eb3740bec1bd4', 50739, '2026-11-28 04:07:43.700441+00');
INSERT INTO public.cells VALUES
	(1, 0, 'niah_single_1', 640, '{}', 12),
	(1, 1, 'niah_single_1', 896, '{}', 12);
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES
	(1, 1, 'state', '2026-11-28 04:07:46.347457+00', '{"state": "running"}'),
	(2, 1, 'progress', '2026-11-28 04:07:47.700343+00', '{"done": 1}'),
	(3, 1, 'progress', '2026-11-28 04:07:48.712036+00', '{"done": 5}'),
	(4, 1, 'progress', '2026-11-28 04:07:53.826767+00', '{"done": 7}');
INSERT INTO public.jobs OVERRIDING SYSTEM VALUE VALUES
	(1, 'g4fmgrtvpk', NULL, 'ruler', '1', 1, '{"api": "openai-chat", "name": "m", "price": null, "driver": {"host": null, "kind": "local", "options": {}}, "labels": {}, "limits": {"max_concurrency": 64, "tokens_per_minute": null, "requests_per_minute": null}, "command": [], "headers": {}, "base_url": "http://127.0.0.1:41711/v1", "model_id": null, "timeouts": {"idle": 300.0, "total": 600.0, "connect": 10.0, "first_byte": 300.0, "per_1k_tokens": 10.0}, "tokenizer": {"kind": "asset", "asset": "small-tokenizer"}, "generation": {"seed": null, "stop": [], "min_p": null, "top_k": null, "top_p": null, "system": null, "extra_body": {}, "temperature": 0.0, "repetition_penalty": null}, "api_key_env": null, "context_window": 2048}', '{"usage": true, "engine": "unknown", "ping_ms": 34, "prefill": false, "model_id": "test-model", "tokenize": false, "model_ids": ["test-model"], "cached_tokens": false, "tokenizer_fits": true, "overhead_tokens": 0}', '{"seed": 42, "alpha": 2.0, "squad": null, "tasks": ["niah_single_1"], "buffer": 0, "depths": null, "essays": null, "num_cw": 10, "preset": null, "stream": "independent", "freq_cw": 30, "lengths": [640, 896], "profile": "head", "samples": 12, "freq_ucw": 3, "haystack": null, "hotpotqa": null, "key_kind": null, "language": "en", "num_hops": 4, "documents": null, "threshold": 85.6, "num_chains": 1, "value_kind": null, "vocab_size": null, "num_fewshot": 1, "num_needle_k": null, "num_needle_q": null, "num_needle_v": null, "coded_wordlen": 6, "english_words": null, "output_tokens": null, "model_template": "base", "effective_length": "every"}', '{"debug": false, "canary": false, "generation": {}, "answer_prefix": "suffix", "count_invalid": "exclude", "allow_overflow": false, "thinking_budget": 0}', '{}', '{"tokenizer": "5a3d818fca991dbd2bc455476a99020e2841798fe5d08eb26e6eb3740bec1bd4"}', '{"tokenizer": "small-tokenizer"}', '[]', 0, NULL, 8, 0.2, 2, 'running', NULL, 0, 0, 0, 0, '2026-11-28 04:07:46.291845+00', '2026-11-28 04:07:46.436229+00', NULL, '2026-11-28 04:07:53.826477+00', 7);
INSERT INTO public.leases OVERRIDING SYSTEM VALUE VALUES
	(5, 1, 1, 1, 0, true, '{8}', 1, '2026-11-28 04:07:53.532377+00', '2026-11-28 04:17:53.532199+00'),
	(6, 1, 1, 1, 0, true, '{9}', 1, '2026-11-28 04:07:53.600273+00', '2026-11-28 04:17:53.600133+00'),
	(7, 1, 1, 1, 0, false, '{6}', 1, '2026-11-28 04:07:58.8303+00', '2026-11-28 04:17:58.830197+00');
INSERT INTO public.models OVERRIDING SYSTEM VALUE VALUES
	(1, 'm', '{"api": "openai-chat", "name": "m", "price": null, "driver": {"host": null, "kind": "local", "options": {}}, "labels": {}, "limits": {"max_concurrency": 64, "tokens_per_minute": null, "requests_per_minute": null}, "command": [], "headers": {}, "base_url": "http://127.0.0.1:41711/v1", "model_id": null, "timeouts": {"idle": 300.0, "total": 600.0, "connect": 10.0, "first_byte": 300.0, "per_1k_tokens": 10.0}, "tokenizer": {"kind": "asset", "asset": "small-tokenizer"}, "generation": {"seed": null, "stop": [], "min_p": null, "top_k": null, "top_p": null, "system": null, "extra_body": {}, "temperature": 0.0, "repetition_penalty": null}, "api_key_env": null, "context_window": 2048}', '5a3d818fca991dbd2bc455476a99020e2841798fe5d08eb26e6eb3740bec1bd4', '{"at": "2026-11-28T04:07:45.250816Z", "ok": true, "problem": null, "findings": {"usage": {"how": "the reply to a short call tells how many tokens were read", "value": true}, "engine": {"how": "no engine that is known answers like it", "value": "unknown"}, "ping_ms": {"how": "one short call, answer limited to a token", "value": 34}, "prefill": {"how": "a prefill of 27 tokens made the prompt 0 longer; a turn that is closed first adds more", "value": false}, "model_id": {"how": "the only one that the server lists", "value": "test-model"}, "tokenize": {"how": "no such path answers", "value": false}, "model_ids": {"how": "listed by the server", "value": ["test-model"]}, "cached_tokens": {"how": "the same prompt sent twice: the second reply says nothing of cached tokens", "value": false}, "tokenizer_fits": {"how": "of two texts, one is 457 tokens longer by our count, 457 by its usage", "value": true}, "overhead_tokens": {"how": "it read 53 tokens of a text that has 53 by our count", "value": 0}}}', '{}', 64, NULL, NULL, 0, 0, '-infinity', 'closed', NULL, NULL, 0, '2026-11-28 04:07:58.594887+00', 0, '2026-11-28 04:07:44.469321+00', '2026-11-28 04:07:44.469321+00');
INSERT INTO public.probe_orders OVERRIDING SYSTEM VALUE VALUES
	(1, 1, 1, '{"at": "2026-11-28T04:07:45.250816Z", "ok": true, "problem": null, "findings": {"usage": {"how": "the reply to a short call tells how many tokens were read", "value": true}, "engine": {"how": "no engine that is known answers like it", "value": "unknown"}, "ping_ms": {"how": "one short call, answer limited to a token", "value": 34}, "prefill": {"how": "a prefill of 27 tokens made the prompt 0 longer; a turn that is closed first adds more", "value": false}, "model_id": {"how": "the only one that the server lists", "value": "test-model"}, "tokenize": {"how": "no such path answers", "value": false}, "model_ids": {"how": "listed by the server", "value": ["test-model"]}, "cached_tokens": {"how": "the same prompt sent twice: the second reply says nothing of cached tokens", "value": false}, "tokenizer_fits": {"how": "of two texts, one is 457 tokens longer by our count, 457 by its usage", "value": true}, "overhead_tokens": {"how": "it read 53 tokens of a text that has 53 by our count", "value": 0}}}', '2026-11-28 04:07:44.80572+00', '2026-11-28 04:07:44.971709+00', '2026-11-28 04:07:45.256219+00');
INSERT INTO public.progress_points VALUES
	(1, '2026-11-28 04:07:47.699416+00', 1),
	(1, '2026-11-28 04:07:53.826477+00', 7);
INSERT INTO public.ranges VALUES
	(1, 1, 0, 12, 0),
	(1, 0, 0, 12, 10);
INSERT INTO public.results VALUES
	(1, 0, 3, '765', 0, 1, 1, 472, 472, NULL, 4, NULL, NULL, 320, 0, '2026-11-28 04:07:47.660248+00', 'ok', 'stop', '\x9f604f3fba2401140321513f4cbaa642c636c53b4239c407bac69842ed4f70b9', 'I do not know.', NULL, NULL, '["6512148"]', '{"score": {"of": 1, "found": 0, "group": "30", "missing": ["6512148"]}, "words": [{"name": "wonderwords 2.2.0 adjectives", "sha256": "0729eaf04deb51e29e659acbfa77a952749691f482bea256065399c1642cba90"}, {"name": "wonderwords 2.2.0 nouns", "sha256": "2ec8c8cdc8837fe0140930466fd29fe2f798bf9e040c4b284503c992cd8ce5ba"}], "length": 600, "needles": [{"key": "nosy-pigeon", "asked": true, "depth": 25.0, "value": "6512148", "offset": 311}], "language": {"code": "en", "version": "1", "normalise": "lower"}, "haystack_lines": 8, "token_position_answer": 156}'),
	(1, 0, 0, '769', 0, 1, 1, 484, 484, NULL, 4, NULL, NULL, 321, 0, '2026-11-28 04:07:47.712297+00', 'ok', 'stop', '\xde986aa974e176d8d666138f7eff6b9a0a9d4daa701537ddae45fe703484c48e', 'I do not know.', NULL, NULL, '["5733831"]', '{"score": {"of": 1, "found": 0, "group": "65", "missing": ["5733831"]}, "words": [{"name": "wonderwords 2.2.0 adjectives", "sha256": "0729eaf04deb51e29e659acbfa77a952749691f482bea256065399c1642cba90"}, {"name": "wonderwords 2.2.0 nouns", "sha256": "2ec8c8cdc8837fe0140930466fd29fe2f798bf9e040c4b284503c992cd8ce5ba"}], "length": 612, "needles": [{"key": "kaput-bunkhouse", "asked": true, "depth": 75.0, "value": "5733831", "offset": 671}], "language": {"code": "en", "version": "1", "normalise": "lower"}, "haystack_lines": 8, "token_position_answer": 331}'),
	(1, 0, 1, '769', 0, 1, 1, 511, 511, NULL, 1, NULL, NULL, 320, 1, '2026-11-28 04:07:47.71247+00', 'ok', 'stop', '\x4642635230d943dd35a5b46f2684ee152c3366622a2b169fcb3bc3f49ea41c71', '7781679', NULL, NULL, '["7781679"]', '{"score": {"of": 1, "found": 1, "group": "55"}, "words": [{"name": "wonderwords 2.2.0 adjectives", "sha256": "0729eaf04deb51e29e659acbfa77a952749691f482bea256065399c1642cba90"}, {"name": "wonderwords 2.2.0 nouns", "sha256": "2ec8c8cdc8837fe0140930466fd29fe2f798bf9e040c4b284503c992cd8ce5ba"}], "length": 639, "needles": [{"key": "slow-amenity", "asked": true, "depth": 55.56, "value": "7781679", "offset": 581}], "language": {"code": "en", "version": "1", "normalise": "lower"}, "haystack_lines": 9, "token_position_answer": 283}'),
	(1, 0, 4, '774', 0, 1, 1, 512, 512, NULL, 1, NULL, NULL, 326, 1, '2026-11-28 04:07:48.015815+00', 'ok', 'stop', '\x864c5eab0b067ef82bf23b71999367b5ba55cee4f2c82be3cf5dde83c9a024b7', '5722046', NULL, NULL, '["5722046"]', '{"score": {"of": 1, "found": 1, "group": "30"}, "words": [{"name": "wonderwords 2.2.0 adjectives", "sha256": "0729eaf04deb51e29e659acbfa77a952749691f482bea256065399c1642cba90"}, {"name": "wonderwords 2.2.0 nouns", "sha256": "2ec8c8cdc8837fe0140930466fd29fe2f798bf9e040c4b284503c992cd8ce5ba"}], "length": 640, "needles": [{"key": "bored-caboose", "asked": true, "depth": 22.22, "value": "5722046", "offset": 311}], "language": {"code": "en", "version": "1", "normalise": "lower"}, "haystack_lines": 9, "token_position_answer": 154}'),
	(1, 0, 5, '774', 0, 1, 1, 479, 479, NULL, 1, NULL, NULL, 326, 1, '2026-11-28 04:07:48.015874+00', 'ok', 'stop', '\xbf55b126f4e9d8c088883c8f8370be41c744e6f154d1aa7d0d905845db94bfe6', '5485326', NULL, NULL, '["5485326"]', '{"score": {"of": 1, "found": 1, "group": "55"}, "words": [{"name": "wonderwords 2.2.0 adjectives", "sha256": "0729eaf04deb51e29e659acbfa77a952749691f482bea256065399c1642cba90"}, {"name": "wonderwords 2.2.0 nouns", "sha256": "2ec8c8cdc8837fe0140930466fd29fe2f798bf9e040c4b284503c992cd8ce5ba"}], "length": 607, "needles": [{"key": "bewildered-quartet", "asked": true, "depth": 62.5, "value": "5485326", "offset": 581}], "language": {"code": "en", "version": "1", "normalise": "lower"}, "haystack_lines": 8, "token_position_answer": 287}'),
	(1, 0, 2, '784', 0, 2, 1, 477, 477, NULL, 1, NULL, NULL, 321, 1, '2026-11-28 04:07:53.522627+00', 'ok', 'stop', '\x31b91bae4133fc4400950d937b2fbcaec8a3ddede3e1093b975c190e30338345', '4753884', NULL, NULL, '["4753884"]', '{"score": {"of": 1, "found": 1, "group": "30"}, "words": [{"name": "wonderwords 2.2.0 adjectives", "sha256": "0729eaf04deb51e29e659acbfa77a952749691f482bea256065399c1642cba90"}, {"name": "wonderwords 2.2.0 nouns", "sha256": "2ec8c8cdc8837fe0140930466fd29fe2f798bf9e040c4b284503c992cd8ce5ba"}], "length": 605, "needles": [{"key": "highfalutin-outrage", "asked": true, "depth": 25.0, "value": "4753884", "offset": 311}], "language": {"code": "en", "version": "1", "normalise": "lower"}, "haystack_lines": 8, "token_position_answer": 157}'),
	(1, 0, 7, '789', 0, 1, 1, 474, 474, NULL, 1, NULL, NULL, 364, 1, '2026-11-28 04:07:53.650384+00', 'ok', 'stop', '\xa6135c7eb65e795abb6327ec40c7592d989e30e6b1a4be4dcb1e1733130e8b76', '3540938', NULL, NULL, '["3540938"]', '{"score": {"of": 1, "found": 1, "group": "20"}, "words": [{"name": "wonderwords 2.2.0 adjectives", "sha256": "0729eaf04deb51e29e659acbfa77a952749691f482bea256065399c1642cba90"}, {"name": "wonderwords 2.2.0 nouns", "sha256": "2ec8c8cdc8837fe0140930466fd29fe2f798bf9e040c4b284503c992cd8ce5ba"}], "length": 602, "needles": [{"key": "acrid-smoking", "asked": true, "depth": 12.5, "value": "3540938", "offset": 221}], "language": {"code": "en", "version": "1", "normalise": "lower"}, "haystack_lines": 8, "token_position_answer": 113}');
INSERT INTO public.retries VALUES
	(1, 0, 6, 0, 1, 0, 'server_error', '2026-11-28 04:07:58.594887+00', 7);
INSERT INTO public.tallies VALUES
	(1, 0, 'ok', 0, 2, 2, 956, 0, 8, 0),
	(1, 0, 'attempt', -1, 2, 2, 0, 0, 0, 0),
	(1, 0, 'ok', 1, 5, 5, 2453, 0, 5, 0);
INSERT INTO public.workers OVERRIDING SYSTEM VALUE VALUES
	(1, 'f71ca137-2693-4697-b834-48d9199169dd', 'w', 'h', 1, '0.1.0', 3, '{}', 'up', '{}', 7, '2026-11-28 04:07:44.704006+00', '2026-11-28 04:07:44.704006+00');
SELECT pg_catalog.setval('public.attempts_id_seq', 2, true);
SELECT pg_catalog.setval('public.deltas_id_seq', 8, true);
SELECT pg_catalog.setval('public.events_id_seq', 4, true);
SELECT pg_catalog.setval('public.jobs_id_seq', 1, true);
SELECT pg_catalog.setval('public.leases_id_seq', 7, true);
SELECT pg_catalog.setval('public.models_id_seq', 1, true);
SELECT pg_catalog.setval('public.probe_orders_id_seq', 1, true);
SELECT pg_catalog.setval('public.tokens_id_seq', 1, true);
SELECT pg_catalog.setval('public.workers_id_seq', 1, true);
ALTER TABLE ONLY public.alembic_version
    ADD CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num);
ALTER TABLE ONLY public.assets
    ADD CONSTRAINT assets_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.attempts
    ADD CONSTRAINT attempts_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.blob_chunks
    ADD CONSTRAINT blob_chunks_pkey PRIMARY KEY (sha256, number);
ALTER TABLE ONLY public.blobs
    ADD CONSTRAINT blobs_pkey PRIMARY KEY (sha256);
ALTER TABLE ONLY public.cells
    ADD CONSTRAINT cells_pkey PRIMARY KEY (job_id, cell);
ALTER TABLE ONLY public.deltas
    ADD CONSTRAINT deltas_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (scope, key);
ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_public_id_key UNIQUE (public_id);
ALTER TABLE ONLY public.leases
    ADD CONSTRAINT leases_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.models
    ADD CONSTRAINT models_name_key UNIQUE (name);
ALTER TABLE ONLY public.models
    ADD CONSTRAINT models_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.probe_orders
    ADD CONSTRAINT probe_orders_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.progress_points
    ADD CONSTRAINT progress_points_pkey PRIMARY KEY (job_id, at);
ALTER TABLE ONLY public.ranges
    ADD CONSTRAINT ranges_pkey PRIMARY KEY (job_id, cell, start);
ALTER TABLE ONLY public.results
    ADD CONSTRAINT results_pkey PRIMARY KEY (job_id, cell, index);
ALTER TABLE ONLY public.retries
    ADD CONSTRAINT retries_pkey PRIMARY KEY (job_id, cell, index);
ALTER TABLE ONLY public.tallies
    ADD CONSTRAINT tallies_pkey PRIMARY KEY (job_id, cell, status, score);
ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT tokens_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT tokens_sha256_key UNIQUE (sha256);
ALTER TABLE ONLY public.workers
    ADD CONSTRAINT workers_boot_key UNIQUE (boot);
ALTER TABLE ONLY public.workers
    ADD CONSTRAINT workers_pkey PRIMARY KEY (id);
CREATE INDEX assets_sha256 ON public.assets USING btree (sha256);
CREATE INDEX attempts_sample ON public.attempts USING btree (job_id, cell, index, id);
CREATE INDEX deltas_job_id ON public.deltas USING btree (job_id);
CREATE INDEX events_job ON public.events USING btree (job_id, id);
CREATE INDEX jobs_model_id ON public.jobs USING btree (model_id);
CREATE INDEX jobs_running ON public.jobs USING btree (model_id, priority) WHERE (state = 'running'::text);
CREATE INDEX leases_expires_at ON public.leases USING btree (expires_at);
CREATE INDEX leases_job ON public.leases USING btree (job_id, id);
CREATE INDEX leases_model ON public.leases USING btree (model_id, id);
CREATE INDEX leases_worker_id ON public.leases USING btree (worker_id);
CREATE INDEX probe_orders_model_id ON public.probe_orders USING btree (model_id);
CREATE INDEX results_flagged ON public.results USING btree (job_id, status, cell, index) WHERE (status <> 'ok'::text);
CREATE INDEX results_page ON public.results USING btree (job_id, xid);
CREATE INDEX retries_waiting ON public.retries USING btree (job_id, next_try, cell, index) WHERE (lease_id IS NULL);
ALTER TABLE ONLY public.assets
    ADD CONSTRAINT assets_sha256_fkey FOREIGN KEY (sha256) REFERENCES public.blobs(sha256);
ALTER TABLE ONLY public.blob_chunks
    ADD CONSTRAINT blob_chunks_sha256_fkey FOREIGN KEY (sha256) REFERENCES public.blobs(sha256) ON DELETE CASCADE;
ALTER TABLE ONLY public.cells
    ADD CONSTRAINT cells_job_id_fkey FOREIGN KEY (job_id) REFERENCES public.jobs(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_model_id_fkey FOREIGN KEY (model_id) REFERENCES public.models(id);
ALTER TABLE ONLY public.probe_orders
    ADD CONSTRAINT probe_orders_model_id_fkey FOREIGN KEY (model_id) REFERENCES public.models(id) ON DELETE CASCADE;
