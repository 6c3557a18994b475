import { derivedTools } from './derived.ts';
import { SettingsError } from './settings.ts';
import type { Tool } from './tool.ts';
import { alertsTool } from './tools/alerts.ts';
import { behaviorTools } from './tools/behavior.ts';
import { exportTool } from './tools/export.ts';
import { identityTools } from './tools/identity.ts';
import { incidentTool } from './tools/incident.ts';
import { investigateTool } from './tools/investigate.ts';
import { judgeDefineTool } from './tools/judge-define.ts';
import { roomTools } from './tools/rooms.ts';
import { spanTools } from './tools/spans.ts';
import { traceTools } from './tools/traces.ts';
import { trainingTool } from './tools/training.ts';

export const allTools: readonly Tool[] = [
  ...derivedTools,
  ...identityTools,
  exportTool,
  ...spanTools,
  ...traceTools,
  judgeDefineTool,
  incidentTool,
  alertsTool,
  ...behaviorTools,
  trainingTool,
  investigateTool,
  ...roomTools,
];

/** The tools of these sets, or with these names. `evaluates` is true where the service is one that evaluation works with. */
export function toolsOf(names: readonly string[], { evaluates = false } = {}): readonly Tool[] {
  const unknown = names.find((name) => name.startsWith('mem_') && !allTools.some((tool) => tool.name === name));
  if (unknown !== undefined) throw new SettingsError(`MEM_TOOLSET: there is no tool ${unknown}`);
  return allTools.flatMap((tool) => {
    if (names.some((name) => (name === 'all' ? evaluates || !needsHost(tool) : isIn(tool, name)))) return [tool];
    return names.includes('slim') && tool.listedSlim ? [{ ...tool, listed: tool.listedSlim }] : [];
  });
}

const isIn = ({ name, toolset }: Tool, chosen: string): boolean => chosen === toolset || chosen === name;

const needsHost = ({ toolset }: Tool): boolean => toolset === 'evaluation';

/** How many bytes the list of tools adds to a client's context. */
export const listingSize = (tools: readonly Tool[]): number =>
  Buffer.byteLength(JSON.stringify({ tools: tools.map((tool) => tool.listed()) }));
