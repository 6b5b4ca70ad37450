-- The queue, part 3 (continued): results that may be late, repeated or of a later attempt. Rules: 3_close.sql.

-- Stores results. Returns null when every one was stored, else for each {verdict, reason}.
create or replace function queue_report_results(
  p_worker int, p_lease bigint[], p_job bigint[], p_cell int[], p_index int[], p_generation int[], p_attempt int[],
  p_status text[], p_score double precision[], p_answer text[], p_thinking text[], p_expected jsonb, p_sha256 bytea[],
  p_prompt int[], p_server int[], p_cached int[], p_completion int[], p_thought int[], p_finish text[], p_ttft int[],
  p_duration int[], p_error text[], p_detail jsonb)
returns text[] language plpgsql
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
declare
  k record;
  v_verdict text[];
  v_reason text[];
  v_replaced bigint[];
  v_stored int;
begin
  k := queue_close(p_worker, p_lease, p_job, p_cell, p_index);
  select array_agg(case when r.why is not null then 'refused' when r.stale then 'stale' end order by o),
         array_agg(coalesce(r.why, case when r.stale then 'the sample has been asked again since' end) order by o)
    into v_verdict, v_reason
    from (select d.o,
                 case when not k.held[d.o] then queue_refusal(d.l, k.foreign_lease[d.o], d.j, d.c, d.i) end as why,
                 q.index is not null as stale
            from unnest(p_lease, p_job, p_cell, p_index, p_generation) with ordinality d(l, j, c, i, g, o)
            left join retries q on q.job_id = d.j and q.cell = d.c and q.index = d.i and q.generation > d.g) r;
  with i as (
    insert into results as r (
      job_id, cell, index, generation, attempts, worker_id, status, score, answer, thinking, expected, prompt_sha256,
      prompt_tokens, server_prompt_tokens, cached_tokens, completion_tokens, thinking_tokens, finish_reason, ttft_ms,
      duration_ms, error, detail)
    select p_job[o], p_cell[o], p_index[o], p_generation[o], p_attempt[o], p_worker, p_status[o], p_score[o],
           p_answer[o], p_thinking[o], nullif(p_expected -> (o - 1), 'null'), p_sha256[o], p_prompt[o], p_server[o],
           p_cached[o], p_completion[o], p_thought[o], p_finish[o], p_ttft[o], p_duration[o], p_error[o],
           nullif(p_detail -> (o - 1), 'null')
      from generate_series(1, cardinality(p_lease)) o
     where v_verdict[o] is null
     order by p_job[o], p_cell[o], p_index[o]
    on conflict (job_id, cell, index) do update
       set (xid, at, generation, attempts, worker_id, status, score, answer, thinking, expected, prompt_sha256,
            prompt_tokens, server_prompt_tokens, cached_tokens, completion_tokens, thinking_tokens, finish_reason,
            ttft_ms, duration_ms, error, detail)
         = (pg_current_xact_id(), clock_timestamp(), excluded.generation, excluded.attempts, excluded.worker_id,
            excluded.status, excluded.score, excluded.answer, excluded.thinking, excluded.expected,
            excluded.prompt_sha256, excluded.prompt_tokens, excluded.server_prompt_tokens, excluded.cached_tokens,
            excluded.completion_tokens, excluded.thinking_tokens, excluded.finish_reason, excluded.ttft_ms,
            excluded.duration_ms, excluded.error, excluded.detail)
     where r.status = 'error' and r.generation = excluded.generation
    returning r.job_id, r.cell, r.index, r.status, coalesce(r.score, -1) as score, queue_read(r) as prompt,
              queue_called(r) as called, r.cached_tokens, r.completion_tokens, r.thinking_tokens,
              xmax <> 0 as replaced),
  t as (
    insert into deltas(job_id, cell, worker_id, status, score, n, calls, prompt_tokens, cached_tokens,
                       completion_tokens, thinking_tokens)
    select i.job_id, i.cell, p_worker, i.status, i.score, count(*), sum(i.called), coalesce(sum(i.prompt), 0),
           coalesce(sum(i.cached_tokens), 0), coalesce(sum(i.completion_tokens), 0), coalesce(sum(i.thinking_tokens), 0)
      from i group by i.job_id, i.cell, i.status, i.score),
  u as (
    insert into deltas(job_id, cell, status, score, n)
    select i.job_id, i.cell, 'error', -1, -count(*) from i where i.replaced group by i.job_id, i.cell)
  select count(*), array_agg(distinct i.job_id) filter (where i.replaced) into v_stored, v_replaced from i;
  perform queue_after_results(p_worker, v_verdict, p_lease, p_job, p_cell, p_index, p_generation, p_attempt, p_server,
                              p_completion, p_duration);
  if v_stored < cardinality(p_lease) then
    v_verdict := array(select coalesce(v_verdict[d.o], case when r.index is null then 'duplicate' else 'stored' end)
                         from unnest(p_job, p_cell, p_index) with ordinality d(j, c, i, o)
                         left join results r on r.job_id = d.j and r.cell = d.c and r.index = d.i
                                            and r.xid = pg_current_xact_id()
                        order by d.o);
  end if;
  perform queue_after(k.models, k.emptied || v_replaced || p_job, v_stored > 0);
  if v_stored = cardinality(p_lease) then
    return null;
  end if;
  return array(select array[v_verdict[o], v_reason[o]] from generate_series(1, cardinality(p_lease)) o);
end $$;

-- What such a report leaves to do: its samples wait no more, and calls that gave nothing new are noted.
create or replace function queue_after_results(
  p_worker int, p_verdict text[], p_lease bigint[], p_job bigint[], p_cell int[], p_index int[], p_generation int[],
  p_attempt int[], p_server int[], p_completion int[], p_duration int[])
returns void language plpgsql as $$
begin
  delete from retries q using unnest(p_job, p_cell, p_index, p_generation) with ordinality d(j, c, i, g, o)
   where p_verdict[d.o] is null and q.job_id = d.j and q.cell = d.c and q.index = d.i and q.generation <= d.g;
  with late as (
    insert into attempts(job_id, cell, index, generation, attempt, worker_id, lease_id, kind, message, prompt_tokens,
                         completion_tokens, duration_ms)
    select d.j, d.c, d.i, d.g, d.a, p_worker, d.l, case p_verdict[d.o] when 'stale' then 'late' else 'duplicate' end,
           case p_verdict[d.o] when 'stale' then 'an answer that came after the sample was asked again'
                               else 'another answer to a sample that has its result' end,
           d.prompt, d.completion, d.duration
      from unnest(p_lease, p_job, p_cell, p_index, p_generation, p_attempt, p_server, p_completion, p_duration)
           with ordinality d(l, j, c, i, g, a, prompt, completion, duration, o)
     where p_verdict[d.o] is distinct from 'refused'
       and not exists(select 1 from results r where r.job_id = d.j and r.cell = d.c and r.index = d.i
                         and (r.xid = pg_current_xact_id()
                              or (r.worker_id = p_worker and r.generation = d.g and r.attempts = d.a)))
    returning job_id, cell, prompt_tokens, completion_tokens)
  insert into deltas(job_id, cell, status, score, n, calls, prompt_tokens, completion_tokens)
  select job_id, cell, 'attempt', -1, count(*), count(*), coalesce(sum(prompt_tokens), 0),
         coalesce(sum(completion_tokens), 0)
    from late group by job_id, cell;
end $$;
