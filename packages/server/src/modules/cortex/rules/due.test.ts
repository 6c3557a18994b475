import { describe, expect, it } from 'vitest';
import { dueDigests, mergeOutcomes, newTies, type TouchedEntry } from './due.ts';

const touched = (over: Partial<TouchedEntry> = {}): TouchedEntry => ({
  branch: 'main',
  seq: 1,
  entity_path: 'a',
  entry_id: 1,
  agents: ['agent/a'],
  is_new: false,
  is_private: false,
  has_patterns: false,
  ...over,
});
const none = { entries: [], outcomes: [], paths: [] };
const names = (due: ReturnType<typeof dueDigests>) => due.map(({ digest_type, scope }) => `${digest_type} ${scope}`);

describe('what makes digests due', () => {
  it('a write: those of its path and of its author, once for many writes', () => {
    const due = dueDigests({ ...none, entries: [touched(), touched({ entry_id: 2 }), touched()] });
    expect(names(due)).toEqual(['entity a', 'agent_brief agent/a']);
    expect([...(due[0]?.entries ?? [])]).toEqual([1, 2]);
  });

  it('a write of an external source: that of the source', () => {
    const due = dueDigests({ ...none, entries: [touched({ agents: ['webhook/ci', 'external/ci'] })] });
    expect(names(due)).toEqual(['entity a', 'source ci']);
  });

  it('a private write: only those that it changes, unless others make them due too', () => {
    const [secret] = dueDigests({ ...none, entries: [touched({ is_private: true })] });
    expect(secret?.if_changed).toBe(true);
    const [both] = dueDigests({ ...none, entries: [touched({ is_private: true }), touched({ entry_id: 2 })] });
    expect(both?.if_changed).toBe(false);
  });

  it('an outcome: those of its agent, of the paths and authors of its causes, and patterns of successes', () => {
    const cause = { entry_id: 7, entity_path: 'p', written_by: 'agent/w', success: true };
    const outcome = { branch: 'main', seq: 9, agent_id: 'agent/o', causes: [cause] };
    const due = dueDigests({ ...none, outcomes: [outcome] });
    expect(names(due)).toEqual(['agent_brief agent/o', 'entity p', 'trace_pattern p', 'agent_brief agent/w']);
    const failed = { ...outcome, causes: [{ ...cause, success: false }] };
    expect(names(dueDigests({ ...none, outcomes: [failed] }))).not.toContain('trace_pattern p');
  });

  it('an outcome of several paths: their maps, of no more than twelve', () => {
    const cause = (n: number) => ({ entry_id: n, entity_path: `p${n}`, written_by: null, success: false });
    const of = (n: number) => {
      const causes = Array.from({ length: n }, (_, i) => cause(i));
      const due = dueDigests({ ...none, outcomes: [{ branch: 'main', seq: 9, agent_id: 'agent/o', causes }] });
      return due.filter(({ digest_type }) => digest_type === 'connection_map');
    };
    expect(of(1)).toEqual([]);
    expect(names(of(2))).toEqual(['connection_map p0', 'connection_map p1']);
    expect(of(500)).toHaveLength(12);
  });

  it('an outcome that ties what is tied already makes no new map', () => {
    const added = new Map([
      [7, new Set([1, 2])],
      [8, new Set([1, 2])],
      [9, new Set([1, 3])],
    ]);
    expect([...newTies([[5, [1, 2, 4]]], added).keys()]).toEqual([9]);
    expect([...newTies([], added).keys()]).toEqual([9, 8]);
  });

  it('branches are apart', () => {
    expect(dueDigests({ ...none, entries: [touched(), touched({ branch: 'b' })] })).toHaveLength(4);
  });
});

describe('the outcomes of a digest', () => {
  it('are the newest, each once, with a few of their entries', () => {
    const added = new Map([
      [5, new Set([3, 1, 2])],
      [4, new Set([9])],
    ]);
    expect(
      mergeOutcomes(
        [
          [4, [8]],
          [1, [1]],
        ],
        added,
        { outcomes: 2, entries: 2 },
      ),
    ).toEqual([
      [5, [1, 2]],
      [4, [8, 9]],
    ]);
  });
});
