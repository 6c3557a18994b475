import { expect, it } from 'vitest';
import { allTools } from '../../../mcp/src/toolsets.ts';
import type { OperationName } from './client.ts';
import { OWN_TOOLS, ownToolCall } from './own-tools.ts';

it.each(Object.entries(OWN_TOOLS))('%s is asked for with what its tool takes', (name, { tool, fields }) => {
  const found = allTools.find((one) => one.name === tool);
  const { properties = {} } = (found?.listed().inputSchema ?? {}) as { properties?: object };
  const call = ownToolCall(name as OperationName, Object.fromEntries(fields.map((field) => [field, 1])));
  expect(call?.tool).toBe(tool);
  expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.keys(call?.given ?? { none: 1 })));
});

it('is no tool where it could not ask for the same', () => {
  expect(ownToolCall('incidents.list', { status: 'open', limit: undefined })).toEqual({
    tool: 'mem_incident',
    given: { status: 'open' },
  });
  expect(ownToolCall('incidents.read', { incident_id: 'i' })?.given).toEqual({ action: 'get', incident_id: 'i' });
  expect(ownToolCall('alert_rules.list', {})?.given).toEqual({ action: 'rules' });
  expect(ownToolCall('traces.compare', { trace_ids: ['a', 'b'], only_differences: true })?.given).toEqual({
    trace_ids: ['a', 'b'],
    all_steps: false,
  });
  expect(ownToolCall('incidents.list', { since: '2026-01-01' })).toBeUndefined();
  expect(ownToolCall('keys.list', {})).toBeUndefined();
});
