import type { ServerResponse } from 'node:http';
import type { JsonObject } from '@mem-service/contract';
import { json, type StandIn, type StandInAnswer, standIn } from './stand-in.ts';

type ProviderEvent = { event?: string; data: unknown };

/**
 * A server that speaks as the two providers do. What it does follows from the last words of the user: `tool` has it call
 * a tool, `hang` stops a stream in its middle, `never` answers nothing, `busy` and `bad` are refused, `break` loses
 * its connection, `fault` ends a stream with an error; everything else is greeted.
 */
export const startProviders = (): Promise<StandIn> => standIn(route);

const route: StandInAnswer = (response, seen) => {
  const body: JsonObject = JSON.parse(seen.body || '{}');
  const isAnthropic = seen.url.startsWith('/v1/messages');
  const text = asked(body);
  if (text === 'never') return;
  if (text === 'busy' || text === 'bad') return refuse(response, { isAnthropic, isBusy: text === 'busy' });
  if (seen.url === '/v1/embeddings') return json(200, embeddings(body))(response, seen);
  const { whole, events } = isAnthropic
    ? anthropic(body, text)
    : seen.url === '/v1/responses'
      ? responses(body, text)
      : chat(body, text);
  if (body.stream === true) return stream(response, events, text);
  const id = isAnthropic ? 'request-id' : 'x-request-id';
  json(200, whole, { [id]: 'req_011CSHoEeqs5C35K2UUqR7Fy' })(response, seen);
};

function asked({ messages, input }: JsonObject): string {
  if (typeof input === 'string') return input;
  const last = ((messages ?? input) as JsonObject[]).at(-1)?.content;
  return typeof last === 'string' ? last : '';
}

function stream(response: ServerResponse, events: ProviderEvent[], text: string): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'x-request-id': 'req_stream' });
  const isCut = ['hang', 'break', 'fault'].includes(text);
  for (const { event, data } of isCut ? events.slice(0, 4) : events) {
    const lines = typeof data === 'string' ? data : JSON.stringify(data);
    response.write(`${event === undefined ? '' : `event: ${event}\n`}data: ${lines}\n\n`);
  }
  if (text === 'hang') return;
  if (text === 'fault') {
    const error = { type: 'overloaded_error', message: 'Overloaded' };
    response.write(`event: error\ndata: ${JSON.stringify({ type: 'error', error })}\n\n`);
  }
  if (text === 'break') setTimeout(() => response.socket?.destroy(), 20);
  else response.end();
}

function refuse(response: ServerResponse, { isAnthropic, isBusy }: { isAnthropic: boolean; isBusy: boolean }): void {
  const status = isBusy ? 429 : 400;
  const type = isBusy ? 'rate_limit_error' : 'invalid_request_error';
  const error = { type, message: isBusy ? 'Rate limit reached' : 'max_tokens: too large', param: null, code: null };
  const body = isAnthropic ? { type: 'error', error, request_id: 'req_1' } : { error };
  json(status, body, { 'retry-after-ms': '1' })(response, { method: '', url: '', headers: {}, body: '' });
}

const TOOL = { name: 'get_weather', input: { location: 'Berlin' } };

function chat({ stream_options }: JsonObject, text: string): { whole: JsonObject; events: ProviderEvent[] } {
  const isTool = text === 'tool';
  const head = { id: 'chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT', created: 1741569952, model: 'gpt-4o-mini-2024-07-18' };
  const usage = {
    prompt_tokens: 1117,
    completion_tokens: 46,
    total_tokens: 1163,
    prompt_tokens_details: { cached_tokens: 1024, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
  };
  const call = {
    id: 'call_abc123',
    type: 'function',
    function: { name: TOOL.name, arguments: JSON.stringify(TOOL.input) },
  };
  const finish_reason = isTool ? 'tool_calls' : 'stop';
  const message = {
    role: 'assistant',
    content: isTool ? null : 'Hello there!',
    refusal: null,
    ...(isTool ? { tool_calls: [call] } : {}),
  };
  const chunk = (choices: JsonObject[], more: JsonObject = {}): ProviderEvent => ({
    data: { ...head, object: 'chat.completion.chunk', system_fingerprint: 'fp_44709d6fcb', choices, ...more },
  });
  const delta = (delta: JsonObject, reason: string | null = null) =>
    chunk([{ index: 0, delta, logprobs: null, finish_reason: reason }]);
  const piece = (more: JsonObject) => delta({ tool_calls: [{ index: 0, ...more }] });
  const toolPieces = [
    piece({ id: call.id, type: 'function', function: { name: TOOL.name, arguments: '' } }),
    piece({ function: { arguments: '{"location":' } }),
    piece({ function: { arguments: '"Berlin"}' } }),
  ];
  const textPieces = ['Hello', ' there', '!'].map((content) => delta({ content }));
  const wantsUsage = (stream_options as JsonObject | undefined)?.include_usage === true;
  return {
    whole: {
      ...head,
      object: 'chat.completion',
      choices: [{ index: 0, message, logprobs: null, finish_reason }],
      usage,
    },
    events: [
      delta({ role: 'assistant', content: isTool ? null : '', refusal: null }),
      ...(isTool ? toolPieces : textPieces),
      delta({}, finish_reason),
      ...(wantsUsage ? [chunk([], { usage })] : []),
      { data: '[DONE]' },
    ],
  };
}

function responses({ model }: JsonObject, text: string): { whole: JsonObject; events: ProviderEvent[] } {
  const item =
    text === 'tool'
      ? { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: TOOL.name, arguments: '{"location":"Berlin"}' }
      : {
          type: 'message',
          id: 'msg_1',
          status: 'completed',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'Hello there!', annotations: [] }],
        };
  const begun = { id: 'resp_67ccd2bed1ec8190', object: 'response', created_at: 1741476542, model, error: null };
  const started = { ...begun, status: 'in_progress', incomplete_details: null, output: [], usage: null };
  const usage = {
    input_tokens: 36,
    input_tokens_details: { cached_tokens: 12 },
    output_tokens: 87,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 123,
  };
  const whole = { ...started, status: 'completed', output: [item], usage };
  const event = (type: string, more: JsonObject, sequence_number: number): ProviderEvent => ({
    event: type,
    data: { type, sequence_number, ...more },
  });
  const place = { output_index: 0, item_id: 'msg_1', content_index: 0 };
  const kinds: [string, JsonObject][] = [
    ['response.created', { response: started }],
    ['response.in_progress', { response: started }],
    ['response.output_item.added', { output_index: 0, item: { ...item, content: [] } }],
    ['response.content_part.added', { ...place, part: { type: 'output_text', text: '', annotations: [] } }],
    ['response.output_text.delta', { ...place, delta: 'Hello' }],
    ['response.output_text.delta', { ...place, delta: ' there!' }],
    ['response.output_text.done', { ...place, text: 'Hello there!' }],
    ['response.output_item.done', { output_index: 0, item }],
    ['response.completed', { response: whole }],
  ];
  return { whole, events: kinds.map(([type, more], i) => event(type, more, i)) };
}

function embeddings({ model, encoding_format }: JsonObject): JsonObject {
  const numbers = [0.25, -0.5, 1];
  const embedding =
    encoding_format === 'base64' ? Buffer.from(new Float32Array(numbers).buffer).toString('base64') : numbers;
  const usage = { prompt_tokens: 8, total_tokens: 8 };
  return { object: 'list', data: [{ object: 'embedding', index: 0, embedding }], model, usage };
}

function anthropic({ model }: JsonObject, text: string): { whole: JsonObject; events: ProviderEvent[] } {
  const isTool = text === 'tool';
  const block = isTool
    ? { type: 'tool_use', id: 'toolu_01T1x1fJ34qAmk2tNTrN7Up6', name: TOOL.name, input: TOOL.input }
    : { type: 'text', text: 'Hello there!' };
  const stop_reason = isTool ? 'tool_use' : 'end_turn';
  const usage = {
    input_tokens: 25,
    cache_creation_input_tokens: 100,
    cache_read_input_tokens: 2000,
    output_tokens: 15,
    service_tier: 'standard',
  };
  const head = { id: 'msg_1nZdL29xx5MUA1yADyHTEsnR8uuvGzszyY', type: 'message', role: 'assistant', model };
  const data: JsonObject[] = [
    {
      type: 'message_start',
      message: { ...head, content: [], stop_reason: null, stop_sequence: null, usage: { ...usage, output_tokens: 1 } },
    },
    {
      type: 'content_block_start',
      index: 0,
      content_block: isTool ? { ...block, input: {} } : { type: 'text', text: '' },
    },
    { type: 'ping' },
    ...(isTool ? ['{"location":', ' "Berlin"}'] : ['Hello', ' there!']).map((piece) => ({
      type: 'content_block_delta',
      index: 0,
      delta: isTool ? { type: 'input_json_delta', partial_json: piece } : { type: 'text_delta', text: piece },
    })),
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 15 } },
    { type: 'message_stop' },
  ];
  return {
    whole: { ...head, content: [block], stop_reason, stop_sequence: null, usage },
    events: data.map((one) => ({ event: one.type as string, data: one })),
  };
}
