import type { OperationName } from '@mem-service/contract';
import { describe, expect, it } from 'vitest';
import { render } from '../../packages/server/src/cli/render/index.ts';

const show = (name: OperationName, answer: Record<string, unknown>) =>
  render(name, answer, { width: undefined, colour: false }).out;

const row = {
  ...{ connector: 'github', version: '1.0.0', description: 'GitHub', origin: 'built-in' },
  ...{ secret_set: false, unsigned: false, missing_variables: [] },
  totals: { received: 12, duplicates: 1, failures: 2, dead_letters: 1 },
  last_event: { event_type: 'push', received_at: '2026-01-31T12:00:00.000Z' },
};

describe('connectors for people', () => {
  it('are a table', () => {
    expect(show('connectors.list', { connectors: [row, { ...row, connector: 'slack', secret_set: true }] })).toBe(
      [
        'NAME    SECRET   RECEIVED  FAILED  LAST EVENT  WHEN',
        'github  not set        12       2  push        2026-01-31 12:00:00Z',
        'slack   set            12       2  push        2026-01-31 12:00:00Z',
        '',
      ].join('\n'),
    );
  });

  it('one is shown with its address, the variable of its secret, and some of its types', () => {
    const event_types = Array.from({ length: 75 }, (_, no) => `type-${no}`);
    const out = show('connectors.read', {
      ...{ ...row, author: null, license: null, default_entity_path: 'github', event_types, max_payload_bytes: 1e6 },
      ...{ signature_header: 'X-Hub-Signature-256', signature_algorithm: 'sha256', records_outcomes: false },
      ...{ last_failure: null, retry_attempts: 3, retry_delay_seconds: 60 },
    });
    expect(out).toMatch(/^address +POST \/api\/v1\/webhooks\/github$/m);
    expect(out).toMatch(/^secret +MEM_CONNECTOR_GITHUB_SECRET is not set$/m);
    expect(out).toMatch(/^75 types +type-0, .*type-7, and 67 more/m);
    expect(out).not.toContain('type-8');
  });

  it('letters are shown with what to replay and why', () => {
    const letter = { letter_id: '01k', connector: 'github', event_type: 'push', reason: 'too odd', attempts: 1 };
    const out = show('dead_letters.list', { dead_letters: [letter], next_cursor: null, has_more: false });
    expect(out).toMatch(/^LETTER +CONNECTOR +TYPE +TRIED +REASON\n01k +github +push +1 +too odd\n$/);
  });
});
