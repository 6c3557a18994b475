import { readdirSync, readFileSync } from 'node:fs';
import type {
  Connector,
  ConnectorResult,
  ContextResult,
  EntryResult,
} from '../../packages/server/src/connectors/types.ts';
import { mergeThing, type Thing } from '../../packages/server/src/modules/ingestion/rules/merge.ts';

const FIXTURES = new URL('./fixtures/', import.meta.url);

/** The recorded payloads of a sender, by the name of their file. */
export function payloadsOf(sender: string): Map<string, unknown> {
  const folder = new URL(`${sender}/`, FIXTURES);
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return new Map(files.map((name) => [name.slice(0, -5), JSON.parse(readFileSync(new URL(name, folder), 'utf8'))]));
}

/** What a connector makes of a payload. */
export function resultsOf(
  connector: Connector,
  payload: unknown,
  headers: Record<string, string> = {},
): ConnectorResult[] {
  const { event_type = 'generic', id = 'd1' } = connector.identify?.(payload, headers) ?? {};
  const results = connector.transform({ event_type, id, payload, headers, received_at: '2026-01-31T12:00:00.000Z' });
  if (!Array.isArray(results)) throw new Error('The transform is asynchronous.');
  return results;
}

export function writesOf(connector: Connector, payload: unknown): EntryResult[] {
  return resultsOf(connector, payload).filter((result) => result.operation === 'write');
}

export function onlyWriteOf(connector: Connector, payload: unknown): EntryResult & { value: Record<string, unknown> } {
  const [write, ...others] = resultsOf(connector, payload);
  if (write?.operation !== 'write' || others.length > 0) throw new Error('There is not exactly one write.');
  return write as EntryResult & { value: Record<string, unknown> };
}

export function onlyContextOf(connector: Connector, payload: unknown): ContextResult {
  const [context, ...others] = resultsOf(connector, payload);
  if (context?.operation !== 'record_context' || others.length > 0)
    throw new Error('There is not exactly one context.');
  return context;
}

/** A payload as it is kept that says nothing to its connector. */
export const rawWrite = (entity_path: string, value: unknown) => ({
  operation: 'write',
  entity_path,
  key: 'raw-d1',
  value,
  raw: true,
});

type Entry = { thing: Thing; place: string; placedAt: readonly [number, number] };

/** The entries that deliveries leave in this order, by path and key: merged part by part, with things that move. */
export function entriesAfter(
  connector: Connector,
  payloads: readonly unknown[],
): Record<string, Record<string, unknown>> {
  const entries = new Map<string, Entry>();
  for (const result of payloads.flatMap((payload) => writesOf(connector, payload))) {
    const place = `${result.entity_path}/${result.key}`;
    const name = result.thing ?? place;
    const stamp = [Date.parse(result.occurred_at ?? ''), result.rank ?? 0] as const;
    const placedAt = result.unplaced ? ([Number.NEGATIVE_INFINITY, 0] as const) : stamp;
    const before = entries.get(name) ?? { thing: { value: undefined, state: {} }, place, placedAt };
    const moves = placedAt[0] - before.placedAt[0] || placedAt[1] - before.placedAt[1];
    const { thing } = mergeThing(before.thing, { ...result, stamp });
    entries.set(name, moves > 0 ? { thing, place, placedAt } : { ...before, thing });
  }
  const kept = [...entries.values()].filter(({ thing }) => thing.value !== undefined);
  return Object.fromEntries(kept.map(({ place, thing }) => [place, thing.value as Record<string, unknown>]));
}

/** All orders of some things. */
export function ordersOf<T>(things: readonly T[]): T[][] {
  if (things.length < 2) return [[...things]];
  return things.flatMap((first, at) => ordersOf(things.toSpliced(at, 1)).map((rest) => [first, ...rest]));
}
