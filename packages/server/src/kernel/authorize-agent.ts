import { agentNamedBy, Fault, matchesAgent, type Operation, operations } from '@mem-service/contract';
import { type Authorize, limitsOf } from './authorize.ts';
import type { Caller, Principal } from './caller.ts';

/** Whether the key of the caller lets it act and read as the agent. */
export const mayActAs = ({ key }: Pick<Caller, 'key'>, agentId: string): boolean =>
  key?.agent_ids === undefined || key.agent_ids.some((pattern) => matchesAgent(pattern, agentId));

/** The agent of a request that names none, where its key is bound to one. */
export const soleAgentOf = (key: Principal | undefined): string | undefined => {
  const [first, ...others] = key?.agent_ids ?? [];
  return first === undefined || others.length > 0 ? undefined : agentNamedBy(first);
};

/**
 * A key that is bound to agents acts and reads only as these, and does nothing that concerns all agents. A read may ask
 * about others: it shows what they share.
 */
export const authorizeAgent: Authorize = (name, input, { key, agent_id }) => {
  if (key?.agent_ids === undefined) return;
  const { effect, acts_as_agent } = operations[name] as Operation;
  if (effect !== 'read' && effect !== 'write') return;
  const { admin, whole, needs_full_scope } = limitsOf(name, input);
  if (admin || whole || needs_full_scope)
    throw new Fault('forbidden', `${name} concerns all agents, but this key is bound to some of them`, {
      needs: 'all_agents',
    });
  const named = effect === 'write' || acts_as_agent ? agentsNamedIn(input) : [];
  for (const agent of [agent_id, ...named]) if (!mayActAs({ key }, agent)) throw notBound(key, agent);
};

/** The agents that an input names for itself and for the items of its lists. */
export function agentsNamedIn(input: Record<string, unknown>): string[] {
  const items = Object.values(input).flatMap((part) => (Array.isArray(part) ? part : []));
  return [input, ...items].flatMap((part) => {
    const { agent_id } = (part ?? {}) as { agent_id?: unknown };
    return typeof agent_id === 'string' ? [agent_id] : [];
  });
}

const notBound = ({ agent_ids = [] }: Principal, agent_id: string): Fault =>
  new Fault(
    'forbidden',
    `this key acts only as ${agent_ids.join(', ')}, and not as ${agent_id}: name the agent in X-MEM-Agent-Id`,
    { agent_id },
  );
