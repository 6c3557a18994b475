import type { Output } from '@mem-service/contract';
import { digestTypes } from '@mem-service/contract';
import {
  countByMinute,
  countDeadLettersOf,
  listConsumed,
  listCursors,
  listDeadLetters,
  type ReadContext,
  readAccount,
  readableRows,
  toIso,
  toIsoOrNull,
} from '../../kernel/index.ts';
import { CONSUMER } from './follow-log.ts';
import { countDigests, listCompiled } from './queries.ts';
import { COMPILED, MAX_DIGESTS } from './save.ts';
import { dueBy, EVENT_TYPES } from './touched.ts';

/** Events that are looked at for the digests that they make due. */
const LOOKED_AT = 250;

type Status = Output<'cortex.status'>;

/** What the worker has done and has still to do in an account, as the store has it, whichever server did it. */
export async function cortexStatus(context: ReadContext): Promise<Status> {
  const { scan, caller, services } = context;
  const { account_id } = caller;
  const [worker, counts] = await Promise.all([workerState(context), countDigests(scan, account_id)]);
  const last_at = counts.reduce((latest, row) => Math.max(latest, row.last_at), 0);
  const digest_count = counts.reduce((sum, { n }) => sum + n, 0);
  return {
    status: statusOf(worker),
    worker,
    digest_count,
    digest_types: Object.fromEntries(
      digestTypes.map((type) => [type, counts.find(({ digest_type }) => digest_type === type)?.n ?? 0]),
    ) as Status['digest_types'],
    max_digests: services.limits.max_digests ?? MAX_DIGESTS,
    last_compiled_at: toIsoOrNull(last_at || null),
  };
}

function statusOf({ is_running, attempts, lag }: Status['worker']): Status['status'] {
  if (!is_running) return 'stopped';
  if (attempts > 0) return 'failing';
  return lag > 0 ? 'compiling' : 'idle';
}

/** Where no server of this setting compiles, as on one that only reads, the cursor still says how far others are. */
async function workerState({ read, scan, caller, services, dialect, now }: ReadContext): Promise<Status['worker']> {
  const { account_id } = caller;
  const [account, cursors, letters] = await Promise.all([
    readAccount(read, account_id),
    listCursors(read, account_id),
    countDeadLettersOf(read, account_id),
  ]);
  const cursor = cursors.find(({ consumer }) => consumer === CONSUMER);
  const last_seq = account?.seq ?? 0;
  const after = cursor?.seq ?? 0;
  const limit = LOOKED_AT + 1;
  const found =
    last_seq > after
      ? await listConsumed(scan, dialect, { account_id, after, up_to: last_seq, limit, event_types: EVENT_TYPES })
      : [];
  const waiting = found.filter(({ event_type }) => (EVENT_TYPES as readonly string[]).includes(event_type));
  const events = waiting.slice(0, LOOKED_AT);
  const due = await dueBy({ query: scan, account_id, dialect }, events);
  const is_complete = waiting.length <= LOOKED_AT;
  return {
    is_running: services.consumers.names.includes(CONSUMER) && services.replica === undefined,
    seq: events[0] ? events[0].seq - 1 : last_seq,
    last_seq,
    lag: is_complete ? events.length : last_seq - (events[0]?.seq ?? last_seq) + 1,
    waiting_ms: events[0] ? Math.max(0, now - events[0].created_at) : 0,
    due: due.length,
    due_is_complete: is_complete,
    attempts: cursor?.attempts ?? 0,
    last_error: cursor?.last_error || null,
    retry_at: toIsoOrNull(cursor?.retry_at || null),
    failures: letters.find(({ consumer }) => consumer === CONSUMER)?.n ?? 0,
  };
}

const MINUTE_MS = 60_000;
const MINUTES = 60;
/** Digests that are looked at: some of them are not shown. */
const LISTED = 1000;
/** Newest events of the log among which compilations are counted. */
const COUNTED = 5000;

export async function cortexActivity(context: ReadContext, limit: number): Promise<Output<'cortex.activity'>> {
  const { scan, read, caller, services, now } = context;
  const { account_id } = caller;
  const first = Math.floor(now / MINUTE_MS) - MINUTES + 1;
  const [rows, counts, letters] = await Promise.all([
    listCompiled(scan, account_id, LISTED),
    countByMinute(scan, account_id, { type: COMPILED, since: first * MINUTE_MS, looked_at: COUNTED }),
    services.consumers.names.includes(CONSUMER) ? listDeadLetters(read, account_id, [CONSUMER]) : [],
  ]);
  const compiled = (await readableRows(context, rows)).filter(({ is_shown }) => is_shown === 1);
  const events = [
    ...compiled.slice(0, limit).map(({ digest_type, scope, branch, entry_count, compiled_at, seq }) => ({
      ...{ type: 'digest_compiled' as const, at: compiled_at, seq },
      digest: { digest_type, scope, branch, entry_count },
      error: null,
    })),
    ...letters.slice(-limit).map(({ seq, error, failed_at }) => ({
      ...{ type: 'compilation_error' as const, at: failed_at, seq, digest: null, error },
    })),
  ];
  const newest = events.sort((a, b) => b.at - a.at || b.seq - a.seq).slice(0, limit);
  const byMinute = new Map(counts.map(({ minute, n }) => [minute, n]));
  const throughput = Array.from({ length: MINUTES }, (_, i) => ({
    minute: toIso((first + i) * MINUTE_MS),
    compiled: byMinute.get(first + i) ?? 0,
  }));
  return {
    events: newest.map(({ at, ...event }) => ({ ...event, at: toIso(at) })),
    total: newest.length,
    throughput,
  };
}
