-- The queue, part 2: handing samples out.

-- Whether a worker holds a sample that was lost so often that it will soon be given up: it may be what ends workers.
create or replace function queue_holds_suspect(p_worker int) returns boolean language sql volatile as $$
  select exists(select 1 from leases l join jobs j on j.id = l.job_id
                  join retries q on q.job_id = l.job_id and q.cell = l.cell and q.index = any(l.open)
                 where l.worker_id = p_worker and not l.fresh and q.losses > 0 and q.attempts + q.losses >= j.max_attempts)
$$;

-- Takes up to p_want samples of one job, whose model's row the caller has locked: first those that wait for another
-- try and may, then the next of the job's ranges. Of the suspects a worker holds one at a time: otherwise the samples that
-- were with the guilty one whenever it ended their worker would be given up with it.
-- p_tokens, if not null, is the budget of prompt tokens.
create or replace function queue_claim_job(
  p_worker int, p_job bigint, p_model int, p_want int, p_max_leases int, p_ttl interval, p_tokens double precision)
returns table(o_lease bigint, o_job bigint, o_stamp text, o_cell int, o_index int[], o_generation int[], o_attempt int[])
language plpgsql as $$
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

-- What a model may start now, its row being locked: how many calls, and how many prompt tokens (null: no budget).
-- An empty bucket fills up in ten seconds at most; a sample larger than the bucket is paid off afterwards.
create or replace function queue_room(
  p_model models, p_used bigint, p_want int, t timestamptz,
  out o_room int, out o_requests double precision, out o_tokens double precision)
language plpgsql as $$
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

-- Takes samples of one model's jobs. The model's row is locked before the statement that adds up its leases takes its
-- snapshot; with both in one statement the limit would be passed by a factor of two.
-- Order: priority, then the job with the fewest calls in flight, and no job beyond the level at which all of equal
-- priority would have the same number; what that leaves goes to whoever can use it.
create or replace function queue_claim_model(
  p_worker int, p_model int, p_wait boolean, p_want int, p_max_leases int, p_ttl interval)
returns table(o_lease bigint, o_job bigint, o_stamp text, o_cell int, o_index int[], o_generation int[], o_attempt int[])
language plpgsql as $$
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

-- Hands a worker up to p_want samples in up to p_max_leases leases, of models whose labels it offers.
-- o_stamp changes whenever what a worker must know of the job does.
-- One call never waits for a second model's row while it holds a first one's.
-- The grant need not reach the disk before the worker starts: a claim lost in a crash is handed out again.
create or replace function queue_claim(p_worker int, p_want int, p_max_leases int, p_ttl interval, p_avoid int[])
returns table(o_lease bigint, o_job bigint, o_stamp text, o_cell int, o_index int[], o_generation int[], o_attempt int[])
language plpgsql
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan
as $$
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
