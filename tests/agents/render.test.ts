import { describe, expect, it } from 'vitest';
import { readAnswer, render, type Screen } from '../../packages/server/src/cli/render/index.ts';

const plain: Screen = { width: undefined, colour: false };
const page = { next_cursor: null, has_more: false };

const event = (id: number, event_type: string, summary: string) => ({
  id,
  event_type,
  agent_id: 'a',
  actor_agent_id: null,
  branch: 'main',
  summary,
  details: {},
  created_at: '2026-01-31T12:00:00.000Z',
});

const timeline = (events: object[]) => JSON.stringify({ agentId: 'a', events, count: events.length, ...page });

describe('agents on the command line', () => {
  it('a timeline is a line an event, as a git log', () => {
    const text = timeline([event(12, 'cross_agent_read', 'b read svc/k v2'), event(7, 'write', 'Wrote svc/k v2')]);
    expect(render('agents.timeline', readAnswer('agents.timeline', text), plain)).toEqual({
      out: [
        '12 2026-01-31 12:00:00Z cross_agent_read b read svc/k v2',
        ' 7 2026-01-31 12:00:00Z write            Wrote svc/k v2',
        '',
      ].join('\n'),
      note: '',
    });
  });

  it('a timeline is cut at the edge of the terminal, and cannot write to it', () => {
    const text = timeline([event(1, 'commit', `Committed: \u001b[2J${'x'.repeat(200)}`)]);
    const { out } = render('agents.timeline', readAnswer('agents.timeline', text), { width: 80, colour: false });
    expect(out.trimEnd()).toHaveLength(80);
    expect(out).toContain(String.raw`\u001b[2J`);
  });

  it('an empty timeline says so beside the answer', () => {
    expect(render('agents.timeline', readAnswer('agents.timeline', timeline([])), plain)).toEqual({
      out: '',
      note: 'no events\n',
    });
  });

  it('agents are a table', () => {
    const agent = {
      agent_id: 'agent/x',
      entries_written: 12,
      last_active: '2026-01-31T12:00:00.000Z',
      created_at: '2026-01-01T12:00:00.000Z',
      description: 'does things',
      platform: null,
      tags: ['a', 'b'],
    };
    const text = JSON.stringify({ agents: [agent], ...page });
    expect(render('agents.list', readAnswer('agents.list', text), plain).out).toBe(
      [
        'AGENT    ENTRIES  LAST ACTIVE           TAGS  DESCRIPTION',
        'agent/x       12  2026-01-31 12:00:00Z  a, b  does things',
        '',
      ].join('\n'),
    );
  });
});
