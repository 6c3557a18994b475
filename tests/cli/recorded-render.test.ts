import type { OperationName } from '@mem-service/contract';
import { describe, expect, it } from 'vitest';
import { duration } from '../../packages/server/src/cli/render/numbers.ts';
import { AT, lines, shown } from './answers.ts';

const noted = { item_id: '7', agent_id: 'a', session_id: null as string | null, recorded_at: AT };

describe('a record is shown in one line', () => {
  it.each<[OperationName, object, string]>([
    [
      'sessions.record_context',
      { recorded: 'ticket', source: 'support/1' },
      'recorded context ticket (support/1) for a',
    ],
    ['sessions.record_context', { recorded: 'page', source: null }, 'recorded context page for a'],
    ['sessions.record_action', { action_index: 0, session_id: 's1' }, 'recorded action #0 for a (session s1)'],
    ['sessions.record_error', {}, 'recorded the error for a'],
    ['sessions.record_llm_call', { call_id: 'c1', cost_usd: 0.0081 }, 'recorded LLM call c1 (cost $0.01) for a'],
    ['sessions.record_llm_call', { call_id: 'c1', cost_usd: null }, 'recorded LLM call c1 (cost –) for a'],
    ['sessions.record_span', { span_id: 'x' }, 'recorded span x for a'],
    ['sessions.set_attributes', { attributes: { a: 1, b: 'x' } }, 'attributes are now a=1, b=x for a'],
    ['sessions.set_attributes', { attributes: {} }, 'attributes are now empty for a'],
    [
      'sessions.record_attempt',
      { attempt: 1, entries: 1, actions: 2, causes_complete: true, causes_incomplete_because: null },
      'closed attempt 1 with 1 entry and 2 actions for a',
    ],
  ])('%s %j', (name, answer, line) => {
    expect(shown(name, { ...noted, ...answer })).toBe(`${line}\n`);
  });
});

describe('how long something took', () => {
  it.each([
    [0.4, '<1 ms'],
    [999.4, '999 ms'],
    [999.5, '1.00 s'],
    [59_994, '59.99 s'],
    [59_995, '1 min 0 s'],
    [3_599_499, '59 min 59 s'],
    [3_599_500, '1 h 0 min'],
    [90_000_000, '25 h 0 min'],
  ])('%d ms is %s', (ms, text) => {
    expect(duration(ms)).toBe(text);
  });
});

describe('what is known of agents', () => {
  const entry = { key: 'k', version: 2, confidence: 0.8181, memory_type: 'fact', written_at: AT, recall_count: 0 };
  const reads_from = { bob: [{ entity_path: 'svc', key: 'j', read_count: 3 }] };

  it('their memory is a tree by path', () => {
    const answer = {
      agent_id: 'a',
      nodes: [{ entity_path: 'svc', written_entries: [entry], read_counts: { k: 1, j: 3 } }],
      total_written: 1,
      total_reads: 4,
      total_recalls: 0,
      cross_agent_reads: reads_from,
      truncated: true,
    };
    expect(shown('agents.memory_graph', answer)).toBe(
      lines(
        'a: wrote 1 entry, read 4 times',
        '  svc',
        '    k  v2  0.82 fact  written 2026-01-31 12:00:00Z  read once',
        '    j  read 3 times',
        '  read of bob',
        '    svc j  3 times',
        '  there is more than was looked at',
      ),
    );
  });

  it('what they read of others is a tree by author', () => {
    const answer = {
      agent_id: 'a',
      reads_from,
      agents_read_from: ['bob'],
      total_cross_agent_reads: 3,
      truncated: false,
    };
    expect(shown('agents.cross_agent_reads', answer)).toBe(
      lines('a has read others 3 times', '  read of bob', '    svc j  3 times'),
    );
    const none = { ...answer, reads_from: {}, agents_read_from: [], total_cross_agent_reads: 0 };
    expect(shown('agents.cross_agent_reads', none)).toBe('a has read nothing of others\n');
  });

  it('who is found for a task comes with the reasons', () => {
    const agent = { score: 0.801, capabilities: [], entries_here: 0, platform: null, tags: [] };
    const agents = [
      { ...agent, agent_id: 'a', description: 'rolls out', why: ['declares x', 'wrote 3 entries'] },
      { ...agent, agent_id: 'b', description: null, why: [] },
    ];
    expect(shown('agents.discover', { agents, truncated: true })).toBe(
      lines('a 0.80: rolls out', '  declares x', '  wrote 3 entries', 'b 0.80', 'not every profile was looked at'),
    );
    expect(shown('agents.discover', { agents: [], truncated: false })).toBe('no agent matches\n');
  });
});
