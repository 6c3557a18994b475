import { client, isMemError } from '../data/client.ts';
import { DEMO_PATH } from './entries.ts';
import { demoAgents, demoSteps } from './steps.ts';

export type DemoProgress = (done: number, total: number) => void;

/** Writes the demo data, one call after the other, as agents would. */
export async function loadDemo(onProgress: DemoProgress, signal: AbortSignal): Promise<void> {
  const now = Date.now();
  const steps = demoSteps(now.toString(36), now);
  for (const [i, { name, input, call }] of steps.entries()) {
    onProgress(i, steps.length);
    await client().callText(name, input as Record<string, unknown>, { ...call, signal });
  }
  onProgress(steps.length, steps.length);
}

/** Erases the demo data: its entries with their history, and where the key may, its agents with what they did. */
export async function removeDemo(): Promise<number> {
  const receipt = await client().call('entries.erase', { entity_path: `${DEMO_PATH}/**` });
  for (const agent_id of demoAgents) {
    try {
      await client().call('agents.erase', { agent_id, with_others: true });
    } catch (error) {
      // Only an admin erases agents; what they wrote is gone already.
      if (isMemError(error) && error.status === 403) break;
      throw error;
    }
  }
  return receipt.erased.entries;
}
