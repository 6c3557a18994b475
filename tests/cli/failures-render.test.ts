import { describe, expect, it } from 'vitest';
import { AT, lines, page, shown, terminal } from './answers.ts';

const share = { rate: 0.96, low: 0.8045593626, high: 0.9929037664, count: 24, of: 25 };
const rest = { rate: 0.046153846153846156, low: 0.0158, high: 0.12713847, count: 3, of: 65 };
const runs = {
  ...{ with_it: share, without_it: rest, lift: { ratio: 17.98, low: 6.4688, high: 49.977 }, p: 4.769295790957737e-17 },
};
const ledger = { successes: 0, failures: 25, confidence_change: -0.592731 };
const MARKDOWN = '# Fix 01\n\n```sh\nnpx @mem-service/cli approve-fix 01\n```\n';
const fix = {
  ...{ fix_id: '01', status: 'proposed', policy: 'review', branch: 'repair/01', set_id: 'regression' },
  source: {
    ...{ kind: 'incident', judge_id: 'tools', trace_id: null, behavior_id: null, incident_id: '02' },
    ...{ entity_path: null, key: null, version: null },
  },
  ...{ summary: 'Judge tools failed.', description: '', entry_count: 1, agent_id: 'cli', decided_by: null },
  ...{ decision: '', decided_at: null, merge_id: null, case_run_id: null, created_at: AT },
};
const incident = {
  ...{ incident_id: '02', source_kind: 'judge', source_id: 'tools', source_version: 1, agent_id: 'bot' },
  ...{ group_id: '02', related: [], related_complete: true },
  ...{ branch: 'main', status: 'open', muted_until: null, reason: '9 of 20 traces failed.', rule: 'excess' },
  window: { samples: 20, failures: 9, rate: 0.45, low: 0.2581978582556243, high: 0.6579146575496577 },
  base: { samples: 52, failures: 3, rate: 0.0576923, low: 0.0198141, high: 0.1564251 },
  ...{ chance: 0.0002581324584108788, bound: 0.0005 },
  since: { samples: 0, failures: 0, rate: null, low: 0, high: 1 },
  ...{ created_at: AT, opened_at: AT, last_failed_at: AT, updated_at: AT },
};

describe('failures are shown', () => {
  it('with the hand-over of a fix as the Markdown that it is', () => {
    expect(shown('fixes.read_handover', { fix_id: '01', markdown: MARKDOWN })).toBe(MARKDOWN);
    const unsafe = shown('fixes.read_handover', { fix_id: '01', markdown: 'a\u001b[2Jb\n' });
    expect(unsafe).toBe('a\\u001b[2Jb\n');
  });

  it('with a fix without its hand-over, and without figures as JSON', () => {
    const entry = {
      ...{ entity_path: 'shop', key: 'limit', blamed_version: 4, blamed_author: 'intern', blamed_at: AT },
      ...{ action: 'restore', restored_version: 3, branch_version: 5, reason: 'Of the runs that read it 24 failed.' },
      ...{ runs, ledger },
    };
    const replay = { cases: 1, case_run_id: null, passed: false, reason: 'not run' };
    const text = shown('fixes.propose', { ...fix, entries: [entry], replay, timeline: [], handover: MARKDOWN });
    expect(text).toMatch(/^source incident id +02$/m);
    expect(text).toContain('Of the runs that read it 24 failed.');
    expect(text).not.toMatch(/[{#]|trace id/);
    expect(shown('fixes.list', { fixes: [fix], ...page })).not.toContain('{');
  });

  it('with fixes by the entries that they correct', () => {
    const first_entry = { entity_path: 'shop/refunds', key: 'limit' };
    const several = { ...fix, fix_id: '03', first_entry, entry_count: 3 };
    const list = { fixes: [{ ...fix, first_entry }, several], ...page };
    for (const text of [shown('fixes.list', list), shown('fixes.list', list, terminal(140))]) {
      expect(text).toContain('FIX OF');
      expect(text).toMatch(/01 .*shop\/refunds\/limit /);
      expect(text).toMatch(/03 .*shop\/refunds\/limit and 2 more/);
    }
  });

  it('with suspects by their figures, or with the reason why there are none', () => {
    const suspect = {
      ...{ entity_path: 'shop', key: 'limit', branch: 'main', version: 4, newest_version: 4, deleted: false },
      ...{ written_by: 'intern', written_at: AT, ...runs, ledger, always_with: [], explained_by: null },
      trace_ids: ['t1'],
    };
    const found = { suspects: [suspect], failed: 27, passed: 63, looked_at: 90, complete: true };
    const text = shown('failures.attribute', found);
    expect(text).toMatch(/^runs {2}27 failed, 63 passed$/m);
    expect(text).toContain('24 of 25, 96 % (80-99)');
    expect(text).toContain('18 times (6.5-50)');
    expect(text).toContain('4.77e-17');
    const explained = { ...suspect, explained_by: { dimension: 'tool_name', value: 'pay' } };
    expect(shown('failures.attribute', { ...found, suspects: [explained] })).toContain('tool_name pay');
    expect(shown('failures.attribute', { ...found, suspects: [], failed: 1 })).toBe(
      lines('runs  1 failed, 63 passed', 'no suspects: at least 3 failing runs have to have read the same version'),
    );
    expect(shown('failures.attribute', { ...found, suspects: [] })).toContain('beyond chance');
  });

  it('with an incident in figures that people read', () => {
    const text = shown('incidents.acknowledge', incident);
    expect(text).toMatch(/^window +9 of 20, 45 % \(26-66\)$/m);
    expect(text).toMatch(/^since +0 of 0$/m);
    expect(text).toMatch(/^chance +0.000258$/m);
    const list = shown('incidents.list', { incidents: [incident], ...page });
    expect(list).toMatch(/^02 +open +judge +tools +1 judge +bot +main .*9 of 20 traces failed\.$/m);
    const other = { incident_id: '03', source_kind: 'judge', agent_id: 'bot', status: 'open' };
    const judges = ['errors', 'outcome', 'errors'].map((source_id) => ({ ...other, source_id }));
    const related = [...judges, { ...other, source_kind: 'behavior', source_id: 'hasty' }];
    const group = shown('incidents.list', { incidents: [{ ...incident, related }], ...page });
    expect(group).toMatch(/^02 +open +judge +tools +3 judges, 1 behavior +bot /m);
    const narrow = shown('incidents.list', { incidents: [incident], ...page }, terminal(80));
    expect(narrow.split('\n').every((line) => line.length <= 80)).toBe(true);
  });

  it('with how many runs were looked at, which is no time', () => {
    const dimension = { name: 'model', runs: 3, value_count: 1, values: [{ value: 'small', runs: 3 }] };
    const text = shown('dimensions.list', { dimensions: [dimension], looked_at: 3, complete: true });
    expect(text).toMatch(/^looked at +3$/m);
    expect(text).toMatch(/^model +3 +1 +small 3$/m);
  });

  it('with nothing where a search finds nothing', () => {
    const facets = [{ name: 'model', values: [], other_values: 0 }];
    const none = { traces: [], facets, counted: 0, complete: true, ...page };
    expect(shown('traces.search', none)).toBe('no traces\n');
    expect(shown('traces.search', { ...none, has_more: true, next_cursor: 'x' })).not.toContain('model');
  });
});
