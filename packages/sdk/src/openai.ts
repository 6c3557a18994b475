import { type InstrumentedMethod, instrument } from './instrument/instrument.ts';
import * as json from './instrument/json.ts';
import { openaiChat } from './instrument/openai-chat.ts';
import { openaiEmbeddings } from './instrument/openai-embeddings.ts';
import { openaiResponses } from './instrument/openai-responses.ts';
import type { InstrumentOptions, SessionSource } from './instrument/options.ts';
import type { JsonObject } from './instrument/protocol.ts';

export type { InstrumentOptions, SessionSource } from './instrument/options.ts';

type OpenAICreate = { create(...args: never[]): unknown };
/** The part of a client of the package `openai` that is instrumented. */
export type OpenAIClient = {
  chat?: { completions?: OpenAICreate };
  responses?: OpenAICreate;
  embeddings?: OpenAICreate;
};

export type OpenAIOptions = InstrumentOptions & {
  /**
   * Chat streams report their tokens only with `stream_options.include_usage`. This adds the option if the caller has
   * not set it, and hides the extra piece from the caller.
   */
  streamUsage?: boolean | undefined;
};

/**
 * Records each call of this client in the session, as a model call and a span: chat completions, responses and
 * embeddings, whole or streamed, including calls through the client's helpers. Returns a function that removes the
 * instrumentation.
 */
export function instrumentOpenAI(
  client: OpenAIClient,
  session: SessionSource,
  options: OpenAIOptions = {},
): () => void {
  const targets: InstrumentedMethod[] = [
    {
      path: ['chat', 'completions', 'create'],
      protocol: openaiChat,
      prepare: options.streamUsage === true ? withUsage : undefined,
    },
    { path: ['responses', 'create'], protocol: openaiResponses },
    { path: ['embeddings', 'create'], protocol: openaiEmbeddings },
  ];
  return instrument(targets, { client, source: session, provider: 'openai', options });
}

function withUsage(body: JsonObject): JsonObject | undefined {
  const given = json.objectOf(body.stream_options);
  if (body.stream !== true || given.include_usage !== undefined) return undefined;
  return { ...body, stream_options: { ...given, include_usage: true } };
}
