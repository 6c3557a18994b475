import * as z from 'zod';
import { operation } from '../operation.ts';
import * as s from '../shapes.ts';

const attribute = (key: string, stringValue: string) => ({ key, value: { stringValue } });

/** Spans are identified by their ids. */
const numbered = (number: string, n: number): string => (BigInt(`0x${number}`) + BigInt(n)).toString(16);

const example = (n: number) => ({
  resourceSpans: [
    {
      resource: { attributes: [attribute('service.name', 'deploy-bot')] },
      scopeSpans: [
        {
          spans: [
            {
              traceId: numbered('5b8efff798038103d269b633813fc60c', n),
              spanId: 'eee19b7ec3c1b174',
              name: 'chat gpt-4o',
              kind: 3,
              startTimeUnixNano: '1767225600000000000',
              endTimeUnixNano: '1767225601500000000',
              attributes: [
                attribute('session.id', 'sess-42'),
                attribute('gen_ai.operation.name', 'chat'),
                attribute('gen_ai.provider.name', 'openai'),
                attribute('gen_ai.request.model', 'gpt-4o'),
                { key: 'gen_ai.usage.input_tokens', value: { intValue: '1200' } },
                { key: 'gen_ai.usage.output_tokens', value: { intValue: '300' } },
              ],
              status: { code: 1 },
            },
          ],
        },
      ],
    },
  ],
});

/** Operations that receive telemetry from other programs, in their own protocols. */
export const ingest = {
  'sessions.ingest_otlp': operation({
    summary: 'Take spans from an OpenTelemetry exporter',
    description:
      'OTLP over HTTP, as JSON or protobuf. Spans of agents and language models (GenAI semantic conventions, OpenInference) ' +
      'become spans and calls of their session, with everything else of the same trace; spans of other traces are ' +
      'passed over. A span that comes again counts once.',
    module: 'sessions',
    effect: 'write',
    cost: 2,
    http: { method: 'POST', path: '/v1/traces', otlp: true },
    cli: { args: ['resourceSpans'], alias: 'ingest-otlp' },
    input: () =>
      z.strictObject({
        resourceSpans: z
          .array(z.looseObject({}))
          .max(1000)
          .default([])
          .meta({ description: '`ResourceSpans` of OTLP in its JSON form.' }),
        agent_id: s.agentId.optional().meta({ description: 'The agent of spans that name none.' }),
        session_id: s.sessionId.optional().meta({ description: 'The session of spans that name none.' }),
      }),
    output: () =>
      z.object({
        partialSuccess: z
          .object({
            rejectedSpans: z.string().meta({ description: 'How many could not be taken.' }),
            errorMessage: z.string(),
          })
          .optional()
          .meta({ description: 'There when some spans could not be taken. They are not to be sent again.' }),
        item_id: z.string().nullable().meta({ description: 'Names the last record within the account.' }),
        recorded: z.array(
          z.object({ agent_id: s.agentId, session_id: z.string(), spans: z.int(), llm_calls: z.int() }),
        ),
        duplicate_spans: z.int().meta({ description: 'Had come before.' }),
        ignored_spans: z.int().meta({ description: 'Belong to no session.' }),
        unchanged: z.boolean(),
      }),
    errors: ['invalid_protobuf'],
    example,
  }),
};
