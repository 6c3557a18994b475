import {
  type Caller,
  EVERYONE,
  Fault,
  matchesGlob,
  mayAgentSee,
  parseGlob,
  type Services,
} from '@mem-service/server/module';
import type { RestingDecision, TracedEntry } from './search.ts';

/** What of the entries and decisions that were found a caller may see. */
export class Sight {
  readonly #agentId: string;
  readonly #branches: ReadonlySet<string> | undefined;

  private constructor(agentId: string, branches: ReadonlySet<string> | undefined) {
    this.#agentId = agentId;
    this.#branches = branches;
  }

  static async of(services: Services, caller: Caller, agentId = caller.agent_id): Promise<Sight> {
    return new Sight(agentId, await services.branchAccess.readable(caller));
  }

  sees(entry: Pick<TracedEntry, 'shared' | 'agent_id' | 'branch'>): boolean {
    return mayAgentSee(entry, this.#agentId) && this.#reaches(entry.branch);
  }

  seesDecision({ visible_to, branch }: RestingDecision): boolean {
    return (visible_to === EVERYONE || visible_to === this.#agentId) && this.#reaches(branch);
  }

  #reaches(branch: string): boolean {
    return this.#branches === undefined || this.#branches.has(branch);
  }
}

type Choice = {
  within?: string | undefined;
  only?: readonly { branch: string; entity_path: string; key: string }[] | undefined;
};

/** Those of the entries that were asked for. */
export function chosenOf(entries: readonly TracedEntry[], { within, only }: Choice): TracedEntry[] {
  const glob = within === undefined ? undefined : parseGlob(within);
  const nameOf = (at: { branch: string; entity_path: string; key: string }) =>
    `${at.branch}\n${at.entity_path}\n${at.key}`;
  const names = only && new Set(only.map(nameOf));
  return entries.filter(
    (entry) => (!glob || matchesGlob(glob, entry.entity_path)) && (!names || names.has(nameOf(entry))),
  );
}

/** Refuses what reaches branches that the caller may not write to, without naming them. */
export async function requireBranches(
  services: Services,
  caller: Caller,
  entries: readonly { branch: string }[],
): Promise<void> {
  const denied = new Set<string>();
  for (const branch of new Set(entries.map((entry) => entry.branch)))
    try {
      await services.branchAccess.require(caller, branch, 'read_write');
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      denied.add(branch);
    }
  const outside = entries.filter(({ branch }) => denied.has(branch)).length;
  if (outside > 0)
    throw new Fault(
      'branch_access_denied',
      `${outside} of the entries are on branches that this key may not write to`,
      {
        outside_access: outside,
      },
    );
}
