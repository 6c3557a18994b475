import { Fault } from '@mem-service/contract';
import { MAIN_BRANCH, sessionName, type Work } from '../../kernel/index.ts';
import { turnEnd } from '../../turns.ts';
import type { ContractCheck } from '../contracts/index.ts';
import { type EntryDraft, type EntryRow, type EntrySet, fromDocument, isArtifact, isLive } from '../entries/index.ts';
import { type Arrival, eventOf, type IngestedResult } from './arrivals.ts';
import type { Moved } from './move-edges.ts';
import { isLargeText } from './redact.ts';
import type { ArrivedWrite } from './rules/results.ts';
import type { Place, Things } from './things.ts';

type LoadedThings = { entries: EntrySet; things: Things; check: ContractCheck | undefined; moves: Moved[] };
type StatedWrite = { arrival: Arrival; write: ArrivedWrite };

const DEFAULTS = { confidence: 1, memory_type: 'experience' };

/** Writes what an event says about one entry, as far as nothing later was stated about it. */
export async function applyWrite(work: Work, loaded: LoadedThings, stated: StatedWrite): Promise<IngestedResult> {
  const { arrival, write } = stated;
  const { entries, things } = loaded;
  const received_at = arrival.received_at ?? work.now;
  const placed = things.place(write, arrival, received_at);
  const { at, from } = placed;
  const entry = entries.get(addressOf(from ?? at));
  const before = isLive(entry, work.now) ? entry : undefined;
  const value = () => (before ? JSON.parse(fromDocument(before).value) : undefined);
  const newBy = from || entries.get(addressOf(at)) ? undefined : arrival;
  const decided = await things.decide(write, { at, from, received_at, value, newBy });
  const { entity_path, key } = at;
  const result = decided.isLate
    ? {
        version: entries.get(addressOf(at))?.version ?? null,
        status: decided.isSame ? ('unchanged' as const) : ('out_of_date' as const),
      }
    : await applyDecided(work, loaded, { arrival, write, at, from, before, decided });
  placed.keep();
  decided.keep();
  return { operation: write.operation, entity_path, key, version: result.version, status: result.status };
}

type Applied = StatedWrite & { at: Place; from: Place | undefined; before: EntryRow | undefined; decided: Next };

async function applyDecided(work: Work, { entries, check, moves }: LoadedThings, applied: Applied) {
  const { arrival, write, at, from, before, decided } = applied;
  const details = { event: eventOf(arrival) };
  const remove = (place: Place) =>
    entries.apply({ value: undefined, ...authorOf(arrival, place) }, { event_type: 'delete', details }).entry.version;
  if (decided.value === undefined) {
    const version = before ? remove(from ?? at) : (entries.get(addressOf(at))?.version ?? null);
    return { version, status: 'deleted' as const };
  }
  await turnEnd();
  const draft = draftOf({ arrival, write }, at, decided);
  draft.artifact_refs = refsOf(write, before && fromDocument(before).artifact_refs);
  checkSize(work, draft);
  if (isLargeText(draft.value ?? '')) await entries.compare(draft);
  await turnEnd();
  const { entry, unchanged } = entries.apply(draft, { event_type: 'write', details }, check);
  if (from && before) {
    remove(from);
    moves.push({ arrival, from, at, entry_id: before.entry_id });
  }
  return { version: entry.version, status: unchanged ? ('unchanged' as const) : write.shown_as };
}

const addressOf = ({ entity_path, key }: Place) => ({ branch: MAIN_BRANCH, entity_path, key });

const authorOf = (arrival: Arrival, { entity_path, key }: Place) => ({
  branch: MAIN_BRANCH,
  entity_path,
  key,
  agent_id: arrival.sender,
  session_id: null,
  session: sessionName(null, arrival.caller),
  event: JSON.stringify(eventOf(arrival)),
});

type Next = { value: unknown; text?: string | undefined };

function draftOf({ arrival, write }: StatedWrite, at: Place, decided: Next): EntryDraft {
  const value = decided.text ?? JSON.stringify(decided.value);
  return {
    value,
    parsed: decided.value,
    confidence: write.confidence,
    memory_type: write.memory_type,
    defaults: DEFAULTS,
    shared: true,
    pattern_refs: write.pattern_refs,
    is_artifact: isArtifact(at.key, value),
    ...authorOf(arrival, at),
  };
}

function checkSize({ services }: Work, { entity_path, key, value = '' }: EntryDraft): void {
  const { max_value_bytes } = services.limits;
  const bytes = Buffer.byteLength(value);
  if (bytes > max_value_bytes)
    throw new Fault('value_too_large', `the value has ${bytes} bytes; ${max_value_bytes} are allowed`, {
      entity_path,
      key,
      max_value_bytes,
    });
}

const MAX_REFS = 100;

/** What events of one thing point at adds up, in an order that is always the same. */
function refsOf({ merge, artifact_refs }: ArrivedWrite, before: string | undefined): string | undefined {
  if (!merge) return artifact_refs && JSON.stringify(artifact_refs);
  if (artifact_refs === undefined || artifact_refs.length === 0) return before;
  const known = before === undefined ? [] : (JSON.parse(before) as { uri: string }[]);
  const all = new Map([...artifact_refs, ...known].map((ref) => [ref.uri, ref]));
  const sorted = [...all.values()].toSorted((a, b) => (a.uri < b.uri ? -1 : 1)).slice(0, MAX_REFS);
  return JSON.stringify(sorted);
}
