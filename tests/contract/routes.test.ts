import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { operationNames, operations } from '@mem-service/contract';
import { routes } from '@mem-service/contract/client';
import { describe, expect, it } from 'vitest';
import { routesSource } from '../../packages/contract/src/route-table.ts';
import { rename } from '../../packages/sdk/src/rename.ts';

const file = fileURLToPath(new URL('../../packages/contract/src/routes.ts', import.meta.url));

describe('the table of routes', () => {
  it('is the one of this table of operations: npm run openapi', () => {
    expect(readFileSync(file, 'utf8')).toBe(routesSource());
  });

  it('has every operation', () => {
    expect(Object.keys(routes)).toEqual(operationNames);
  });

  it.each(operationNames)('has names of %s that come back from camelCase as they were', (name) => {
    const { input } = routes[name];
    for (const n of [0, 1]) {
      const example = operations[name].example(n) as Record<string, unknown>;
      const own = rename(input, example, 'fromWire');
      expect(rename(input, own, 'toWire')).toEqual(example);
    }
  });

  it('leaves to callers what is theirs, and to the service what it may add', () => {
    const wire = { entity_path: 'a', value: { user_key: 1 }, new_member: { inner_name: [{ a_b: 1 }] } };
    const own = { entityPath: 'a', value: { user_key: 1 }, newMember: { innerName: [{ aB: 1 }] } };
    expect(rename(routes['entries.read'].output, wire, 'fromWire')).toEqual(own);
    // An irregular name of the wire, and a list of values that belong to another protocol.
    const spans = { resourceSpans: [{ scope_spans: 1 }], agentId: 'agent/a' };
    expect(rename(routes['sessions.ingest_otlp'].input, spans, 'toWire')).toEqual({
      resourceSpans: [{ scope_spans: 1 }],
      agent_id: 'agent/a',
    });
  });

  it('keeps values that are no plain objects', () => {
    const date = new Date(0);
    const map = new Map();
    expect(rename(routes['entries.write'].input, { validFrom: date, ttlSeconds: map }, 'toWire')).toEqual({
      valid_from: date,
      ttl_seconds: map,
    });
  });
});
