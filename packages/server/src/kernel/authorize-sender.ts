import { Fault, type Operation, operations } from '@mem-service/contract';
import type { Authorize } from './authorize.ts';
import { agentsNamedIn, mayActAs } from './authorize-agent.ts';
import type { Caller } from './caller.ts';

/** The agents of events from outside. What they wrote came from there: no other caller writes in their name. */
const SENDERS = /^(webhook|external)\//;

/** Also of a name that only looks like one of theirs: in capitals, in wide letters, or after a space. */
export const isSender = (agentId: string): boolean => SENDERS.test(agentId.normalize('NFKC').trim().toLowerCase());

/** Refuses writes in the name of a sender, besides those of events themselves. An admin may change what is kept of one. */
export const authorizeSender: Authorize = (name, input, { agent_id }) => {
  const { effect, always_shared, admin, whole, erases } = operations[name] as Operation;
  if (effect !== 'write' || always_shared || admin || whole || erases) return;
  const sender = [agent_id, ...agentsNamedIn(input)].find(isSender);
  if (sender !== undefined)
    throw new Fault(
      'forbidden',
      `${sender} is the agent of events from outside: send them to /api/v1/events, or write in another name`,
      { agent_id: sender },
    );
};

/** A key that is bound to agents sends events of a source only where its agent is one of them. */
export function checkSender({ key }: Pick<Caller, 'key'>, sender: string): void {
  if (mayActAs({ key }, sender)) return;
  throw new Fault('forbidden', `this key acts only as ${key?.agent_ids?.join(', ')}, and not as ${sender}`, {
    agent_id: sender,
  });
}
