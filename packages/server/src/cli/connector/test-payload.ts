import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { TrialDelivery, TrialReport } from '../../connector-tools.ts';
import { type ExitCode, fileProblem, UsageError } from '../failure.ts';
import { isOn, type ParsedFlags } from '../parse.ts';
import { clean, counted } from '../render/index.ts';
import { type ConnectorCall, placeOf } from './call.ts';

/** Shows what a connector makes of a payload. */
export async function testPayload({ what, file, given, parts }: ConnectorCall): Promise<ExitCode> {
  const { terminal } = parts;
  const place = { ...placeOf(parts), onOutput: (text: string) => terminal.err(clean(text)) };
  const sent = readDelivery(resolve(place.cwd, file ?? what), given);
  const report = await (await parts.connectorTools()).tryOut(file === undefined ? '.' : what, sent, place);
  terminal.out(isOn(given, 'json') ? `${JSON.stringify(report)}\n` : reportText(report));
  return 'failure' in report.transformed ? 1 : 0;
}

function readDelivery(file: string, given: ParsedFlags): TrialDelivery {
  const [event_type] = given.get('event-type') ?? [];
  const [id] = given.get('id') ?? [];
  return {
    payload: payloadIn(file),
    headers: headersIn(given.get('headers')?.[0]),
    received_at: new Date().toISOString(),
    ...(event_type === undefined ? {} : { event_type }),
    ...(id === undefined ? {} : { id }),
  };
}

function payloadIn(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw fileProblem(error, file);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${file} is not JSON: ${(error as Error).message}`);
  }
}

function headersIn(text: string | undefined): Record<string, string> {
  if (text === undefined) return {};
  const problem = new UsageError('--headers is a JSON object of texts, such as {"x-github-event": "push"}');
  try {
    const headers = Object.entries(JSON.parse(text) as Record<string, unknown>);
    if (headers.some(([, value]) => typeof value !== 'string')) throw problem;
    return Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), String(value)]));
  } catch {
    throw problem;
  }
}

/** Where no header named a type, it may only seem that the connector does not know the event. */
const rawText = (event_type: string, connector: string): string =>
  `a service would keep it as it came (raw): ${connector} makes nothing of the type ${JSON.stringify(event_type)}\n` +
  `a type often comes from a header: give it with --headers, such as '{"x-github-event": "push"}', or with --event-type\n`;

function reportText({ connector, event_type, id, reply, is_kept_raw, transformed }: TrialReport): string {
  const head = `${connector}: ${clean(event_type)}, delivery ${clean(id)}\n`;
  const replied = reply === undefined ? '' : `it is a question, answered with ${JSON.stringify(reply)}\n`;
  if ('failure' in transformed) return `${head}${replied}failed: ${clean(transformed.failure.reason)}\n`;
  const { results } = transformed;
  if (is_kept_raw) return `${head}${rawText(event_type, connector)}`;
  const made = `${counted(results.length, 'result')}, of which nothing was stored\n`;
  return `${head}${replied}${made}${results.map((result) => `${JSON.stringify(result, undefined, 2)}\n`).join('')}`;
}
