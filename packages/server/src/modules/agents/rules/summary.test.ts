import { eventTypes } from '@mem-service/contract';
import { describe, expect, it } from 'vitest';
import { type SummarizedEvent, summaryOf } from './summary.ts';

const event = (event_type: string, rest: Partial<SummarizedEvent> = {}): SummarizedEvent => ({
  event_type,
  agent_id: 'agent/x',
  actor_agent_id: null,
  branch: 'main',
  entity_path: null,
  key: null,
  version: null,
  details: {},
  ...rest,
});
const entry = { entity_path: 'checkout/payments', key: 'retry-policy', version: 3 };

describe('the line about an event', () => {
  it.each<[string, Partial<SummarizedEvent>, string]>([
    ['write', entry, 'Wrote checkout/payments/retry-policy v3'],
    ['write', { ...entry, details: { restored_from: 1 } }, 'Restored v1 as checkout/payments/retry-policy v3'],
    ['write', { details: { erased: true } }, 'Wrote an entry that was erased'],
    ['verdict_overruled', { details: { judge_id: 'j', result: 'pass' } }, "Overruled judge 'j': pass"],
    ['verdict_overruled', { details: { judge_id: 'j', result: null } }, "Took back the overruling of judge 'j'"],
    ['delete', entry, 'Deleted checkout/payments/retry-policy v3'],
    ['expire', entry, 'Let checkout/payments/retry-policy v3 expire'],
    [
      'commit',
      { details: { message: 'what we learnt\nin detail', entries_written: 1 } },
      'Committed 1 entry: what we learnt',
    ],
    ['commit', { details: { message: '', entries_written: 2 } }, 'Committed 2 entries'],
    ['commit', { details: { erased: true } }, 'Committed entries'],
    ['erase', { details: { entries: 3 } }, 'Erased 3 entries'],
    ['outcome', { details: { outcome_ref: 'PR-12', outcome_type: 'success' } }, "Committed outcome 'PR-12' (success)"],
    ['trace', { details: { outcome_ref: 'PR-12' } }, "Sealed a trace of 'PR-12'"],
    ['trace', { details: { outcome_ref: null } }, 'Sealed a trace'],
    ['context', { details: { label: 'ticket' } }, "Recorded context 'ticket'"],
    ['action', { details: { tool_name: 'deploy', success: true } }, 'Ran deploy'],
    ['action', { details: { tool_name: 'deploy', success: false } }, 'Ran deploy, which failed'],
    ['error', { details: { operation: 'tool', error_type: 'TimeoutError' } }, 'Met TimeoutError in tool'],
    ['llm_call', { details: { model: 'gpt-4o' } }, 'Called gpt-4o'],
    ['span', { details: { name: 'plan', span_id: 's1' } }, 'Recorded span plan'],
    ['attributes', { details: { keys: 2 } }, 'Set 2 attributes'],
    ['attempt', { details: { attempt: 1, outcome_type: 'minor_failure' } }, 'Gave up attempt 1 (minor_failure)'],
    ['cross_agent_read', { ...entry, actor_agent_id: 'agent/y' }, 'agent/y read checkout/payments/retry-policy v3'],
    [
      'cross_agent_read',
      { ...entry, details: { source_agent_id: 'agent/y' } },
      'Read checkout/payments/retry-policy v3 of agent/y',
    ],
    ['brief_compiled', { details: { digest_type: 'entity', entry_count: 9 } }, 'Compiled entity digest of 9 entries'],
    [
      'webhook_ingested',
      { ...entry, details: { source: 'pager' } },
      'Ingested checkout/payments/retry-policy v3 from pager',
    ],
    ['webhook_ingested', { details: { connector: 'tracker' } }, 'Ingested external context from tracker'],
    ['branch_created', { details: { branch: 'experiment/x' } }, "Created branch 'experiment/x'"],
    ['branch_merged', { branch: 'experiment/x' }, "Merged branch 'experiment/x' into main"],
    ['branch_closed', { details: { name: 'experiment/x' } }, "Closed branch 'experiment/x'"],
    [
      'access_granted',
      { details: { branch: 'b', permission: 'read_write', grantee_type: 'api_key', grantee_id: 'k1' } },
      "Granted read_write on branch 'b' to api_key k1",
    ],
    [
      'access_revoked',
      { details: { branch: 'b', grantee_type: 'team', grantee_id: 't1' } },
      "Revoked access on branch 'b' from team t1",
    ],
    ['tag_created', { details: { tag: 'v1' } }, "Created tag 'v1'"],
    ['rollback', { details: { tag: 'v1' } }, 'Rolled back to v1'],
    ['rollback', { details: { timestamp: '2026-01-31T12:00:00Z' } }, 'Rolled back to 2026-01-31T12:00:00Z'],
    ['cherry_pick', { details: { branch: 'b', entries: 2 } }, "Cherry-picked 2 entries from branch 'b'"],
    ['fork', { details: { entries: 1, target_agent_id: 'agent/z' } }, 'Forked 1 entry to agent/z'],
    ['edge_added', { details: { source: 'a', relation: 'causes', target: 'b' } }, 'Linked a causes b'],
    ['agent_updated', { details: { part: 'contracts' } }, 'Updated the contracts of agent/x'],
    ['agent_updated', { actor_agent_id: 'op' }, 'op updated the profile of agent/x'],
    ['never_heard_of', entry, 'Never heard of checkout/payments/retry-policy v3'],
    ['toString', {}, 'ToString'],
  ])('%s %j', (type, rest, line) => {
    expect(summaryOf(event(type, rest))).toBe(line);
  });

  it.each(eventTypes)('%s without any details is still a line', (type) => {
    const line = summaryOf(event(type));
    expect(line).toMatch(/^[A-Z][a-z-]+ \S/);
    expect(line).not.toMatch(/undefined|null|\[object| $/);
  });

  it('is one line of a length, whatever a caller gave', () => {
    const message = `${'🚀'.repeat(300)}\nsecond line`;
    const line = summaryOf(event('commit', { details: { message, entries_written: 1 } }));
    expect(line.length).toBeLessThan(160);
    expect(line.isWellFormed()).toBe(true);
    expect(line).not.toContain('\n');
  });
});
