import { anthropicMessages } from './instrument/anthropic-messages.ts';
import { type InstrumentedMethod, instrument } from './instrument/instrument.ts';
import type { InstrumentOptions, SessionSource } from './instrument/options.ts';

export type { InstrumentOptions, SessionSource } from './instrument/options.ts';

type AnthropicCreate = { create(...args: never[]): unknown };
/** The part of a client of the package `@anthropic-ai/sdk` that is instrumented. */
export type AnthropicClient = { messages?: AnthropicCreate; beta?: { messages?: AnthropicCreate } };

/**
 * Records each call of this client in the session, as a model call and a span: messages, whole or streamed, including
 * calls through `messages.stream` and the other helpers. Returns a function that removes the instrumentation.
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
