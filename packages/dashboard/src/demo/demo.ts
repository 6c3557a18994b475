import { client, isMemError } from '../data/client.ts';
import { agents } from './entries.ts';
import { demoAgents, demoEntries, demoSteps } from './steps.ts';

const MOST_VERSIONS = 100;

export type DemoProgress = (done: number, total: number) => void;

/** Writes the demo data, one call after the other, as agents would. */
export async function loadDemo(onProgress: DemoProgress, signal: AbortSignal): Promise<void> {
  const steps = demoSteps(Date.now().toString(36));
  for (const [i, { name, input, call }] of steps.entries()) {
    onProgress(i, steps.length);
    await client().callText(name, input as Record<string, unknown>, { ...call, signal });
  }
  onProgress(steps.length, steps.length);
}

export type RemovedDemo = { erased: number; kept: number };

/**
 * Erases what the demo wrote and nobody else: its entries with their history, and where the key may, its agents with what
 * they did. Entries that others wrote a version of are theirs, and stay.
 */
export async function removeDemo(): Promise<RemovedDemo> {
  const removed: RemovedDemo = { erased: 0, kept: 0 };
  for (const entry of demoEntries) {
    const found = await authorsOf(entry);
    if (found.length === 0) continue;
    if (!found.every(isDemoAgent)) removed.kept++;
    else removed.erased += (await client().call('entries.erase', entry)).erased.entries;
  }
  for (const agent_id of demoAgents) {
    const { description } = await client().call('agents.profile', { agent_id });
    // Else it is somebody else's agent of this name.
    if (description !== agents[agent_id]) continue;
    try {
      // What the service concluded from their work, such as a lesson, is theirs too.
      removed.erased += (await client().call('agents.erase', { agent_id })).erased.entries;
    } catch (error) {
      // Only an admin erases agents; what they wrote is gone already.
      if (isMemError(error) && error.status === 403) break;
      throw error;
    }
  }
  return removed;
}

const isDemoAgent = (name: string): boolean => name in agents;

/** Who wrote its versions: nobody where it is not there. More than a page of them are not the demo's. */
async function authorsOf(entry: (typeof demoEntries)[number]): Promise<string[]> {
  try {
    const { versions, has_more } = await client().call('entries.history', { ...entry, limit: MOST_VERSIONS });
    return [...versions.map(({ provenance }) => provenance.agent_id), ...(has_more ? [''] : [])];
  } catch (error) {
    if (isMemError(error) && error.status === 404) return [];
    throw error;
  }
}
