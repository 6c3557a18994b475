import { derivedTools } from './derived.ts';
import { SettingsError } from './settings.ts';
import type { Tool } from './tool.ts';
import { evaluationTools } from './tools/evaluation.ts';
import { exportTool } from './tools/export.ts';
import { identityTools } from './tools/identity.ts';
import { spanTools } from './tools/spans.ts';
import { traceTools } from './tools/traces.ts';

export const allTools: readonly Tool[] = [
  ...derivedTools,
  ...identityTools,
  exportTool,
  ...spanTools,
  ...traceTools,
  ...evaluationTools,
];

/** The tools of these sets, or with these names. */
export function toolsOf(names: readonly string[]): readonly Tool[] {
  const unknown = names.find((name) => name.startsWith('mem_') && !allTools.some((tool) => tool.name === name));
  if (unknown !== undefined) throw new SettingsError(`MEM_TOOLSET: there is no tool ${unknown}`);
  return allTools.flatMap((tool) => {
    if (names.some((name) => isIn(tool, name))) return [tool];
    return names.includes('slim') && tool.listedSlim ? [{ ...tool, listed: tool.listedSlim }] : [];
  });
}

/** `all` is what can work: the module of the evaluation tools is not installed, so only their own name chooses them. */
function isIn({ name, toolset }: Tool, chosen: string): boolean {
  if (chosen === 'all') return toolset !== 'evaluation';
  return chosen === toolset || chosen === name;
}

/** How many bytes the list of tools adds to a client's context. */
export const listingSize = (tools: readonly Tool[]): number =>
  Buffer.byteLength(JSON.stringify({ tools: tools.map((tool) => tool.listed()) }));
