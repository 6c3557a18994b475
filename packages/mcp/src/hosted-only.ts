import type { MemoryService } from './session.ts';
import type { Tool, ToolAnswer } from './tool.ts';

/** Evaluation is part of the hosted service. With a store of this machine its tools change nothing, and answer so. */
export function refusedWithoutHost(
  { name, toolset }: Pick<Tool, 'name' | 'toolset'>,
  { mode }: MemoryService,
): ToolAnswer | undefined {
  if (toolset !== 'evaluation' || mode === 'remote') return undefined;
  return { json: { error: `${name} needs the hosted API: set MEM_HTTP_URL`, mode }, isError: true };
}
