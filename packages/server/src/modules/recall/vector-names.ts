import { hash } from 'node:crypto';

/** A number of 48 bits that stands for a text: smaller than the text, and it names nobody. */
const numberOf = (text: string): number => Number.parseInt(hash('sha256', text, 'hex').slice(0, 12), 16);

/** The number of the agent that alone may see an entry. */
export const ownerNumber = (agentId: string): number => numberOf(`owner\n${agentId}`) || 1;
export const SHARED = 0;

export const embedderNumber = (name: string): number => numberOf(`embedder\n${name}`) % 2 ** 31;
