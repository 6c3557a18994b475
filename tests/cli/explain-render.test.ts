import { describe, expect, it } from 'vitest';
import { AT, action, explanation, lines, llmCall, reading, shown, span, stale, terminal } from './answers.ts';

const explained = (more: object, screen?: Parameters<typeof shown>[2]) =>
  shown('sessions.explain', explanation(more), screen);
const failed = { attempt: 1, outcome_type: 'minor_failure', summary: 'too low', action_indices: [0], recorded_at: AT };

describe('a session on the command line', () => {
  it('is a tree of all that is in it', () => {
    const answer = {
      session_id: 's1',
      causal_entries: [
        reading('retry'),
        reading('limit', { evidence_status: 'contested', success_count: 2, failure_count: 1, value: 'x'.repeat(90) }),
      ],
      external_contexts: [
        { label: 'ticket', summary: 'two\nlines', source: 'support/1', recorded_at: AT },
        { label: 'page', summary: 'read', source: null, recorded_at: AT },
      ],
      query_events: [
        {
          operation: 'search',
          parameters: { query: 'retry', branch: 'main', limit: 7 },
          result_count: 3,
          duration_ms: 12.4,
          occurred_at: AT,
        },
      ],
      tool_calls: [
        action('deploy', { arguments: { to: 'all' }, result_summary: 'rolled out', duration_ms: 2100 }),
        action('check', { success: false }),
      ],
      llm_calls: [llmCall('m', 0.0123, { provider: 'p', latency_ms: 61_000 }), llmCall('n', null)],
      error_events: [{ operation: 'tool', error_type: 'TimeoutError', message: 'too long', occurred_at: AT }],
      attributes: { team: 'payments', attempt: 2 },
      truncated: true,
    };
    expect(explained(answer)).toBe(
      lines(
        'session s1 of a: open since 2026-01-31 12:00:00Z',
        '  read 2 entries',
        '    svc retry v1  0.70 untested  by bob  {"max":5}',
        `    svc limit v1  0.70 contested (2 for, 1 against)  by bob  "${'x'.repeat(78)}…`,
        '  learnt elsewhere',
        '    ticket (support/1): two lines',
        '    page: read',
        '  1 query',
        '    search  3 found  12 ms  query=retry, limit=7',
        '  2 actions',
        '    #0 + deploy  2.10 s  rolled out  {"to":"all"}',
        '    #1 x check',
        '  2 LLM calls',
        '    m (p)  1200 in, 300 out  1 min 1 s  $0.01',
        '    n  1200 in, 300 out  –',
        '  1 error',
        '    TimeoutError in tool: too long',
        '  attributes team=payments, attempt=2',
        '  the session held more than is kept',
      ),
    );
  });

  it('groups what was read by attempt', () => {
    const answer = {
      causal_entries: [reading('k'), reading('k', { version: 2, attempt: 1 })],
      attempts: [failed],
    };
    expect(explained(answer)).toBe(
      lines(
        'session of a: open since 2026-01-31 12:00:00Z',
        '  read 2 entries',
        '    in attempt 1, which failed',
        '      svc k v1  0.70 untested  by bob  {"max":5}',
        '    in attempt 2',
        '      svc k v2  0.70 untested  by bob  {"max":5}',
        '  1 failed attempt',
        '    attempt 1: minor failure (#0): too low',
      ),
    );
  });

  it('marks what is stale, in the version that was read last', () => {
    const answer = {
      causal_entries: [
        reading('k'),
        reading('k', { version: 2 }),
        reading('same'),
        reading('gone', { value: undefined }),
      ],
      stale_reads: [
        stale('k', { read_version: 2 }),
        stale('same', { value_changed: false }),
        stale('gone', { current_version: null, changed_by: null }),
      ],
    };
    expect(explained(answer).split('\n').slice(2, -1)).toEqual([
      '    svc k v1  0.70 untested  by bob  {"max":5}',
      '    svc k v2  0.70 untested  by bob  STALE: v3 by bob says something else  {"max":5}',
      '    svc same v1  0.70 untested  by bob  STALE: v3 by bob says the same  {"max":5}',
      '    svc gone v1  0.70 untested  by bob  STALE: gone since  (its value is gone)',
    ]);
  });

  it('is drawn on a terminal, with marks, and cut at its edge', () => {
    const answer = { tool_calls: [action('deploy'), action('x'.repeat(60))], causal_entries: [reading('k')] };
    expect(explained(answer, terminal(48))).toBe(
      lines(
        'session of a: open since 2026-01-31 12:00:00Z',
        '├─ read 1 entry',
        '│  └─ svc k v1  0.70 untested  by bob  {"max":5}',
        '└─ 2 actions',
        '   ├─ #0 ✓ deploy',
        `   └─ #1 ✓ ${'x'.repeat(36)}…`,
      ),
    );
    const coloured = explained(answer, { width: 48, colour: true }).split('\n');
    expect(coloured[5]).toContain('\u001b[32m✓\u001b[0m');
    expect(coloured[5]?.endsWith('x…\u001b[0m')).toBe(true);
  });

  it('that is sealed shows its outcome and its trace', () => {
    const sealed = { status: 'sealed', trace_id: 't1', outcome_ref: 'deploy-1', outcome_type: 'critical_failure' };
    expect(explained(sealed)).toBe(
      lines('session of a: sealed, x deploy-1 (critical failure), trace t1', '  nothing was read or recorded yet'),
    );
    expect(explained({ ...sealed, outcome_ref: null, outcome_type: null })).toContain('sealed, no outcome, trace t1\n');
  });

  it('that never began is open and empty', () => {
    expect(explained({ session_started_at: null })).toBe(
      lines('session of a: open', '  nothing was read or recorded yet'),
    );
  });

  it('has its spans below their parents, in the order they started', () => {
    const later = { started_at: '2026-01-31T12:00:01.000Z' };
    const spans = [
      span('child of b', 'b', { kind: 'llm', model: 'm', input_tokens: 3, duration_ms: 40 }),
      span('late', 'a', { ...later, status: 'error', error: 'no' }),
      span('b', 'a', { duration_ms: 0.2 }),
      span('a', null, { status: 'running' }),
      span('orphan', 'who knows', { ...later, kind: 'llm', cost_usd: 0.001 }),
    ];
    expect(explained({ spans })).toBe(
      lines(
        'session of a: open since 2026-01-31 12:00:00Z',
        '  5 spans',
        '    agent a  running',
        '      agent b  <1 ms',
        '        llm child of b  40 ms  m  3 in, 0 out  –',
        '      agent late  error  no',
        '    llm orphan  <$0.01',
      ),
    );
  });

  it('shows so much of it that it can be read', () => {
    const chain = Array.from({ length: 5000 }, (_, i) => span(`s${i}`, i === 0 ? null : `s${i - 1}`));
    const out = explained({ spans: chain, causal_entries: Array.from({ length: 130 }, (_, i) => reading(`k${i}`)) });
    expect(out).toContain('svc k99 ');
    expect(out).not.toContain('svc k100 ');
    expect(out).toContain('    and 30 more, which --json shows\n');
    expect(out).toContain('    and 4900 more, which --json shows\n');
    expect(out.split('\n')).toHaveLength(1 + 102 + 102 + 1);
  });

  it('cannot write to the terminal', () => {
    const bad = '\u001b[2J';
    const answer = {
      causal_entries: [reading('k', { written_by: bad, value: bad })],
      external_contexts: [{ label: bad, summary: bad, source: bad, recorded_at: AT }],
      query_events: [{ operation: bad, parameters: { [bad]: bad }, result_count: 0, duration_ms: 0, occurred_at: AT }],
      tool_calls: [action(bad, { arguments: { [bad]: bad }, result_summary: bad })],
      llm_calls: [llmCall(bad, 1, { provider: bad })],
      spans: [span(bad, null, { error: bad, model: bad, kind: bad })],
      error_events: [{ operation: bad, error_type: bad, message: bad, occurred_at: AT }],
      attempts: [{ ...failed, summary: bad, outcome_type: bad }],
      attributes: { [bad]: bad },
    };
    expect(explained(answer)).not.toContain('\u001b');
  });
});
