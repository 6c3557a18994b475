import { expect, test } from 'vitest';
import { allTools } from '../../packages/mcp/src/index.ts';
import { readDoc, tableOf } from '../docs/markdown.ts';

test('docs/mcp.md lists every tool with its set and what it is for', () => {
  const expected = allTools.map((tool) => [tool.name, tool.toolset, tool.listed().description]);
  expect(tableOf(readDoc('docs/mcp.md'), '## Tools')).toEqual(expected);
});
