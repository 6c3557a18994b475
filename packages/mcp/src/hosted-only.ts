import type { MemoryService } from './session.ts';
import type { ToolAnswer } from './tool.ts';

/** Evaluation is part of the hosted service. With a store of this machine its tools change nothing, and answer so. */
export function refusedWithoutHost(tool: string, { mode, isHosted }: MemoryService): ToolAnswer | undefined {
  if (mode === 'remote' || isHosted) return undefined;
  return { json: { error: `${tool} needs the hosted API: set MEM_HTTP_URL`, mode }, isError: true };
}
