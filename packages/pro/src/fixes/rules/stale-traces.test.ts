import { describe, expect, it } from 'vitest';
import { staleTraces } from './stale-traces.ts';

const trace = (trace_id: string, seq: number, agent_id = 'agent/runner') => ({ trace_id, seq, agent_id });
const change = (key: string, seq: number, agent_id: string) => ({ entity_path: 'shop', key, seq, agent_id });
const traces = [trace('first', 10), trace('second', 20), trace('third', 30)];
const corrected = [{ entity_path: 'shop', key: 'limit' }];
const stale = (...changes: ReturnType<typeof change>[]) => [...staleTraces(traces, changes, corrected)];

describe('traces of cases', () => {
  it('hold while nothing is changed, or before they were made', () => {
    expect(stale()).toEqual([]);
    expect(stale(change('note', 9, 'agent/other'))).toEqual([]);
  });

  it('that are older than a change by somebody else say nothing of it', () => {
    expect(stale(change('note', 15, 'agent/other'))).toEqual(['first']);
    expect(stale(change('note', 40, 'agent/other'))).toEqual(['first', 'second', 'third']);
  });

  it('hold whatever their agents write meanwhile, but not for what they write afterwards', () => {
    expect(stale(change('note', 15, 'agent/runner'), change('lesson', 25, 'agent/runner'))).toEqual([]);
    expect(stale(change('note', 31, 'agent/runner'))).toEqual(['first', 'second', 'third']);
  });

  it('that are older than a correction say nothing of it, whoever wrote it', () => {
    expect(stale(change('limit', 25, 'agent/runner'))).toEqual(['first', 'second']);
  });
});
