-- The queue, part 3 (continued): results of first attempts, which is what almost all reports bring.

-- What usage counts of a result: prompts that were refused for their size were not read, and those that a worker did
-- not even send (no time passed) were no calls.
create or replace function queue_read(r results) returns int language sql immutable as $$
  select case when r.status <> 'context_overflow' then coalesce(r.server_prompt_tokens, r.prompt_tokens) end $$;
create or replace function queue_called(r results) returns int language sql immutable as $$
  select (r.status <> 'context_overflow' or coalesce(r.duration_ms, 0) > 0)::int $$;

-- Stores results that only this worker can have: of first attempts (generation 0, attempt 1), in leases that are live.
-- Nothing can be in their way, so they go in without looking for it. Only a crash that made the server forget an
-- earlier grant can have put results there before: then the call fails with unique_violation and nothing has happened.
-- p_jobs are the jobs, sorted. p_lease … p_last have an element a lease, by id: p_first[k] … p_last[k] are the places
-- of its samples, by index. Returns false, and changes nothing, unless all the samples were held.
-- Elements are taken by subscript: `unnest` of twenty arrays fills twenty temporary tables first.
create or replace function queue_store_fresh(
  p_worker int, p_jobs bigint[], p_lease bigint[], p_job bigint[], p_cell int[], p_first int[], p_last int[],
  p_index int[],
  p_status text[], p_score double precision[], p_answer text[], p_thinking text[], p_expected jsonb, p_sha256 bytea[],
  p_prompt int[], p_server int[], p_cached int[], p_completion int[], p_thought int[], p_finish text[], p_ttft int[],
  p_duration int[], p_error text[], p_detail jsonb)
returns boolean language plpgsql
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
declare
  l record;
  v_job bigint;
  v_whole bigint[] := '{}';
  v_part int[] := '{}';
  v_trials int[] := '{}';
begin
  foreach v_job in array p_jobs loop
    perform pg_advisory_xact_lock_shared(queue_lock_key(v_job));
  end loop;
  for k in 1..cardinality(p_lease) loop
    select x.open, x.model_id, m.circuit = 'half-open' as trial into l
      from leases x join models m on m.id = x.model_id
     where x.id = p_lease[k] and x.worker_id = p_worker and x.job_id = p_job[k] and x.cell = p_cell[k] and x.fresh
       for update of x;
    if not found then
      return false;
    elsif l.open = p_index[p_first[k]:p_last[k]] then
      v_whole := v_whole || p_lease[k];
    elsif exists(select unnest(p_index[p_first[k]:p_last[k]]) except select unnest(l.open)) then
      return false;
    else
      v_part := v_part || k;
    end if;
    if l.trial then
      v_trials := v_trials || l.model_id;
    end if;
  end loop;
  if v_whole <> '{}' then
    delete from leases where id = any(v_whole);
  end if;
  if v_part <> '{}' then
    update leases x set open = r.open, n = cardinality(r.open)
      from (select y.id, array(select unnest(y.open) except select unnest(p_index[p_first[k]:p_last[k]])
                                order by 1) as open
              from unnest(v_part) k join leases y on y.id = p_lease[k]) r
     where x.id = r.id;
  end if;
  with i as (
    insert into results as r (
      job_id, cell, index, generation, attempts, worker_id, status, score, answer, thinking, expected, prompt_sha256,
      prompt_tokens, server_prompt_tokens, cached_tokens, completion_tokens, thinking_tokens, finish_reason, ttft_ms,
      duration_ms, error, detail)
    select d.job, d.cell, p_index[o], 0, 1, p_worker, p_status[o], p_score[o], p_answer[o], p_thinking[o],
           nullif(p_expected -> (o - 1), 'null'), p_sha256[o], p_prompt[o], p_server[o], p_cached[o], p_completion[o],
           p_thought[o], p_finish[o], p_ttft[o], p_duration[o], p_error[o], nullif(p_detail -> (o - 1), 'null')
      from unnest(p_job, p_cell, p_first, p_last) d(job, cell, first, last), generate_series(d.first, d.last) o
    returning r.job_id, r.cell, r.status, coalesce(r.score, -1) as score, queue_read(r) as prompt,
              queue_called(r) as called, r.cached_tokens, r.completion_tokens, r.thinking_tokens)
  insert into deltas(job_id, cell, worker_id, status, score, n, calls, prompt_tokens, cached_tokens, completion_tokens,
                     thinking_tokens)
  select i.job_id, i.cell, p_worker, i.status, i.score, count(*), sum(i.called), coalesce(sum(i.prompt), 0),
         coalesce(sum(i.cached_tokens), 0), coalesce(sum(i.completion_tokens), 0), coalesce(sum(i.thinking_tokens), 0)
    from i group by i.job_id, i.cell, i.status, i.score;
  return v_whole = '{}' and v_trials = '{}' or queue_after(v_trials, p_jobs, true);
end $$;
