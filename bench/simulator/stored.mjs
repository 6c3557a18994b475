import { reportOf } from './play.mjs';

const part = (kind, data, at = {}) => ({
  ...{ kind, visible_to: '', entity_path: null, key: null, entry_id: null, data },
  ...at,
});

/** What the service adds to the attributes of a trace (`attributesOf` in its module `traces`). */
const stamped = ({ attributes, outcome_type, llm_calls }) => ({
  ...attributes,
  ...{ source: 'api', model: llm_calls.at(-1).model, outcome_type },
});

/** A run of a world as its trace is stored: rules can be held against worlds without a service. */
export function storedTraceOf(run, { truth }) {
  const report = reportOf(run, 'run');
  const versionOf = (fact) => (fact === truth.memory?.fact && run.at > truth.memory.since ? 2 : 1);
  return {
    ...{ trace_id: `run-${run.no}`, seq: run.no, agent_id: run.agent, branch: 'main', visible_to: '' },
    ...{ outcome_ref: report.outcome_ref, outcome_type: report.outcome_type, created_at: run.at, is_partial: false },
    header: {
      ...{ task_input: report.task_input, response_text: report.response_text, decision_summary: null },
      ...{ attributes: stamped(report), session_metadata: {}, session_started_at: null, session_ended_at: run.at },
    },
    parts: [
      ...report.tool_calls.map((call) => part('action', call)),
      ...report.session_metadata.spans.map((span, i) => part('span', { span_id: `span-${i}`, ...span })),
      ...report.llm_calls.map((call, i) => part('llm_call', { call_id: `call-${i}`, ...call })),
      ...run.reads.map((fact) => part('read', { version: versionOf(fact) }, { ...fact, entry_id: 1 })),
    ],
  };
}
