import { describe, expect, it } from 'vitest';
import { lines, llmCall, page, reading, shown, span, terminal, trace } from './answers.ts';

const sealedTrace = {
  outcome_ref: 'deploy-1',
  outcome_type: 'success',
  task_input: 'Roll out\nthe new policy',
  response_text: 'r'.repeat(300),
  decision_summary: 'go on',
  session_duration_ms: 2905,
  causal_entries: [reading('k')],
};
const [ONE, TWO] = ['01m7f0zw5dt71jf94f6bp47fve', '01m7f0zyn163bea9sdet8nky2k'] as const;

describe('traces on the command line', () => {
  it('a trace is a tree of what was asked, answered, read and changed', () => {
    const answer = trace(ONE, {
      ...sealedTrace,
      session_id: 's1',
      session_metadata: {
        attributes: {},
        llm_calls: [llmCall('m', 0.0123), llmCall('n', null)],
        spans: [span('plan', null), span('do', 'plan')],
      },
      total_llm_calls: 2,
      total_tokens: 3000,
      known_cost_usd: 0.0123,
      state_diff: {
        entries_created: 1,
        entries_updated: 2,
        confidence_changes: [
          { entity_path: 'svc', key: 'k', before: 0.7, after: 0.8181818181818182, outcome_ref: 'deploy-1' },
        ],
      },
      attributes: { team: 'payments' },
      sequence: 3,
      key_id: 'k1',
      signature: 's',
    });
    expect(shown('traces.read', answer)).toBe(
      lines(
        `trace ${ONE} + deploy-1 (success)`,
        '  by a (session s1), ended 2026-01-31 12:00:00Z, after 2.90 s',
        '  task: Roll out the new policy',
        `  response: ${'r'.repeat(239)}…`,
        '  decision: go on',
        '  read 1 entry',
        '    svc k v1  0.70 untested  by bob  {"max":5}',
        '  2 LLM calls: 3000 tokens, – ($0.01 known)',
        '    m  1200 in, 300 out  $0.01',
        '    n  1200 in, 300 out  –',
        '  2 spans',
        '    agent plan',
        '      agent do',
        '  changed: 1 created, 2 updated, 1 moved in confidence',
        '    svc k  0.70 -> 0.82',
        '  attributes team=payments',
        '  sealed as 2928c29e1ab2, number 3 of its session, signed with key k1',
      ),
    );
  });

  it('a trace of little is short', () => {
    expect(shown('traces.read', trace(ONE))).toBe(
      lines(
        `trace ${ONE} no outcome`,
        '  by a, ended 2026-01-31 12:00:00Z',
        '  sealed as 2928c29e1ab2, number 1 of its session',
      ),
    );
  });

  const list = (...traces: object[]) => ({ traces, ...page });
  const three = list(
    trace(TWO, { outcome_ref: 'r2', outcome_type: 'p1_incident', agent_id: 'agent/b' }),
    trace(ONE, { ...sealedTrace, total_llm_calls: 1 }),
    trace('01m7f000000000000000000000', { decision_summary: 'went on', total_llm_calls: 1, total_cost_usd: 0.5 }),
  );

  it('a list is a line a trace, as a git log', () => {
    expect(shown('traces.list', three)).toBe(
      lines(
        '01m7f0zyn1 2026-01-31 12:00:00Z agent/b x r2 (p1 incident) 0 entries',
        '01m7f0zw5d 2026-01-31 12:00:00Z a       + deploy-1         Roll out the new policy  1 entry, 2.90 s, –',
        '01m7f00000 2026-01-31 12:00:00Z a       -                  went on  0 entries, $0.50',
      ),
    );
  });

  it('a list fits a terminal: what gives way is the task', () => {
    const long = list(trace(ONE, { ...sealedTrace, task_input: 't'.repeat(300) }));
    const line = shown('traces.list', long, terminal(100)).trimEnd();
    expect(line).toHaveLength(100);
    expect(line).toMatch(/^01m7f0zw5d .* a ✓ deploy-1 t+… {2}1 entry, 2\.90 s$/);
    expect(shown('traces.list', three, terminal(120))).toContain(' ✗ r2 (p1 incident)');
  });

  it('ids are as short as they can be told apart', () => {
    const near = list(trace(ONE), trace(`${ONE.slice(0, 12)}${'0'.repeat(14)}`));
    expect(shown('traces.list', near)).toMatch(/^01m7f0zw5dt71 .*\n01m7f0zw5dt70 /);
  });

  it('sealing one of your own says which it is', () => {
    expect(shown('traces.create', trace(ONE, { causal_entries: [reading('k')] }))).toBe(
      `sealed trace ${ONE} with 1 entry, hash 2928c29e1ab2\n`,
    );
  });

  it('verifying says that all is well, or what is not', () => {
    const checked = { total_checked: 2, valid: 2, problems: [] as object[], ...page };
    expect(shown('traces.verify', checked)).toBe('checked 2 traces: all intact\n');
    const problems = [{ trace_id: ONE, reason: 'changed', detail: 'its hash does not match' }];
    expect(shown('traces.verify', { ...checked, valid: 1, problems })).toBe(
      lines('checked 2 traces: 1 problem', `${ONE}: its hash does not match`),
    );
  });
});
