-- The queue, part 4: what keeps it going without anybody's asking.

-- Renews a worker's leases; returns those that are still its own, with the public ids of cancelled jobs.
-- A worker that drains may have left by the time its last heartbeat is read: it stays gone.
create or replace function queue_heartbeat(
  p_worker int, p_leases bigint[], p_ttl interval, p_draining boolean, p_models jsonb)
returns table(o_lease bigint, o_cancelled text) language plpgsql
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  t constant timestamptz := clock_timestamp();
begin
  perform set_config('synchronous_commit', 'off', true);
  perform 1 from leases where id = any(p_leases) and worker_id = p_worker order by id for update;
  return query
    with renewed as (
      update leases l set expires_at = t + p_ttl where l.id = any(p_leases) and l.worker_id = p_worker
      returning l.id, l.job_id)
    select r.id, case when j.state = 'cancelled' then j.public_id end from renewed r join jobs j on j.id = r.job_id;
  update workers set last_seen_at = t, models = p_models,
                     state = case when not p_draining and state <> 'draining' then 'up'
                                  when state = 'gone' then 'gone' else 'draining' end
   where id = p_worker;
end $$;

-- Takes samples back from leases that have run out (p_lost = 1), or that their worker gives up or never got (0).
-- A lease that ran out may mean that the sample kills its worker: after two losses more than the job allows failures
-- the sample ends as an error. Returns how many samples were taken back; fewer than the leases held when some had results.
create or replace function queue_take_back(p_leases bigint[], p_lost int) returns int language plpgsql
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  t constant timestamptz := clock_timestamp();
  v_total int := 0;
  v_jobs bigint[] := '{}';
  v_reason text := case when p_lost = 1 then 'lease ran out' else 'handed back' end;
  l record;
begin
  for l in
    select x.*, j.max_attempts from leases x join jobs j on j.id = x.job_id
     where x.id = any(p_leases) order by x.id for update of x
  loop
    delete from leases where id = l.id;
    v_jobs := v_jobs || l.job_id;
    with back as (
      insert into retries as r (job_id, cell, index, losses, reason, next_try)
      select l.job_id, l.cell, i, p_lost, v_reason, t from unnest(l.open) i
       where not exists(select 1 from results x where x.job_id = l.job_id and x.cell = l.cell and x.index = i)
       order by i
      on conflict (job_id, cell, index) do update
         set lease_id = null, losses = r.losses + p_lost, reason = v_reason, next_try = t where r.lease_id = l.id
      returning r.index, r.generation, r.attempts, r.losses),
    noted as (
      insert into attempts(job_id, cell, index, generation, attempt, worker_id, lease_id, kind, message)
      select l.job_id, l.cell, b.index, b.generation, b.attempts + b.losses, l.worker_id, l.id, 'expired',
             'the worker did not renew its lease' from back b where p_lost = 1)
    select v_total + count(*) into v_total from back;
    if p_lost = 1 then
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

-- Takes back what leases hold that have run out (p_only null), or all that a worker leaves behind (p_only).
create or replace function queue_reap(p_limit int, p_only int) returns int language plpgsql
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  t constant timestamptz := clock_timestamp();
begin
  return queue_take_back(
    array(select x.id from leases x
           where x.expires_at < case when p_only is null then t else 'infinity' end
             and (p_only is null or x.worker_id = p_only)
           order by x.id limit p_limit for update skip locked),
    (p_only is null)::int);
end $$;

-- Takes back the leases up to p_settled that a worker does not name among those it holds: the replies that granted them
-- were lost. Also returns the newest lease: what a claim gets that is sent after the worker was told has a higher number.
create or replace function queue_take_back_lost(p_worker int, p_named bigint[], p_settled bigint)
returns table(o_newest bigint, o_samples int) language plpgsql
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  v_lost bigint[];
begin
  select last_value into o_newest from leases_id_seq;
  v_lost := array(select l.id from leases l
                   where l.worker_id = p_worker and l.id <= p_settled and l.id <> all(p_named));
  o_samples := case when v_lost = '{}' then 0 else queue_take_back(v_lost, 0) end;
  return next;
end $$;

-- Folds the deltas into the tallies, and moves the figures of jobs and workers that only show progress.
-- One at a time; returns for each job that moved how many of its samples have ended.
create or replace function queue_fold() returns table(o_job bigint, o_public text, o_done bigint) language plpgsql as $$
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
      insert into tallies as a (job_id, cell, status, score, n, calls, prompt_tokens, cached_tokens, completion_tokens,
                                thinking_tokens)
      select d.job_id, d.cell, d.status, d.score, sum(d.n), sum(d.calls), sum(d.prompt_tokens), sum(d.cached_tokens),
             sum(d.completion_tokens), sum(d.thinking_tokens)
        from d group by d.job_id, d.cell, d.status, d.score
      on conflict (job_id, cell, status, score) do update
         set n = a.n + excluded.n, calls = a.calls + excluded.calls,
             prompt_tokens = a.prompt_tokens + excluded.prompt_tokens,
             cached_tokens = a.cached_tokens + excluded.cached_tokens,
             completion_tokens = a.completion_tokens + excluded.completion_tokens,
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
      insert into events(job_id, kind, data)
      select j.id, 'progress', jsonb_build_object('done', j.done) from j order by j.id)
    select j.id, j.public_id, j.done from j;
end $$;

-- Moves each model's floor up to its oldest live lease, so that a sum over its leases does not walk over dead entries
-- that an old snapshot keeps. The model's row is locked: nobody can be inserting a lease with a lower id.
create or replace function queue_raise_floors() returns int language plpgsql as $$
declare
  v_model int;
  v_old bigint;
  v_floor bigint;
  v_count int := 0;
begin
  for v_model in select id from models order by id loop
    select lease_floor into v_old from models where id = v_model for update skip locked;
    continue when not found;
    select coalesce((select min(id) from leases where model_id = v_model and id >= v_old),
                    (select last_value from leases_id_seq)) into v_floor;
    if v_floor - v_old >= 256 then
      update models set lease_floor = v_floor where id = v_model;
      v_count := v_count + 1;
    end if;
  end loop;
  return v_count;
end $$;

-- Marks jobs that have calls in flight and have not moved for longer than a call may take: the model's time to the
-- first byte for the longest prompt in flight. A job that moves again loses the mark in queue_fold.
create or replace function queue_find_stalled() returns table(o_job text, o_reason text) language plpgsql as $$
declare
  t constant timestamptz := clock_timestamp();
  r record;
begin
  for r in
    select j.id, j.public_id, j.active_at, f.n, f.oldest, f.length, m.spec
      from jobs j join models m on m.id = j.model_id
      join lateral (select sum(l.n) as n, min(l.granted_at) as oldest, max(c.length) as length
                      from leases l join cells c on c.job_id = l.job_id and c.cell = l.cell
                     where l.job_id = j.id) f on f.n > 0
     where j.state = 'running' and j.stalled is null
  loop
    continue when greatest(r.oldest, r.active_at) >
      t - (coalesce((r.spec #>> '{timeouts,first_byte}')::double precision, 300)
           + coalesce((r.spec #>> '{timeouts,per_1k_tokens}')::double precision, 10) * r.length / 1000)
          * interval '1 second';
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

-- Workers that have not been heard of; what they held is taken back when it runs out.
create or replace function queue_miss_workers(p_after interval) returns setof int language sql as $$
  update workers set state = 'gone' where state <> 'gone' and last_seen_at < clock_timestamp() - p_after returning id
$$;

-- Ends jobs whose last two leases were closed at the same moment, each report still seeing the other's.
create or replace function queue_settle_all() returns setof text language plpgsql as $$
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

-- Forgets what only served to show progress.
create or replace function queue_prune() returns void language sql as $$
  delete from events where kind = 'progress' and at < clock_timestamp() - interval '1 hour';
  delete from progress_points p using jobs j
   where j.id = p.job_id and p.at < clock_timestamp() - interval '1 day' and j.state <> 'running';
  delete from idempotency_keys where created_at < clock_timestamp() - interval '7 days';
  delete from probe_orders where created_at < clock_timestamp() - interval '1 day';
$$;
