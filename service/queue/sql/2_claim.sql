-- The queue, part 2: handing samples out.

-- Whether a worker holds a sample that was lost so often that it will soon be given up: it may be what ends workers.
create or replace function queue_holds_suspect(p_worker int) returns boolean language sql volatile as $$
  select exists(select 1 from leases l join jobs j on j.id = l.job_id
                  join retries q on q.job_id = l.job_id and q.cell = l.cell and q.index = any(l.open)
                 where l.worker_id = p_worker and not l.fresh
                   and q.losses > 0 and q.attempts + q.losses >= j.max_attempts)
$$;

-- What a model may start now, its row being locked: how many calls, and how many prompt tokens (null: no budget).
-- An empty bucket fills up in ten seconds at most; a sample larger than the bucket is paid off afterwards.
create or replace function queue_room(
  p_model models, p_used numeric, p_want int, t timestamptz,
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
  v_seconds := case when isfinite(p_model.bucket_at) then greatest(0, extract(epoch from t - p_model.bucket_at))
                    else 10 end;
  if p_model.requests_per_minute is not null then
    o_requests := least(greatest(1, p_model.requests_per_minute / 6.0),
                        p_model.requests_left + v_seconds * p_model.requests_per_minute / 60.0);
    o_room := least(o_room, floor(o_requests)::int);
  end if;
  if p_model.tokens_per_minute is not null then
    o_tokens := least(p_model.tokens_per_minute / 6.0,
                      p_model.tokens_left + v_seconds * p_model.tokens_per_minute / 60.0);
    if o_tokens <= 0 then
      o_room := 0;
    end if;
  end if;
end $$;

-- Takes up to io_left samples of one job that wait for another try and may, as long as there are fewer than p_most
-- leases. Of the suspects a worker holds one at a time: otherwise the samples that were with the guilty one whenever it
-- ended their worker would be given up with it. io_tokens, if not null, is the budget of prompt tokens.
create or replace function queue_claim_waiting(
  p_worker int, p_job bigint, p_model int, p_max_attempts int, p_most int, p_ttl interval, t timestamptz,
  inout io_leases leases[], inout io_left int, inout io_tokens double precision)
language plpgsql as $$
declare
  v_length int;
  v_take int;
  v_lease leases;
  r record;
begin
  for r in
    with waiting as (
      select q.cell, q.index, q.next_try, q.losses > 0 and q.attempts + q.losses >= p_max_attempts as suspect
        from retries q
       where q.job_id = p_job and q.lease_id is null and q.next_try <= t
       order by q.next_try, q.cell, q.index limit io_left for update skip locked),
    due as (
      select *
        from (select w.*, row_number() over (partition by w.suspect order by w.next_try, w.cell, w.index) as place
                from waiting w) x
       where not x.suspect or (x.place = 1 and not queue_holds_suspect(p_worker)))
    select d.cell, array_agg(d.index order by d.index) as idx, count(*)::int as n
      from due d group by d.cell order by d.cell limit p_most - cardinality(io_leases)
  loop
    if io_tokens is not null then
      exit when io_tokens <= 0;
      select c.length into v_length from cells c where c.job_id = p_job and c.cell = r.cell;
      v_take := least(r.n, greatest(1, floor(io_tokens / greatest(1, v_length))))::int;
      r.idx := r.idx[:v_take]; r.n := v_take;
      io_tokens := io_tokens - v_take::double precision * v_length;
    end if;
    insert into leases(worker_id, job_id, model_id, cell, fresh, open, n, expires_at)
    values (p_worker, p_job, p_model, r.cell, false, r.idx, r.n, t + p_ttl) returning * into v_lease;
    update retries q set lease_id = v_lease.id where q.job_id = p_job and q.cell = r.cell and q.index = any(r.idx);
    io_leases := io_leases || v_lease;
    io_left := io_left - r.n;
  end loop;
end $$;

-- Takes up to io_left samples of one job, whose model's row the caller has locked: first those that wait for another
-- try, then the next of the job's ranges. io_stamps gets a stamp for each new lease, made of the job's revision and the
-- model's p_version.
create or replace function queue_claim_job(
  p_worker int, p_job bigint, p_model int, p_most int, p_ttl interval,
  p_version text, inout io_leases leases[], inout io_stamps text[], inout io_left int, inout io_tokens double precision)
language plpgsql as $$
declare
  t constant timestamptz := clock_timestamp();
  v_want int := io_left;
  v_length int;
  v_lease leases;
  j record;
  r record;
begin
  select x.at_cell, x.at_start, x.started_at, x.max_attempts, x.revision, false as moved,
         exists(select 1 from retries q where q.job_id = x.id and q.lease_id is null and q.next_try <= t) as waiting
    into j from jobs x where x.id = p_job;
  if j.waiting then
    r := queue_claim_waiting(p_worker, p_job, p_model, j.max_attempts, p_most, p_ttl, t, io_leases, io_left, io_tokens);
    io_leases := r.io_leases; io_left := r.io_left; io_tokens := r.io_tokens;
  end if;
  while io_left > 0 and cardinality(io_leases) < p_most and (io_tokens is null or io_tokens > 0) loop
    -- Not locked: who changes ranges holds the lock of the model's row.
    select g.cell, g.start, g.next as first, least(io_left, g.stop - g.next) as n, g.stop into r
      from ranges g
     where g.job_id = p_job and (g.cell, g.start) >= (j.at_cell, j.at_start) and g.next < g.stop
     order by g.cell, g.start limit 1;
    exit when not found;
    if io_tokens is not null then
      select c.length into v_length from cells c where c.job_id = p_job and c.cell = r.cell;
      r.n := least(r.n, greatest(1, floor(io_tokens / greatest(1, v_length))))::int;
      io_tokens := io_tokens - r.n::double precision * v_length;
    end if;
    if r.first + r.n = r.stop then
      delete from ranges g where g.job_id = p_job and g.cell = r.cell and g.start = r.start;
      j.at_cell := r.cell; j.at_start := r.start + 1; j.moved := true;
    else
      update ranges g set next = r.first + r.n where g.job_id = p_job and g.cell = r.cell and g.start = r.start;
    end if;
    insert into leases(worker_id, job_id, model_id, cell, fresh, open, n, expires_at)
    values (p_worker, p_job, p_model, r.cell, true, array(select generate_series(r.first, r.first + r.n - 1)), r.n,
            t + p_ttl)
    returning * into v_lease;
    io_leases := io_leases || v_lease;
    io_left := io_left - r.n;
  end loop;
  io_stamps := io_stamps || array_fill(j.revision || '/' || p_version,
                                       array[cardinality(io_leases) - cardinality(io_stamps)]);
  if j.moved or (j.started_at is null and io_left < v_want) then
    update jobs x set at_cell = j.at_cell, at_start = j.at_start, started_at = coalesce(x.started_at, t)
     where x.id = p_job;
  end if;
end $$;

-- Takes samples of one model's jobs. The model's row is locked before the statement that adds up its leases takes its
-- snapshot; with both in one statement the limit would be passed by a factor of two.
-- Order: priority, then the job with the fewest calls in flight, and no job beyond the level at which all of equal
-- priority would have the same number; what that leaves goes to whoever can use it.
create or replace function queue_claim_model(
  p_worker int, p_model int, p_wait boolean, p_most int, p_ttl interval,
  inout io_leases leases[], inout io_stamps text[], inout io_left int)
language plpgsql as $$
declare
  t timestamptz;
  m models;
  room record;
  v_left int;
  v_share int;
  v_busy bigint[];
  v_level int;
  v_spent int;
  v_tokens double precision;
  j record;
  c record;
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
  <<jobs>>
  for j in
    with busy as materialized (
      select l.job_id, sum(l.n) as n from leases l where l.model_id = p_model and l.id >= m.lease_floor
       group by l.job_id)
    select array_agg(k.id order by k.busy, k.id) as ids, array_agg(k.cap order by k.busy, k.id) as caps,
           array_agg(k.busy order by k.busy, k.id) as busies, sum(k.busy) as busy, count(*) as n,
           (select coalesce(sum(b.n), 0) from busy b) as used
      from (select x.id, x.priority, x.max_concurrency as cap, coalesce(b.n, 0) as busy
              from jobs x left join busy b on b.job_id = x.id
             where x.model_id = p_model and x.state = 'running') k
     group by k.priority order by k.priority desc
  loop
    if v_left is null then
      room := queue_room(m, j.used, io_left, t);
      v_left := room.o_room;
      v_tokens := room.o_tokens;
      if v_left <= 0 then
        return;
      end if;
    end if;
    v_busy := j.busies;
    v_level := ceil((v_left + j.busy) / j.n::numeric);
    for v_pass in 1..2 loop
      for i in 1..cardinality(j.ids) loop
        exit jobs when v_left <= 0 or cardinality(io_leases) >= p_most or v_tokens <= 0;
        v_share := least(v_left, coalesce(j.caps[i] - v_busy[i], v_left),
                         case v_pass when 1 then v_level - v_busy[i] else v_left end);
        continue when v_share <= 0;
        c := queue_claim_job(p_worker, j.ids[i], p_model, p_most, p_ttl, extract(epoch from m.updated_at)::text,
                             io_leases, io_stamps, v_share, v_tokens);
        io_leases := c.io_leases;
        io_stamps := c.io_stamps;
        v_tokens := c.io_tokens;
        v_left := v_left - (v_share - c.io_left);
        v_busy[i] := v_busy[i] + (v_share - c.io_left);
      end loop;
    end loop;
  end loop;
  if v_left is null then
    return;
  end if;
  v_spent := room.o_room - v_left;
  io_left := io_left - v_spent;
  if v_spent > 0 and m.circuit <> 'closed' then
    update models set circuit = 'half-open', circuit_until = t + p_ttl where id = p_model;
  end if;
  if v_spent > 0 and (room.o_requests is not null or v_tokens is not null) then
    update models set requests_left = coalesce(room.o_requests - v_spent, 0), tokens_left = coalesce(v_tokens, 0),
                      bucket_at = t
     where id = p_model;
  end if;
end $$;

-- Hands a worker up to p_want samples in up to p_max_leases leases, of models whose labels it offers.
-- o_stamp changes whenever what a worker must know of the job does. o_generation and o_attempt are null for first
-- attempts. One call never waits for a second model's row while it holds a first one's.
-- The grant need not reach the disk before the worker starts: a claim lost in a crash is handed out again.
create or replace function queue_claim(p_worker int, p_want int, p_max_leases int, p_ttl interval, p_avoid int[])
returns table(o_lease bigint, o_job bigint, o_stamp text, o_cell int,
              o_index int[], o_generation int[], o_attempt int[])
language plpgsql
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
declare
  t constant timestamptz := clock_timestamp();
  v_left int := p_want;
  v_leases leases[] := '{}';
  v_stamps text[] := '{}';
  v_lease leases;
  v_first boolean := true;
  v_model int;
  v_models int[];
  c record;
begin
  perform set_config('synchronous_commit', 'off', true);
  select array_agg(x.id order by x.priority desc, x.id) into v_models
    from (select m.id, max(j.priority) as priority
            from workers w join jobs j on j.state = 'running' join models m on m.id = j.model_id
           where w.id = p_worker and w.state = 'up' and w.labels @> m.labels and m.id <> all(p_avoid)
             and (m.circuit = 'closed' or m.circuit_until <= t) and (m.cooldown_until is null or m.cooldown_until <= t)
             and (exists(select 1 from ranges g where g.job_id = j.id and (g.cell, g.start) >= (j.at_cell, j.at_start)
                                                  and g.next < g.stop)
                  or exists(select 1 from retries q where q.job_id = j.id and q.lease_id is null and q.next_try <= t))
           group by m.id) x;
  if v_models is null then
    return;
  end if;
  if cardinality(v_models) > 1 then
    v_models := array(
      select m.id from models m where m.id = any(v_models)
       order by (select max(j.priority) from jobs j where j.model_id = m.id and j.state = 'running') desc,
                (select coalesce(sum(l.n), 0) from leases l where l.model_id = m.id and l.id >= m.lease_floor), m.id);
  end if;
  foreach v_model in array v_models loop
    c := queue_claim_model(p_worker, v_model, v_first, p_max_leases, p_ttl, v_leases, v_stamps, v_left);
    v_leases := c.io_leases;
    v_stamps := c.io_stamps;
    v_left := c.io_left;
    v_first := false;
    exit when v_left <= 0 or cardinality(v_leases) >= p_max_leases;
  end loop;
  -- The ids of leases, though, must never come again. A sequence logs its next 32 values at once; who made it do so
  -- waits for the disk, one claim in thirty or so.
  if v_leases <> '{}' and (select s.log_cnt from leases_id_seq s) >= 31 - cardinality(v_leases) then
    perform set_config('synchronous_commit', 'on', true);
  end if;
  for i in 1..cardinality(v_leases) loop
    v_lease := v_leases[i];
    o_lease := v_lease.id; o_job := v_lease.job_id; o_stamp := v_stamps[i];
    o_cell := v_lease.cell; o_index := v_lease.open; o_generation := null; o_attempt := null;
    if not v_lease.fresh then
      select array_agg(q.generation order by q.index), array_agg(q.attempts + q.losses + 1 order by q.index)
        into o_generation, o_attempt
        from retries q where q.job_id = o_job and q.cell = o_cell and q.index = any(o_index);
    end if;
    return next;
  end loop;
end $$;
