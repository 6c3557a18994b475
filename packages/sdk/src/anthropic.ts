import { anthropicMessages } from './instrument/anthropic-messages.ts';
import { type InstrumentedMethod, instrument } from './instrument/instrument.ts';
import type { InstrumentOptions, SessionSource } from './instrument/options.ts';

export type { InstrumentOptions, SessionSource } from './instrument/options.ts';

type AnthropicCreate = { create(...args: never[]): unknown };
/** What is looked for in a client of the package `@anthropic-ai/sdk`. */
export type AnthropicClient = { messages?: AnthropicCreate; beta?: { messages?: AnthropicCreate } };

/**
 * Records each call of this client in the session, as a model call and a span: messages, whole or streamed, and what
 * `messages.stream` and the other helpers make of them. Gives back what undoes it.
 */
export function instrumentAnthropic(
  client: AnthropicClient,
  session: SessionSource,
  options: InstrumentOptions = {},
): () => void {
  const targets: InstrumentedMethod[] = [
    { path: ['messages', 'create'], protocol: anthropicMessages },
    { path: ['beta', 'messages', 'create'], protocol: anthropicMessages },
  ];
  return instrument(targets, { client, source: session, provider: 'anthropic', options });
}
