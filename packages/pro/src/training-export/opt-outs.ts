import { findTagsOfAgents, type ReadContext } from '@mem-service/server/module';

/** Agents whose profile has it are left out. */
const OPT_OUT = 'no-training';

/** Those of the agents that do not want to be learned from. */
export async function optOuts(
  { read, caller }: Pick<ReadContext, 'read' | 'caller'>,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  const agents = [...new Set(names)];
  const tags = await findTagsOfAgents(read, caller.account_id, agents);
  return new Set(agents.filter((_, i) => (JSON.parse(tags[i] ?? '[]') as string[]).includes(OPT_OUT)));
}
