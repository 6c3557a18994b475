import { Fault, type Operation, operations } from '@mem-service/contract';
import type { Authorize } from './authorize.ts';
import { agentsNamedIn } from './authorize-agent.ts';

/** The agents of events from outside. What they wrote came from there: nobody else writes in their name. */
const SENDERS = /^(webhook|external)\//;

export const isSender = (agentId: string): boolean => SENDERS.test(agentId);

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
