import { operations } from '@mem-service/contract';
import { expect, it } from 'vitest';
import { TOOLS } from './tools.ts';

it('the MCP tools that calls are copied as are those of the contract', () => {
  const all = Object.entries(operations).flatMap(([name, { tools }]) => (tools ? [[name, tools[0]?.name]] : []));
  expect(TOOLS).toEqual(Object.fromEntries(all));
});
