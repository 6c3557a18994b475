import { describe, expect, it } from 'vitest';
import { AT, lines, page, shown } from './answers.ts';

const source = { entity_path: 'svc', version: 1, confidence: 0.7, evidence_status: 'untested', value_truncated: false };
const candidate = {
  ...{ entity_path: 'svc', key: 'limit-x', branch: 'main', strategy: 'contradiction', risk_tier: 'review_required' },
  sources: [
    { ...source, key: 'limit-x', agent_id: 'a', value: 'twenty', kept: true },
    { ...source, key: 'limitX', agent_id: 'b', value: 'forty', kept: false },
  ],
  source_entry_keys: ['svc/limit-x', 'svc/limitX'],
  ...{ proposed_value: 'twenty', proposed_confidence: 0.7, compression_ratio: 2, rationale: 'agents disagree' },
  golden_queries: [{ question: 'which limit?', entity_path: 'svc', key: 'limitX', change: 'moves' }],
};
const proposal = {
  ...{ ...candidate, proposal_id: 'p-1', status: 'pending', agent_id: 'a', created_at: AT, seq: 3 },
  ...{ reviewed_by: null, reviewed_at: null },
};
const body = [
  '  keeps   svc limit-x (by a, 0.70): "twenty"',
  '  removes svc limitX (by b, 0.70): "forty"',
  '  answer moves: which limit?',
  '  agents disagree',
];

describe('a proposal is shown with what stays and what goes', () => {
  it('and with how to decide it', () => {
    const text = shown('consolidation.proposals', { proposals: [proposal], total: 1, ...page });
    expect(text).toBe(lines('p-1  contradiction', ...body, '  mem decide p-1 approve|reject'));
  });

  it('and with what it will say, where an agent suggested that', () => {
    const suggested = {
      ...proposal,
      strategy: 'suggested',
      proposed_value: 'thirty',
      status: 'approved',
      reviewed_by: 'b',
    };
    const text = shown('consolidation.decide', suggested);
    expect(text).toContain('p-1  suggested, approved by b\n');
    expect(text).toContain('"twenty"; it will say: "thirty"\n');
    expect(text).not.toContain('mem decide');
  });

  it('before it is stored, too', () => {
    const wanted = ['would propose  contradiction', ...body];
    const answer = { entity_path: 'svc', proposals: [candidate], truncated: false };
    expect(shown('consolidation.candidates', answer)).toBe(lines(...wanted));
    expect(shown('consolidation.candidates', { ...answer, proposals: [] })).toBe('nothing to propose\n');
    const run = {
      ...{
        run_id: null,
        status: 'preview',
        entity_path: 'svc',
        branch: 'main',
        entries_looked_at: 2,
        auto_archived: 0,
      },
      ...{ proposals_created: 1, proposals_auto_merged: 0, compression_ratio: 1, is_full: false, progress: 1 },
      ...{ embedder: null, started_at: AT, consolidated_at: AT, demotions: [], candidates: [candidate] },
    };
    expect(shown('consolidation.run', run)).toContain(wanted.join('\n'));
    expect(shown('consolidation.run', { ...run, status: 'done', candidates: [] })).not.toContain('would propose');
  });
});

it('digests are shown as sentences', () => {
  const summary = {
    ...{ narrative: 'Two entries are known.', sentences: [], total_keys: 2, agents: [], external_sources: [] },
    ...{ avg_confidence: null, last_write: null, entities: [] },
  };
  const digest = {
    ...{ digest_type: 'entity', scope: 'svc', branch: 'main', summary, entry_count: 2, source_agents: [] },
    ...{ anticipation_score: 0, compiled_at: AT, staleness_ms: 0, seq: 1 },
  };
  const text = shown('digests.list', { digests: [digest], total: 1, ...page });
  expect(text).toMatch(/^svc {2}entity, compiled .*\n {2}Two entries are known\.\n$/);
});
