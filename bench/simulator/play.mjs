/**
 * Plays a world. `call(operation, input, { agent_id, session_id })` is any way to the service. `advanceTo` sets its
 * clock, where it has one that can be set. Returns the runs with their trace ids, and the version of the wrong memory.
 */
export async function playWorld({ steps, truth }, { call, advanceTo = () => {}, name = 'run' }) {
  const runs = [];
  let wrongVersion;
  for (const step of steps) {
    await advanceTo(step.at);
    if (step.kind === 'run') {
      runs.push({ ...step, trace_id: await playRun(step, { call, name }) });
      continue;
    }
    const { fact, value, agent } = step;
    const { version } = await call(
      'entries.write',
      { ...fact, value },
      { agent_id: agent, session_id: `${name}-writes` },
    );
    if (fact === truth.memory?.fact) wrongVersion = version;
  }
  return { runs, wrongVersion };
}

async function playRun(run, { call, name }) {
  const as = { agent_id: run.agent, session_id: `${name}-${run.no}` };
  for (const fact of run.reads) await call('entries.read', fact, as);
  const { trace_id } = await call('outcomes.commit', reportOf(run, name), as);
  return trace_id;
}

/** What an agent reports at the end of its run. */
export function reportOf(run, name) {
  const { task, tools, attributes, cost_usd, tokens, failed, no } = run;
  return {
    outcome_ref: `${name}-${no}`,
    outcome_type: failed ? 'failure' : 'success',
    task_input: `Do the ${task} of order ${1000 + no}`,
    response_text: failed ? `The ${task} was refused.` : `The ${task} is done.`,
    tool_calls: tools.map((tool) => ({
      tool_name: tool.name,
      arguments: { order: 1000 + no },
      result_summary: tool.failed ? 'connection reset' : 'done',
      duration_ms: tool.ms,
      success: !tool.failed,
    })),
    attributes: { ...attributes, task },
    llm_calls: [
      {
        model: 'small-1',
        provider: 'local',
        input_tokens: tokens,
        output_tokens: Math.round(tokens / 8),
        cost_usd,
        latency_ms: 300,
      },
    ],
    session_metadata: {
      spans: tools.map((tool) => ({
        name: tool.name,
        kind: 'tool',
        status: tool.failed ? 'error' : 'ok',
        ...(tool.failed ? { error: 'connection reset' } : {}),
        duration_ms: tool.ms,
      })),
    },
  };
}
