import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isExported } from '../../packages/server/src/kernel/index.ts';
import { createExamples } from '../contract/table.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { exportLines, importLines } from './support.ts';

const as = { agent_id: 'agent/x' };

const pattern = (text: string) => ({
  ...{ kind: 'code' },
  checks: [{ check: 'pattern', in: 'response_text', pattern: text, ignore_case: true, not: false }],
});
/** 60 checks in a list that holds 50, with names that are kept as they are. */
const many = Array.from({ length: 60 }, () => ({ check: 'tool_forbidden', tool: 'a' }));

/** A value that no operation of the service stores in the column, and where the refusal says that it is. */
const wrong: readonly [kind: string, column: string, value: unknown, at?: string][] = [
  ['judge', 'status', 'zz'],
  ['judge', 'sampling_rate', 1e300],
  ['judge', 'sampling_rate', -0.1],
  ['judge', 'evidence_weight', -1_000_000],
  ['judge', 'evidence_weight', 1.5],
  ['judge', 'judge_id', 'No Judge'],
  ['judge', 'version', 0],
  ['judge_version', 'definition', { kind: 'zz' }, 'definition.kind'],
  ['judge_version', 'definition', { kind: 'code' }, 'definition.checks'],
  ['judge_version', 'definition', { kind: 'code', checks: many }, 'definition.checks'],
  ['judge_version', 'definition', [], 'definition'],
  ['judge_version', 'definition', pattern('('), 'definition.checks.0.pattern'],
  ['judge_version', 'definition', pattern('(a|b)*'.repeat(80)), 'definition.checks.0.pattern'],
  ['judge_version', 'definition', { kind: 'code', checks: [{ check: 'pattern', pattern: 'a' }] }, 'definition'],
  ['judge_version', 'definition', { kind: 'llm', pass_at: 0.5 }, 'definition.prompt'],
  ['judge_version', 'definition', pattern('a'.repeat(300_000)), 'definition'],
  ['judge_version', 'for_path', '../x'],
  ['judge_version', 'for_agent', 'a\u0007'],
  ['incident', 'source_kind', 'zz'],
  ['incident', 'status', 'zz'],
  ['incident', 'rule', 'zz'],
  ['incident', 'failures', -1],
  ['incident', 'branch', '../x'],
  ['incident_change', 'change', 'zz'],
  ['alert_rule', 'metric', 'zz'],
  ['alert_rule', 'metric', 'failure_rate', 'judge_id'],
  ['alert_rule', 'window_minutes', 0],
  ['alert_rule', 'above', -1],
  ['alert', 'metric', 'zz'],
  ['alert', 'complete', 2],
  ['backfill', 'status', 'zz'],
  ['backfill', 'max_traces', -1],
  ['backfill', 'next_seq', -5],
  ['backfill', 'next_seq', 1e12],
  ['backfill', 'sampling_rate', 1e300],
  ['backfill', 'judge_id', 'No Judge'],
  ['backfill', 'asks_model', 2],
  ['behavior', 'matcher', [{ check: 'zz' }], 'matcher.0.check'],
  ['behavior', 'matcher', [], 'matcher'],
  ['behavior', 'matcher', pattern('(').checks, 'matcher.0.pattern'],
  ['behavior', 'status', 'zz'],
  ['behavior', 'opens_incidents', 2],
  ['behavior_look', 'result', 'zz'],
  ['case', 'expected', { kind: 'zz' }, 'expected.kind'],
  ['case', 'expected', pattern('('), 'expected.checks.0.pattern'],
  ['case', 'expected', { kind: 'llm', prompt: 'a', pass_at: 0.5 }, 'expected.kind'],
  ['case_run', 'counts', [], 'counts'],
  ['case_run', 'counts', { cases: 1 }, 'counts.passed'],
  ['case_result', 'result', 'zz'],
  ['verdict', 'result', 'zz'],
  ['verdict', 'evidence', { spans: [] }, 'evidence.entries'],
  ['verdict', 'model_call', { attempts: 'x' }, 'model_call.attempts'],
  ['human_verdict', 'result', 'skipped'],
  ['fix', 'source_kind', 'zz'],
  ['fix', 'status', 'zz'],
  ['fixed_entry', 'ledger', [], 'ledger'],
  ['fix_setting', 'value', 'No Set'],
  ['detected_pattern', 'pattern_type', 'zz'],
  ['detected_pattern', 'evidence', { entries: {} }, 'evidence.entries'],
  ['pattern_scan', 'settings', {}, 'settings'],
  ['pattern_scan', 'phase', 'zz'],
  ['model_budget', 'period', 'year'],
  ['branch', 'status', 'zz'],
  ['branch', 'inherits', [{ branch: 5 }], 'inherits.0.branch'],
  ['branch_protection', 'required_checks', [5], 'required_checks.0'],
  ['branch_grant', 'permission', 'zz'],
  ['merge', 'strategy', 'zz'],
  ['merge_conflict', 'reason', 'zz'],
  ['merge_conflict', 'fields', {}, 'fields'],
  ['pull_request', 'status', 'zz'],
  ['pull_request_review', 'decision', 'zz'],
  ['pull_request_check', 'status', 'zz'],
  ['event', 'branch', '../x'],
  ['event', 'branch', ''],
  ['outcome', 'branch', '../x'],
  ['trace', 'branch', 'a b'],
];

describe.each(backends)('a column of an export on %s', (backend) => {
  let source: TestApp;
  let app: TestApp;
  let lines: string[];
  beforeAll(async () => {
    source = await openTestApp(backend);
    await createExamples(source, { mark: 'first', as });
    await source.call('backfills.create', { judge_id: 'judge-of-first' }, as);
    await source.call('budgets.set', { day_calls: 10 }, as);
    await source.call('fixes.set_policy', { set_id: 'smoke' }, as);
    const { traces } = await source.call('traces.list', {}, as);
    const trace_id = traces[0]?.trace_id as string;
    await source.call('verdicts.judge', { trace_id, judge_id: 'judge-of-first' }, as);
    await source.call('verdicts.overrule', { trace_id, judge_id: 'judge-of-first', result: 'fail' }, as);
    lines = await exportLines(source);
    app = await openTestApp(backend, { clock: source.clock });
  });
  afterAll(() => Promise.all([source.close(), app.close()]));

  const places = (kind: string) => lines.flatMap((line, i) => (line.startsWith(`{"record":"${kind}"`) ? [i] : []));

  it.each(wrong)('%s.%s with %j is refused by its line', async (...[kind, column, value, at = column]) => {
    const [place = 0] = places(kind);
    expect(place).toBeGreaterThan(0);
    const line = JSON.stringify({ ...JSON.parse(lines[place] as string), [column]: value });
    for (const dry_run of [true, false]) {
      const from = dry_run ? place : 0;
      const part = dry_run ? [line] : lines.slice(0, place).concat(line);
      const refused = app.call('transfer.add', { from, lines: part, dry_run }, as);
      await expect(refused).rejects.toMatchObject({ code: 'invalid_input', status: 422 });
      await expect(refused).rejects.toThrow(
        new RegExp(`line ${place + 1} of the file ${at.replaceAll('.', '\\.')}\\b`),
      );
    }
    expect(await app.call('transfer.status', {})).toMatchObject({ received: 0, is_empty: true });
  });

  it('that names a judge that is not there is refused by its line, and nothing is kept', async () => {
    const [place = 0] = places('backfill');
    const unknown = JSON.stringify({ ...JSON.parse(lines[place] as string), judge_id: 'no-such-judge' });
    const refused = importLines(app, lines.with(place, unknown));
    await expect(refused).rejects.toMatchObject({ code: 'invalid_input', status: 422 });
    await expect(refused).rejects.toThrow(`line ${place + 1} of the file judge_id names "no-such-judge"`);
    expect((await app.call('judges.list', {}, as)).judges).toEqual([]);
    await app.call('transfer.discard', {});
    expect(await app.call('transfer.status', {})).toMatchObject({ received: 0, is_empty: true });
  });

  it('is taken as the service wrote it, with names of tools as a trace has them', async () => {
    const [place = 0] = places('behavior');
    const matcher = [{ check: 'tool_required', tool: `\u0007${'路'.repeat(255)}`, min: 1, succeeded: false }];
    const line = JSON.stringify({ ...JSON.parse(lines[place] as string), matcher });
    await app.call('transfer.add', { from: place, lines: [line], dry_run: true }, as);
    await importLines(app, lines);
    expect(await exportLines(app)).toEqual(lines);
  });
});

/** Columns of texts of which any is taken, and why, by name or by record and name. */
const ANY: Readonly<Record<string, readonly string[]>> = {
  'an id that the service gave, or that of something else': [
    ...['commit_id', 'parent_id', 'merged_parent', 'session_id', 'outcome_id', 'trace_id', 'edge_id', 'golden_id'],
    ...['proposal_id', 'delivery_id', 'letter_id', 'merge_id', 'pull_request.id', 'pull_request_id', 'quarantine_id'],
    ...['team_id', 'member_id', 'grantee_id', 'backfill.backfill_id', 'behavior.backfill_id', 'case_run_id'],
    ...['previous_case_run_id', 'group_id', 'incident_change.incident_id', 'alert_id', 'fixed_entry.fix_id'],
    ...['pattern_agent.pattern_id', 'evidence.judge_id', 'fix.source_id', 'key_id', 'request_id'],
  ],
  'a hash, or what goes with one': [
    ...['content_hash', 'integrity_chain', 'tree_hash', 'parent_hash', 'hash', 'header_hash', 'signature', 'asked'],
    ...['before_hash', 'after_hash', 'subject_hash', 'subject_salt', 'agent_hash', 'agent_salt'],
  ],
  'a name that anybody may choose': [
    ...['session', 'outcome_ref', 'realm', 'thing', 'connector', 'delivery.type', 'dead_letter.type', 'count.name'],
    ...['last_event_type', 'check_name', 'tag.name', 'team.name', 'display_name', 'judge.name', 'case.name'],
    ...['behavior.name', 'label', 'platform', 'fitted_weights.name'],
  ],
  'what was written, to be read by people': [
    ...['message', 'description', 'title', 'comment', 'summary', 'reason', 'rationale', 'decision', 'task_input'],
    ...['question', 'asked_with', 'asked_path'],
  ],
  'who did something, which is shown and looked up, no more': [
    ...['holder', 'removed_by', 'granted_by', 'actor', 'key_name', 'user_name', 'action', 'resource', 'address'],
  ],
  'checked with its row': [
    ...['version.document', 'standing', 'count.kind', 'session_item.kind', 'trace_item.kind', 'retention.kind'],
    ...['default_branch', 'auto_context_paths', 'agent_profile.tags', 'session_metadata', 'capabilities', 'contracts'],
    ...['end_state', 'payload', 'fix_setting.value'],
  ],
  'of a module of the server, whose table has no rule for it': [
    ...['session.attributes', 'session_reads.reads', 'session_item.data', 'outcome.document', 'trace.header'],
    ...['trace_item.data', 'weights', 'proposed_value', 'state', 'headers', 'write_scope', 'event.details'],
    ...['evidence.model', 'proposal.strategy', 'proposal.status', 'delivery.status', 'kept_entry.pattern_refs'],
  ],
};

describe('every column of texts in an export', () => {
  it('is checked, or takes any text for a reason', async () => {
    const app = await openTestApp('sqlite');
    const { tables } = app.kernel.services;
    await app.close();
    const known = new Set(Object.values(ANY).flat());
    const used = new Set<string>();
    const open = tables.filter(isExported).flatMap((table) =>
      Object.entries(table.columns).flatMap(([name, type]) => {
        const id = `${table.kind}.${name}`;
        if (type !== 'text' || name === 'account_id' || table.checks[name]) return [];
        const listed = [id, name].find((one) => known.has(one));
        if (listed === undefined) return [id];
        used.add(listed);
        return [];
      }),
    );
    expect(open).toEqual([]);
    expect([...known].filter((one) => !used.has(one))).toEqual([]);
  });
});
