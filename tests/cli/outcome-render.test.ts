import { describe, expect, it } from 'vitest';
import { AT, affected, committedOutcome, lines, listedOutcome, page, shown, stale, terminal } from './answers.ts';

const committed = (more: object) => shown('outcomes.commit', committedOutcome(more));
const TRACE = '  sealed as trace 01m7f0zw5dt71jf94f6bp47fve';

describe('outcomes on the command line', () => {
  it('committing one shows what moved and why, what is stale, and the lesson', () => {
    const answer = {
      affected_entries: 1,
      entries: [
        affected('retry'),
        affected('limit', {
          applied: false,
          attempt: 1,
          read_version: null,
          reason: 'not_found',
          confidence_before: null,
          confidence_after: null,
          evidence_status: null,
          weight: null,
          why: 'not credited: there is no such entry',
        }),
      ],
      stale_reads: [stale('retry')],
      lesson: { entity_path: 'svc', key: 'lesson-1', version: 2 },
    };
    expect(committed(answer)).toBe(
      lines(
        'committed deploy-1 (success): 1 entry moved',
        '  svc retry v1  0.70 -> 0.82 validated  success (weight 1.00)',
        '  svc limit     not credited: there is no such entry (attempt 1)',
        '  svc retry v1  STALE: v3 by bob says something else',
        '  lesson written: svc lesson-1 v2',
        TRACE,
      ),
    );
  });

  it('committing one that moves nothing says so', () => {
    expect(committed({ outcome_type: 'p2_incident' })).toBe(
      lines('committed deploy-1 (p2 incident): no entry moved', TRACE),
    );
    const advice = `Nothing was credited: ${'a long reason '.repeat(9)}and what to do.`;
    expect(committed({ advice })).toBe(`${lines('committed deploy-1 (success): no entry moved', TRACE)}${advice}\n`);
    expect(committed({ is_evidence: false })).toBe(
      lines('committed deploy-1 (success), a replay: no confidence moved', TRACE),
    );
    expect(committed({ duplicate: true, trace_id: null })).toBe(
      'deploy-1 (success) was committed before: nothing was counted again\n',
    );
  });

  it('a list is a table of few columns', () => {
    const outcomes = [
      listedOutcome({
        outcome_type: 'critical_failure',
        entries: [affected('k'), affected('k', { attempt: 1 }), affected('l', { applied: false })],
        decision_summary: 'went on',
      }),
    ];
    expect(shown('outcomes.list', { outcomes, ...page })).toBe(
      lines(
        'REF       OUTCOME           MOVED  AGENT  WHEN                  TRACE       DECISION',
        'deploy-1  critical failure      1  a      2026-01-31 12:00:00Z  01m7f0zw5d  went on',
      ),
    );
  });
});

const step = (kind: string, [before, after]: [number | null, number], more: object) => ({
  kind,
  version: 1,
  at: AT,
  agent_id: 'a',
  outcome_ref: null,
  outcome_type: null,
  judge_id: null,
  judge_version: null,
  verdict: null,
  overruled: false,
  attempt: null,
  model: null,
  causal_confidence: null,
  n_causal: null,
  surprise: null,
  weight: null,
  confidence_before: before,
  confidence_after: after,
  evidence_success: 0,
  evidence_failure: 0,
  ...more,
});

const story = (more: object = {}) => ({
  entity_path: 'svc',
  key: 'k',
  branch: 'main',
  version: 1,
  confidence: 0.3076923076923077,
  effective_confidence: 0.3076923076923077,
  half_life_days: null,
  evidence_status: 'discredited',
  prior_confidence: 0.7,
  evidence_success: 0,
  evidence_failure: 2.55,
  summary: 'stands at 0.31 in version 1, after 1 outcome',
  steps: [
    step('written', [null, 0.7], { why: 'written by a in version 1: 0.70' }),
    step('restated', [0.7, 0.7], { version: 2, why: 'restated by a in version 2: 0.70 -> 0.70' }),
    step('outcome', [0.7, 0.3076923076923077], {
      version: 2,
      outcome_ref: 'deploy-1',
      attempt: 1,
      why: 'minor failure of a (weight 2.55): 0.70 -> 0.31, now discredited',
    }),
  ],
  truncated: false,
  recomputed: { confidence: 0.3076923076923077, matches: true },
  ...more,
});

describe('confidence on the command line', () => {
  it('is shown step by step, with a bar and the reason, and recomputed', () => {
    expect(shown('entries.confidence', story())).toBe(
      lines(
        'svc k stands at 0.31 in version 1, after 1 outcome',
        'discredited',
        '',
        '2026-01-31 12:00:00Z  v1     – -> 0.70  #######...  written by a in version 1',
        '2026-01-31 12:00:00Z  v2  0.70 -> 0.70  #######...  restated by a in version 2',
        '2026-01-31 12:00:00Z  v2  0.70 -> 0.31  ###.......  deploy-1, attempt 1: minor failure of a (weight 2.55), now discredited',
        '',
        'computed again from the ledger: the same',
      ),
    );
    expect(shown('entries.confidence', story(), terminal(200))).toContain('  0.70 -> 0.31  ███░░░░░░░  deploy-1');
  });

  it('warns where the ledger says something else', () => {
    const out = shown('entries.confidence', story({ recomputed: { confidence: 0.42, matches: false } }));
    expect(out).toMatch(
      /\nWARNING: computed again from the ledger it is 0\.42, and 0\.31 is stored: it does not match\n$/,
    );
  });

  it('shows the faded confidence, and what is left out', () => {
    const out = shown('entries.confidence', story({ effective_confidence: 0.2, half_life_days: 30, truncated: true }));
    expect(out).toContain('\ndiscredited, faded to 0.20 (half of it goes in 30 days)\n\nits beginnings are left out\n');
  });
});

describe('calibration on the command line', () => {
  const bucket = (at: number, n = 0, successes = 0) => ({
    from: at / 10,
    to: (at + 1) / 10,
    n,
    successes,
    success_rate: n === 0 ? null : successes / n,
    mean_confidence: n === 0 ? null : at / 10,
    expected_success_rate: n === 0 ? null : 0.5,
  });
  const empty = Array.from({ length: 10 }, (_, at) => bucket(at));

  it('is ten rows with a bar each', () => {
    const answer = {
      n: 13,
      successes: 8,
      brier_score: 0.4099999,
      expected_calibration_error: 0.05,
      learned_calibration_error: 0.0149,
      buckets: empty.map((one, at) => (at === 7 ? bucket(7, 12, 8) : at === 2 ? bucket(2, 1, 0) : one)),
      truncated: true,
    };
    expect(shown('outcomes.calibration', answer)).toBe(
      lines(
        '13 tests of entries, 8 went well; Brier score 0.41 (0 is perfect), off by 0.05 on average, and by 0.01 where it is read as what was to be expected',
        'CONFIDENCE   N  SUCCESS  EXPECTED NOW',
        '0.0 to 0.1   0        –             –',
        '0.1 to 0.2   0        –             –',
        '0.2 to 0.3   1     0.00          0.50  ..........',
        '0.3 to 0.4   0        –             –',
        '0.4 to 0.5   0        –             –',
        '0.5 to 0.6   0        –             –',
        '0.6 to 0.7   0        –             –',
        '0.7 to 0.8  12     0.67          0.50  #######...',
        '0.8 to 0.9   0        –             –',
        '0.9 to 1.0   0        –             –',
        'older evidence was left out',
      ),
    );
  });

  it('of nothing is one sentence', () => {
    const unknown = { brier_score: null, expected_calibration_error: null, learned_calibration_error: null };
    const answer = { n: 0, successes: 0, ...unknown, truncated: false };
    expect(shown('outcomes.calibration', { ...answer, buckets: empty })).toBe(
      'no outcome has tested an entry here yet\n',
    );
  });
});
