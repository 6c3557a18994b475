import { Fault, type FieldError, type Input, type Output, operations } from '@mem-service/contract';
import {
  type Caller,
  changed,
  checkSender,
  entryName,
  fromIso,
  type Handlers,
  hashedBy,
  parseInput,
  prepares,
  type Services,
  unchanged,
  writes,
  writesTogether,
} from '../../kernel/index.ts';
import { pause } from '../../turns.ts';
import { type Arrival, checkWriteScope, type StoredArrival } from './arrivals.ts';
import { externalAgent } from './names.ts';
import { isLargeText, type RedactedJson, redactSmall, redactValue } from './redact.ts';
import { PLAIN_WRITE } from './rules/results.ts';
import { storeArrivals, toTimes } from './store.ts';

type EventInput = Input<'events.send'>;
type SentEvent = Output<'events.send'>;

/** Large values were redacted before the transaction began. */
const redactedOf = ({ value }: EventInput, prepared: unknown): RedactedJson =>
  (prepared as RedactedJson | undefined) ?? redactSmall(value.value, value.text);

function arrivalOf(event: EventInput, caller: Caller, { value, text }: RedactedJson): Arrival {
  const { source, entity_path, key, event_type, id, confidence, memory_type, pattern_refs, artifact_refs } = event;
  const occurred_at = event.occurred_at === undefined ? undefined : fromIso(event.occurred_at);
  return {
    caller,
    sender: externalAgent(source),
    source,
    id,
    event_type,
    occurred_at: occurred_at ?? null,
    writes: [
      {
        ...PLAIN_WRITE,
        entity_path,
        key,
        value,
        text,
        occurred_at,
        confidence,
        memory_type,
        pattern_refs: pattern_refs && JSON.stringify(pattern_refs),
        artifact_refs,
      },
    ],
  };
}

const toSent = ({ duplicate, delivery }: StoredArrival, id: string | undefined): SentEvent => ({
  duplicate,
  id: id ?? delivery.delivery_id,
  event_type: delivery.type,
  sender: delivery.sender,
  entity_path: delivery.entity_path,
  key: delivery.key,
  version: delivery.version,
  status: delivery.status as SentEvent['status'],
  ...toTimes(delivery),
});

const send = writesTogether<'events.send'>(async (work, items) => {
  const arrivals = items.map(({ input, caller, prepared }) => arrivalOf(input, caller, redactedOf(input, prepared)));
  const stored = await storeArrivals(work, arrivals);
  return stored.map((one, i) => {
    if (one instanceof Fault) return one;
    const { input } = items[i] as (typeof items)[number];
    const output = toSent(one, input.id);
    const holds = { agent_id: output.sender };
    if (one.duplicate) return unchanged(output, holds);
    return changed(output, { resource: entryName(input.entity_path, input.key), holds, ...hashedBy(output) });
  });
});

/** What is redacted before the transaction begins. */
function prepareOne(_: Services, { source, value }: EventInput, caller: Caller): Promise<RedactedJson> | undefined {
  checkSender(caller, externalAgent(source));
  return isLargeText(value.text) ? redactValue(value.value, value.text) : undefined;
}

type PreparedEvent = { event: EventInput; redacted: RedactedJson } | Fault;

const asFault = (error: unknown): Fault => {
  if (error instanceof Fault) return error;
  throw error;
};

async function prepareBatch(
  _: Services,
  { events }: Input<'events.send_batch'>,
  caller: Caller,
): Promise<PreparedEvent[]> {
  const prepared: PreparedEvent[] = [];
  for (const raw of events) {
    await pause();
    prepared.push(await prepareEvent(raw, caller).catch(asFault));
  }
  const faults = prepared.filter((one) => one instanceof Fault);
  const [first] = faults;
  if (
    first?.code === 'forbidden' &&
    faults.length === events.length &&
    faults.every(({ code }) => code === 'forbidden')
  )
    throw first;
  return prepared;
}

async function prepareEvent(raw: unknown, caller: Caller): Promise<PreparedEvent> {
  // A transport could not make an event of what was sent.
  if (raw instanceof Fault) return raw;
  const event = (await parseInput(operations['events.send'].input, raw)) as EventInput;
  checkSender(caller, externalAgent(event.source));
  checkWriteScope(caller, [event]);
  return { event, redacted: await redactValue(event.value.value, event.value.text) };
}

const errorOf = ({ code, status, message, detail: { errors } }: Fault) => ({
  code,
  status,
  detail: message,
  ...(errors === undefined ? {} : { errors: errors as FieldError[] }),
});

const sendBatch = writes<'events.send_batch'>(async (work, { input, caller, prepared }) => {
  await work.locked;
  const events = prepared as PreparedEvent[];
  const taken = events.flatMap((one) => (one instanceof Fault ? [] : [one]));
  const stored = await storeArrivals(
    work,
    taken.map(({ event, redacted }) => arrivalOf(event, caller, redacted)),
  );
  let next = 0;
  const results = events.map((one, index) => {
    const result = one instanceof Fault ? one : (stored[next++] as StoredArrival | Fault);
    if (result instanceof Fault) return { index, error: errorOf(result) };
    return { index, ...toSent(result, (one as Exclude<PreparedEvent, Fault>).event.id) };
  });
  const sent = stored.flatMap((one) => (one instanceof Fault ? [] : [one]));
  const duplicates = sent.filter(({ duplicate }) => duplicate).length;
  const batch_id = work.services.ids.next(work.now);
  const accepted = sent.length - duplicates;
  const output = { batch_id, accepted, duplicates, rejected: input.events.length - sent.length, results };
  const holds = sent.map(({ delivery }) => ({ agent_id: delivery.sender }));
  return accepted > 0 ? changed(output, { resource: batch_id, holds, ...hashedBy(output) }) : unchanged(output, holds);
});

export const sendHandlers: Handlers = {
  'events.send': prepares(prepareOne, send),
  'events.send_batch': prepares(prepareBatch, sendBatch),
};
